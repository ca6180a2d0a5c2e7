"""Searches that did not find what was typed are counted, gathered and bounded, and name nobody."""

import asyncio
from datetime import UTC, datetime

import pytest
from pymongo.database import Database

from catalog.search import miss_counter
from catalog.search.miss_counter import MAX_TEXT, MissCounter, countable
from catalog.search.misses import Outcome, most_missed
from gateway.mongo.client import Document
from gateway.mongo.commands import COMMANDS
from gateway.mongo.reads import run

LONG_AGO = datetime(2026, 1, 1, tzinfo=UTC)


def counted() -> list[tuple[str, str, str, int]]:
    return [(each.text, each.outcome.value, each.instead, each.times) for each in run(most_missed(LONG_AGO))]


def note(counter: MissCounter, *typed: str, outcome: Outcome = Outcome.NOTHING, instead: str = "") -> None:
    async def search() -> None:
        for each in typed:
            counter.note(each, outcome, instead)

    asyncio.run(search())


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("  Умная\tКОЛОНКА ", "умная колонка"),
        ("Чёрный чехол", "черный чехол"),
        ("iphone 15 256", "iphone 15 256"),
        ("ivan@example.com", ""),
        ("айфон ivan @example.com", ""),
        ("https://example.com/?token=1", ""),
        ("www.example.com", ""),
        ("+7 (916) 123-45-67", ""),
        ("иван 8 916 1234567 чехол", "иван чехол"),
        ("4111 1111 1111 1111", ""),
        ("чехол " + "x" * 41, "чехол"),
        ("!!! ???", ""),
        ("чехол\x00\x1b[31m", "чехол [31m"),
        ("", ""),
    ],
)
def test_nothing_that_names_a_person_is_kept(typed: str, kept: str) -> None:
    assert countable(typed) == kept


def test_text_is_cut_at_a_word() -> None:
    whole = " ".join(["чехол"] * 16)

    assert countable("чехол " * 30) == whole
    assert len(whole) <= MAX_TEXT < len(f"{whole} чехол")


def test_searches_are_gathered_and_written_together(database: Database[Document]) -> None:
    counter = MissCounter()
    note(counter, "пейджер", "Пейджер ", "факс")
    note(counter, "самсугн", outcome=Outcome.CORRECTED, instead="Самсунг")

    with COMMANDS.counted() as sent:
        counter.flush()
        counter.flush()

    note(counter, "факс", "факс")
    counter.flush()
    assert counted() == [
        ("факс", "nothing", "", 3),
        ("пейджер", "nothing", "", 2),
        ("самсугн", "corrected", "самсунг", 1),
    ]
    assert {(kind.command, kind.collection): times for kind, times in sent.items()} == {
        ("aggregate", "search_misses"): 1,
        ("update", "search_misses"): 1,
    }


def test_what_is_noted_is_written_by_itself(database: Database[Document], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(miss_counter, "FLUSH_SECONDS", 0.0)
    counter = MissCounter()

    async def search() -> None:
        counter.note("пейджер", Outcome.NOTHING)
        assert counter._flushing is not None
        await counter._flushing

    asyncio.run(search())

    assert counted() == [("пейджер", "nothing", "", 1)]


def test_made_up_texts_have_an_end(database: Database[Document], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(miss_counter, "MAX_HELD", 2)
    monkeypatch.setattr(miss_counter, "MAX_TEXTS_A_DAY", 2)
    counter = MissCounter()
    note(counter, "первое", "второе", "третье")
    counter.flush()
    note(counter, "четвертое", "первое")
    counter.flush()

    assert counted() == [("первое", "nothing", "", 2), ("второе", "nothing", "", 1)]


def test_what_cannot_be_written_waits_and_no_search_fails(
    database: Database[Document], monkeypatch: pytest.MonkeyPatch
) -> None:
    counter = MissCounter()
    note(counter, "пейджер")
    with monkeypatch.context() as refused:
        refused.setattr(miss_counter, "MISSES", "no..name")
        counter.flush()
    before = counted()
    note(counter, "пейджер")

    counter.flush()

    assert (before, counted()) == ([], [("пейджер", "nothing", "", 2)])
