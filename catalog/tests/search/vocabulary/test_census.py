"""The words of the shop are counted in full and kept up to date; deaths and rivals leave an edition that is whole."""

import asyncio
from datetime import UTC, datetime, timedelta
from io import StringIO

import pytest
from django.core.management import call_command
from pymongo.database import Database

from catalog.search.synonyms import add_synonyms
from catalog.search.vocabulary import census, editions
from catalog.search.vocabulary.census import EVERY, count_vocabulary, keep_vocabulary
from catalog.search.vocabulary.claim import LEASE, TakenOver, claimed
from catalog.search.vocabulary.memory import REMEMBERED, current, current_blocking
from catalog.structure.category_tree import CATEGORIES
from catalog.tests.search.vocabulary.goods import BRANCHES, stock_up
from catalog.tests.shop import MARINA
from gateway.mongo.client import Document
from gateway.mongo.policies import STAFF_LIST
from gateway.mongo.reads import run
from gateway.tests.races import at_once, paused_process

NOW = datetime.now(UTC)
COUNT = f"""
from catalog.search.vocabulary.census import keep_vocabulary
keep_vocabulary({BRANCHES})
"""


def known(*words: str) -> list[int]:
    REMEMBERED.forget()
    vocabulary = current_blocking()
    return [vocabulary.frequency(word) for word in words]


def tokens() -> dict[str, str]:
    return {which: edition.token for which, edition in run(editions.editions(STAFF_LIST)).items()}


def test_frequency_is_the_number_of_products_for_sale_that_have_the_word(database: Database[Document]) -> None:
    stock_up(database, "Наушники JBL Tune 510", "Наушники Sony", attributes={"Бренд": "JBL", "Цвет": "Чёрный"})
    stock_up(database, "Телевизор Sony", category="video")
    stock_up(database, "Снятый Panasonic", withdrawn=True)
    stock_up(database, "Тайный Philips", category="secret")

    words = count_vocabulary(BRANCHES)

    assert known("наушники", "jbl", "sony", "черный", "510", "звук", "телевизоры") == [2, 2, 2, 2, 1, 2, 1]
    assert known("panasonic", "снятый", "philips", "цвет", "бренд") == [0, 0, 0, 0, 0]
    assert words == len(current_blocking())


