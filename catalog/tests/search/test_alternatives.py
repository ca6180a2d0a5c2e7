"""What a word may be called instead, as a process holds it."""

import asyncio

import pytest
from pymongo.database import Database

from catalog.search import alternatives
from catalog.search.alternatives import current, current_blocking
from catalog.search.synonyms import add_synonyms
from catalog.search.words import words_in
from catalog.tests.shop import MARINA
from gateway.mongo.client import Document
from gateway.mongo.commands import COMMANDS, Sent


@pytest.fixture
def groups(database: Database[Document]) -> None:
    alternatives.REMEMBERED.forget()
    add_synonyms(["айфончик", "iPhone", "яблочный телефон"], actor=MARINA)
    add_synonyms(["PS5", "PlayStation 5", "плойка"], actor=MARINA)


def of(text: str) -> list[str]:
    return [" ".join(phrase) for phrase in current_blocking().alternatives(tuple(words_in(text)))]


@pytest.mark.usefixtures("groups")
@pytest.mark.parametrize(
    ("text", "others"),
    [
        ("айфончика", ["iphone", "яблочный телефон"]),
        ("IPHONE", ["айфончик", "яблочный телефон"]),
        ("яблочным телефоном", ["айфончик", "iphone"]),
        ("плойки", ["ps 5", "playstation 5"]),
        ("ps5", ["playstation 5", "плойка"]),
        ("ps", []),
        ("телефон", []),
        ("чайник", []),
        ("", []),
    ],
)
def test_word_and_phrase_in_any_form_have_the_others_of_their_group(text: str, others: list[str]) -> None:
    assert of(text) == others


@pytest.mark.usefixtures("groups")
def test_reading_of_a_query_asks_nobody(database: Database[Document]) -> None:
    alternatives.REMEMBERED.forget()

    async def twice() -> bool:
        return await current() is await current()

    with COMMANDS.counted() as sent:
        same = asyncio.run(twice())

    assert same
    assert {kind: times for kind, times in sent.items() if kind.collection == "search_synonyms"} == {
        Sent("find", "search_synonyms", "catalog.list", 1): 1
    }


@pytest.mark.usefixtures("groups")
def test_edited_group_is_known_after_the_next_look_for_which_nobody_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    async def held() -> list[int]:
        first = await current()
        await asyncio.to_thread(add_synonyms, ["уши", "наушники"], actor=MARINA)
        unlooked = await current()
        monkeypatch.setattr("catalog.search.memory.LOOK_SECONDS", -1.0)
        at_once = await current()
        await asyncio.shield(alternatives.REMEMBERED._looking)  # type: ignore[arg-type]
        return [len(first), len(unlooked), len(at_once), len(await current())]

    assert asyncio.run(held()) == [6, 6, 6, 8]


@pytest.mark.usefixtures("groups")
def test_process_that_was_not_asked_for_long_gives_no_old_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    async def after_a_night() -> list[int]:
        first = await current()
        await asyncio.to_thread(add_synonyms, ["уши", "наушники"], actor=MARINA)
        monkeypatch.setattr("catalog.search.memory.LOOK_SECONDS", -1.0)
        monkeypatch.setattr("catalog.search.memory.WAIT_SECONDS", -1.0)
        return [len(first), len(await current())]

    assert asyncio.run(after_a_night()) == [6, 8]


@pytest.mark.usefixtures("database", "mongodb_away")
def test_without_mongodb_each_word_stands_for_itself() -> None:
    alternatives.REMEMBERED.forget()

    assert asyncio.run(current()).alternatives(("айфончик",)) == ()
