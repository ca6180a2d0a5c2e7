"""Words that mean the same to whoever searches: grouped, kept apart, edited by two at once."""

from collections.abc import Callable
from functools import partial

import pytest
from pymongo.database import Database

from catalog.search import synonyms
from catalog.search.synonyms import MAX_WORDS, add_synonyms, delete_synonyms, edit_synonyms, titles_of, words_typed
from catalog.tests.shop import MARINA, raised
from gateway.audit.trail import Actor
from gateway.domain.errors import DomainError
from gateway.mongo.client import Document
from gateway.tests.races import at_once

PETER = Actor("2", "peter@mobile-world.example")
add = partial(add_synonyms, actor=MARINA)
edit = partial(edit_synonyms, actor=MARINA)


@pytest.fixture
def phone(database: Database[Document]) -> str:
    return add(["айфон", "iphone"])["_id"]


def stored(database: Database[Document]) -> list[Document]:
    return [*database["search_synonyms"].find().sort("_id", 1), *database["audit"].find().sort("_id", 1)]


def test_words_are_grouped_by_what_the_search_compares(database: Database[Document]) -> None:
    made = add([" Умные  часы ", "Смарт-часы"])

    assert (made["title"], made["keys"]) == ("Умные часы, Смарт-часы", ["умн час", "смарт час"])
    assert database["search_synonyms"].find_one({"_id": made["_id"]}, ["words", "changed_by"]) == {
        "_id": made["_id"],
        "words": ["Умные часы", "Смарт-часы"],
        "changed_by": MARINA.name,
    }
    (entry,) = database["audit"].find()
    assert (entry["action"], entry["changes"]) == ("synonyms.added", {"words": [None, "Умные часы, Смарт-часы"]})


def test_group_is_changed_and_deleted_on_record(database: Database[Document], phone: str) -> None:
    edit(phone, ["айфон", "iphone", "яблокофон"], seen=["айфон", "iphone"])
    edit(phone, ["айфон", "iphone", "яблокофон"])
    assert titles_of([phone, "gone"]) == {phone: "«айфон, iphone, яблокофон»"}

    delete_synonyms(phone, actor=MARINA)

    assert database["search_synonyms"].count_documents({}) == 0
    assert [(each["action"], each["target"]) for each in database["audit"].find().sort("_id", 1)] == [
        ("synonyms.added", f"synonyms:{phone}"),
        ("synonyms.changed", f"synonyms:{phone}"),
        ("synonyms.deleted", f"synonyms:{phone}"),
    ]
    add(["iphone", "айфон"])


@pytest.mark.parametrize(
    ("words", "codes"),
    [
        ([], ["INVALID"]),
        (["айпад"], ["INVALID"]),
        (["айпад", "  "], ["REQUIRED"]),
        (["айпад", "ip\x07ad"], ["INVALID"]),
        (["айпад", "x" * 61], ["INVALID"]),
        (["айпад", "!!!"], ["INVALID"]),
        (["айпад", "и на"], ["INVALID"]),
        (["айпад", "Айпады"], ["INVALID"]),
        (["айпад", "самый лучший новый планшет"], ["INVALID"]),
        ([str(number) for number in range(MAX_WORDS + 1)], ["INVALID"]),
        (["айпад", "iphone"], ["CONFLICT"]),
        (["айпад", "айфоны"], ["CONFLICT"]),
    ],
)
def test_refused_words_say_why_and_nothing_changes(
    database: Database[Document], phone: str, words: list[str], codes: list[str]
) -> None:
    before = stored(database)

    assert raised(lambda: add(words)) == [(code, ("words",)) for code in codes]

    assert stored(database) == before


@pytest.mark.parametrize(
    ("action", "reasons"),
    [
        (lambda _: edit("gone", ["a1", "b1"]), [("NOT_FOUND", ())]),
        (lambda _: delete_synonyms("gone", actor=MARINA), [("NOT_FOUND", ())]),
        (lambda phone: edit(phone, ["a1", "b1"], seen=["айфон"]), [("CONFLICT", ("words",))]),
    ],
)
def test_refused_edit_says_why_and_nothing_changes(
    database: Database[Document], phone: str, action: Callable[[str], object], reasons: list[tuple[str, object]]
) -> None:
    before = stored(database)

    assert raised(lambda: action(phone)) == reasons

    assert stored(database) == before


def test_there_is_an_end_to_groups(database: Database[Document], phone: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(synonyms, "MAX_GROUPS", 1)

    assert raised(lambda: add(["айпад", "ipad"])) == [("INVALID", ("words",))]

    assert database["search_synonyms"].count_documents({}) == 1


def test_of_two_who_group_the_same_word_one_is_told(database: Database[Document]) -> None:
    answers = at_once(
        partial(add_synonyms, ["айпад", "ipad"], actor=MARINA), partial(add_synonyms, ["ipad", "планшет"], actor=PETER)
    )

    (refusal,) = [answer for answer in answers if isinstance(answer, DomainError)]
    (group,) = database["search_synonyms"].find()
    assert refusal.message("en") == f'One of the words is in another group: "{group["title"]}". Add the others there.'
    assert database["audit"].count_documents({}) == 1


def test_of_two_who_edit_the_same_group_one_is_told(database: Database[Document], phone: str) -> None:
    seen = ["айфон", "iphone"]

    answers = at_once(
        partial(edit_synonyms, phone, [*seen, "эпл"], actor=MARINA, seen=seen),
        partial(edit_synonyms, phone, [*seen, "яблоко"], actor=PETER, seen=seen),
    )

    (refusal,) = [answer for answer in answers if isinstance(answer, DomainError)]
    assert refusal.code.value == "CONFLICT"
    assert database["audit"].count_documents({"action": "synonyms.changed"}) == 1


def test_words_stand_by_commas_or_one_a_line() -> None:
    assert words_typed(" айфон,iphone ;\r\n яблочный   телефон\n\n,") == ["айфон", "iphone", "яблочный телефон"]