def test_pages_of_a_large_category_are_all_counted(
    database: Database[Document], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(census, "PAGE", 3)
    stock_up(database, *(f"Товар {number}" for number in range(10)))

    count_vocabulary(BRANCHES)

    assert known("товар", "0", "9") == [10, 1, 1]


def test_edited_product_shows_without_a_count_and_again_changes_nothing(database: Database[Document]) -> None:
    stock_up(database, "Наушники JBL")
    keep_vocabulary(BRANCHES, NOW)
    before = tokens()
    stock_up(database, "Наушники Мурзилка", "Мурзилка вторая", edited_at=NOW)
    stock_up(database, "Снятая Барбариска", edited_at=NOW, withdrawn=True)

    keep_vocabulary(BRANCHES, NOW + timedelta(minutes=1))

    assert known("мурзилка", "вторая", "барбариска", "наушники", "jbl") == [2, 1, 0, 1, 1]
    after = tokens()
    assert (after["counted"], after["recent"] == before["recent"]) == (before["counted"], False)
    keep_vocabulary(BRANCHES, NOW + timedelta(minutes=2))
    assert tokens() == after


def test_words_of_empty_categories_and_of_synonyms_are_known(database: Database[Document]) -> None:
    stock_up(database, "Apple iPhone 15", "Apple iPhone 16")
    keep_vocabulary(BRANCHES, NOW)
    add_synonyms(["айфон", "iphone"], actor=MARINA)
    add_synonyms(["неведомо", "невидимо"], actor=MARINA)

    keep_vocabulary({**BRANCHES, "irons": ("Утюги",)}, NOW + timedelta(minutes=1))

    assert known("айфон", "утюги", "неведомо") == [2, 1, 0]
    assert current_blocking().corrections("айфно") == ("айфон",)


def test_after_some_hours_all_is_counted_anew_and_old_words_go(database: Database[Document]) -> None:
    stock_up(database, "Наушники Мурзилка", "Наушники JBL")
    keep_vocabulary(BRANCHES, NOW)
    database["products"].delete_one({"name": "Наушники Мурзилка"})

    keep_vocabulary(BRANCHES, NOW + EVERY - timedelta(minutes=1))
    assert known("мурзилка", "наушники") == [1, 2]
    keep_vocabulary(BRANCHES, NOW + EVERY + timedelta(minutes=1))
    assert known("мурзилка", "наушники") == [0, 1]


def test_many_edits_have_all_counted_anew_but_not_every_minute(
    database: Database[Document], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(census, "RECENT_EDITS", 2)
    stock_up(database, "Наушники JBL")
    keep_vocabulary(BRANCHES, NOW)
    first = tokens()["counted"]
    stock_up(database, "Раз JBL", "Два JBL", "Три JBL", edited_at=NOW)

    keep_vocabulary(BRANCHES, NOW + timedelta(minutes=1))
    assert (known("jbl"), tokens()["counted"]) == ([1], first)
    keep_vocabulary(BRANCHES, NOW + timedelta(minutes=30))
    assert known("jbl", "раз", "два", "три") == [4, 1, 1, 1]


def test_death_in_the_middle_leaves_the_edition_before_and_another_counts_on(database: Database[Document]) -> None:
    stock_up(database, "Наушники JBL")
    keep_vocabulary(BRANCHES, NOW - EVERY - timedelta(hours=1))
    before = tokens()
    stock_up(database, "Наушники Sony")
    with paused_process(database, COUNT, command="update", collection="search_vocabulary", number=2) as victim:
        # It has counted, and is about to write.
        victim.kill()

    assert (known("jbl", "sony", "наушники"), tokens()) == ([1, 0, 1], before)
    keep_vocabulary(BRANCHES)
    assert tokens() == before, "the dead one still holds the claim"
    database["search_vocabulary"].update_one({"_id": "census"}, {"$set": {"until": datetime.now(UTC) - LEASE}})
    keep_vocabulary(BRANCHES)
    assert known("jbl", "sony", "наушники") == [1, 1, 2]


def test_those_who_count_at_once_leave_one_whole_edition(database: Database[Document]) -> None:
    stock_up(database, *(f"Наушники номер {number}" for number in range(50)))

    at_once(*[lambda: count_vocabulary(BRANCHES)] * 4, *[lambda: keep_vocabulary(BRANCHES)] * 4)

    assert known("наушники", "номер", "49") == [50, 50, 1]
    assert database["search_vocabulary"].count_documents({}) == 2, "no claim is left behind"


def test_count_that_was_begun_earlier_does_not_replace_a_later_one(database: Database[Document]) -> None:
    stock_up(database, "Наушники JBL")
    count_vocabulary(BRANCHES, began_at=NOW)
    stock_up(database, "Наушники Sony")

    count_vocabulary(BRANCHES, began_at=NOW - timedelta(minutes=5))

    assert known("sony", "наушники") == [0, 1]


def test_one_holds_the_claim_until_another_takes_it_over(
    database: Database[Document], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("catalog.search.vocabulary.claim.RENEW_AFTER", timedelta(0))
    with claimed("census") as mine:
        assert mine is not None
        mine.renew()
        with claimed("census") as other:
            assert other is None
        database["search_vocabulary"].update_one({"_id": "census"}, {"$set": {"until": NOW - LEASE}})
        with claimed("census") as heir:
            assert heir is not None
            with pytest.raises(TakenOver):
                mine.renew()
    assert database["search_vocabulary"].count_documents({}) == 0


def test_process_reads_words_anew_only_when_there_is_another_edition(
    database: Database[Document], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def held() -> list[object]:
        first = await current()
        monkeypatch.setattr("catalog.search.memory.LOOK_SECONDS", -1.0)
        # It is looked for behind the back of whoever asks.
        again = await current()
        await asyncio.shield(REMEMBERED._looking)  # type: ignore[arg-type]
        same = await current()
        stock_up(database, "Наушники Sony", edited_at=NOW)
        await asyncio.to_thread(keep_vocabulary, BRANCHES, NOW + timedelta(minutes=1))
        await current()
        await asyncio.shield(REMEMBERED._looking)  # type: ignore[arg-type]
        newer = await current()
        return [again is first, same is first, first.frequency("sony"), newer.frequency("sony")]

    stock_up(database, "Наушники JBL")
    count_vocabulary(BRANCHES, began_at=NOW)

    assert asyncio.run(held()) == [True, True, 0, 1]


@pytest.mark.usefixtures("database", "mongodb_away")
def test_without_mongodb_there_are_no_words_and_nobody_waits() -> None:
    assert len(asyncio.run(current())) == 0


def test_demo_shop_has_its_words_at_once(database: Database[Document]) -> None:
    output = StringIO()
    call_command("load_demo", "--products", "300", "--processes", "1", stdout=output)

    assert f"{len(run(editions.counted_words()))} words counted for the search" in output.getvalue()
    named = [slug for slug, names in CATEGORIES.get().names_shown.items() if any("мартфоны" in name for name in names)]
    of_them = database["products"].count_documents({"category": {"$in": named}, "withdrawn": False})
    assert (known("смартфоны"), of_them > 0) == ([of_them], True)
