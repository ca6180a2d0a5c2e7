"""Synonyms and what was not found, as pages of the admin."""

from datetime import UTC, datetime, timedelta
from html import unescape
from typing import Any

import pytest
from django.test import Client
from pymongo.database import Database

from catalog.search.synonyms import add_synonyms, edit_synonyms
from catalog.tests.shop import MARINA
from gateway.accounts.tests.demo import make_demo_accounts
from gateway.mongo.client import Document
from gateway.mongo.commands import COMMANDS, Sent
from gateway.staff.tests.browser import signed_in

SYNONYMS = "/admin/catalog/synonymgroup/"
MISSES = "/admin/catalog/searchmiss/"


@pytest.fixture
def merchandiser(database: Database[Document]) -> Client:
    make_demo_accounts()
    database["audit"].delete_many({})
    return signed_in("merchandiser")


def text_of(page: Any) -> str:
    return unescape(str(page.content, "utf-8"))


def missed(
    database: Database[Document],
    text: str,
    count: int,
    *,
    days_ago: int = 0,
    outcome: str = "nothing",
    instead: str = "",
) -> None:
    """As the storefront's search counts it."""
    day = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0) - timedelta(days=days_ago)
    counted = {"day": day, "text": text, "count": count, "outcome": outcome, "instead": instead}
    database["search_misses"].insert_one({"_id": f"{day:%F}:{outcome}:{text}", **counted})


def test_group_is_added_edited_found_and_deleted(merchandiser: Client, database: Database[Document]) -> None:
    assert merchandiser.post(f"{SYNONYMS}add/", {"words": "айфон,\niphone"}).status_code == 302
    (group,) = database["search_synonyms"].find()
    page = f"{SYNONYMS}{group['_id']}/"
    opened = merchandiser.get(f"{page}change/").context["adminform"].form.initial
    edited = merchandiser.post(f"{page}change/", {"words": "айфон, iphone, яблоко", "seen": opened["seen"]})
    found = merchandiser.get(f"{SYNONYMS}?q=ЯБЛО")
    journal = merchandiser.get("/admin/audit/auditentry/")

    assert opened["words"] == "айфон, iphone"
    assert edited.status_code == 302
    assert [each.title for each in found.context["cl"].result_list] == ["айфон, iphone, яблоко"]
    assert "изменены синонимы «айфон, iphone, яблоко»" in " ".join(_plain(journal).split())
    assert merchandiser.post(f"{page}delete/", {"post": "yes"}).status_code == 302
    assert database["search_synonyms"].count_documents({}) == 0
    assert {(each["actor"], each["source"]) for each in database["audit"].find()} == {
        ("merchandiser@mobile-world.example", "admin")
    }


def _plain(page: Any) -> str:
    return "".join(part.partition(">")[2] for part in text_of(page).split("<"))


def test_refused_words_are_explained_beside_what_was_typed(merchandiser: Client, database: Database[Document]) -> None:
    add_synonyms(["айфон", "iphone"], actor=MARINA)

    page = merchandiser.post(f"{SYNONYMS}add/", {"words": "iphone, яблоко"})

    assert "Одно из слов уже есть в другой группе: «айфон, iphone»." in text_of(page)
    assert page.context["adminform"].form["words"].value() == "iphone, яблоко"
    assert database["search_synonyms"].count_documents({}) == 1


def test_second_editor_sees_what_the_first_has_written(merchandiser: Client, database: Database[Document]) -> None:
    group = add_synonyms(["айфон", "iphone"], actor=MARINA)
    page = f"{SYNONYMS}{group['_id']}/change/"
    opened = merchandiser.get(page).context["adminform"].form.initial
    edit_synonyms(group["_id"], ["айфон", "iphone", "эпл"], actor=MARINA)

    asked = merchandiser.post(page, {"words": "айфон, iphone, яблоко", "seen": opened["seen"]})

    assert "было «айфон, iphone», стало «айфон, iphone, эпл»" in text_of(asked)
    assert database["search_synonyms"].find_one({}, ["title"]) == {
        "_id": group["_id"],
        "title": "айфон, iphone, эпл",
    }


def test_support_sees_synonyms_and_changes_none(merchandiser: Client, database: Database[Document]) -> None:
    group = add_synonyms(["айфон", "iphone"], actor=MARINA)
    support = signed_in("support")

    assert "айфон, iphone" in text_of(support.get(f"{SYNONYMS}{group['_id']}/change/"))
    assert support.post(f"{SYNONYMS}{group['_id']}/change/", {"words": "a1, b1"}).status_code == 403
    assert support.post(f"{SYNONYMS}{group['_id']}/delete/", {"post": "yes"}).status_code == 403
    assert support.post(f"{SYNONYMS}add/", {"words": "a1, b1"}).status_code == 403
    assert database["search_synonyms"].find_one({}, ["title"]) == {"_id": group["_id"], "title": "айфон, iphone"}


def test_what_was_missed_stands_by_how_often_and_leads_to_a_synonym(
    merchandiser: Client, database: Database[Document]
) -> None:
    missed(database, "умная колонка", 3)
    missed(database, "умная колонка", 4, days_ago=2)
    missed(database, "чехол & плёнка", 5, days_ago=6)
    missed(database, "пейджер", 9, days_ago=20)
    missed(database, "факс", 99, days_ago=60)

    def shown(query: str) -> list[tuple[str, int]]:
        page = merchandiser.get(f"{MISSES}{query}")
        return [(row.text, row.count) for row in page.context["cl"].result_list]

    assert shown("") == [("пейджер", 9), ("умная колонка", 7), ("чехол & плёнка", 5)]
    assert shown("?days=7") == [("умная колонка", 7), ("чехол & плёнка", 5)]
    assert shown("?days=90")[0] == ("факс", 99)
    page = text_of(merchandiser.get(MISSES))
    link = f"{SYNONYMS}add/?words=%D1%87%D0%B5%D1%85%D0%BE%D0%BB+%26+%D0%BF%D0%BB%D1%91%D0%BD%D0%BA%D0%B0"
    assert link in page
    assert merchandiser.get(link).context["adminform"].form["words"].value() == "чехол & плёнка"
    assert "Сделать синонимом" not in text_of(signed_in("support").get(MISSES))


def test_list_of_what_was_missed_is_one_read_of_an_index(merchandiser: Client, database: Database[Document]) -> None:
    missed(database, "пейджер", 9)

    with COMMANDS.counted() as sent:
        merchandiser.get(MISSES)

    on_misses = {kind: number for kind, number in sent.items() if kind.collection == "search_misses"}
    assert on_misses == {Sent("aggregate", "search_misses", "staff.list", 1): 1}


def test_what_was_corrected_or_lost_words_is_told_apart(merchandiser: Client, database: Database[Document]) -> None:
    missed(database, "самсугн", 3, outcome="corrected", instead="самсунг")
    missed(database, "самсугн", 2, outcome="corrected", instead="самсунг", days_ago=1)
    missed(database, "самсугн", 1)
    missed(database, "красный айфон 9", 4, outcome="left_out", instead="9")

    page = merchandiser.get(MISSES)
    corrected = merchandiser.get(f"{MISSES}?outcome=corrected")

    assert [(row.text, row.count) for row in page.context["cl"].result_list] == [
        ("самсугн", 5),
        ("красный айфон 9", 4),
        ("самсугн", 1),
    ]
    assert [(row.text, row.count) for row in corrected.context["cl"].result_list] == [("самсугн", 5)]
    assert "исправлено: самсунг" in text_of(page)
    assert "слова отброшены: 9" in text_of(page)


def test_nothing_missed_is_said(merchandiser: Client) -> None:
    assert "За это время таких запросов не было" in text_of(merchandiser.get(MISSES))
