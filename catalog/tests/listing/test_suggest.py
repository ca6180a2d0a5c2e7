"""What is suggested while somebody types."""

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from catalog.search import alternatives
from catalog.search.vocabulary import memory
from catalog.search.vocabulary.census import count_vocabulary
from catalog.structure.category_tree import CATEGORIES
from catalog.tests.listing.questions import ask
from gateway.mongo.client import Document, database
from gateway.mongo.commands import COMMANDS
from gateway.mongo.policies import STAFF_LIST

SUGGEST = """query ($typed: String!, $geozone: String, $first: Int! = 6) {
  suggest(query: $typed, geozone: $geozone, first: $first) {
    queries categories { slug } products { productId name stock { geozone available } }
  }
}"""
NOTHING: dict[str, list[Any]] = {"queries": [], "categories": [], "products": []}


@pytest.fixture(scope="module", autouse=True)
def counted(documents: list[Document]) -> Iterator[None]:
    """The words of the shop, in this process."""
    count_vocabulary(CATEGORIES.get().names_shown, policy=STAFF_LIST)
    memory.REMEMBERED.forget()
    alternatives.REMEMBERED.forget()
    asyncio.run(memory.current())
    yield
    database()["search_vocabulary"].delete_many({})
    memory.REMEMBERED.forget()


def suggested(query: str, **variables: Any) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = ask(SUGGEST, typed=query, **variables).data["suggest"]
    return found


@pytest.mark.parametrize(
    ("typed", "query"),
    [
        ("sams", "samsung"),
        ("SAMSUNG", "samsung"),
        ("ыфьы", "samsung"),  # the wrong layout
        ("iph", "iphone"),
        ("sasm", "samsung"),  # two letters exchanged
        ("колон", "колонка"),
        ("xiao", "xiaomi"),
        ("нокиа", "nokia"),
        ("самс", "самсунг"),
    ],
)
def test_beginning_is_completed_in_any_layout_and_alphabet(typed: str, query: str) -> None:
    assert suggested(typed)["queries"][0] == query


def test_products_are_those_of_the_first_completion_and_their_names_follow() -> None:
    found = suggested("sams", first=4)

    assert len(found["products"]) == 4
    assert all({"Samsung", "Самсунг"} & set(product["name"].split()) for product in found["products"])
    assert found["queries"] == ["samsung", *(product["name"] for product in found["products"])][:4]


def test_last_of_several_words_is_completed_where_a_product_has_them_all() -> None:
    found = suggested("смартфон xia", first=3)

    assert found["queries"][0] == "смартфон xiaomi"
    assert {("Смартфон Xiaomi" in product["name"]) for product in found["products"]} == {True}
    assert suggested("скоро xiao")["queries"] == []


def test_geozone_that_there_is_not_is_told() -> None:
    answer = ask(SUGGEST, typed="sams", geozone="none")

    assert answer.messages == [("BAD_USER_INPUT", "Геозоны «none» нет.")]


def test_categories_are_those_whose_name_is_typed() -> None:
    assert [each["slug"] for each in suggested("науш")["categories"]] == [
        "headphones",
        "wireless-headphones",
        "wired-headphones",
    ]
    assert [each["slug"] for each in suggested("кнопоч")["categories"]] == ["keypad-phones"]


def test_products_can_be_bought_in_the_geozone_asked_for() -> None:
    products = suggested("смартфон", geozone="spb", first=10)["products"]

    assert len(products) == 10
    for product in products:
        assert {each["geozone"]: each["available"] for each in product["stock"]}["spb"] > 0


@pytest.mark.parametrize("typed", ["", "   ", "!!!", "и на", "абракадабра"])
def test_what_begins_nothing_suggests_nothing_and_reads_nothing(typed: str) -> None:
    with COMMANDS.counted() as sent:
        assert suggested(typed) == NOTHING

    assert sent == {}


def test_withdrawn_and_hidden_products_are_not_suggested(documents: list[Document]) -> None:
    withdrawn = {each["_id"] for each in documents if each["withdrawn"]}

    shown = {product["productId"] for typed in ("sam", "нок", "rea") for product in suggested(typed)["products"]}

    assert shown
    assert not shown & withdrawn


def test_keystroke_is_one_page_of_products() -> None:
    suggested("sams")

    with COMMANDS.counted() as sent:
        suggested("sams")

    assert {kind.collection for kind in sent} == {"products"}
    assert sum(sent.values()) <= 3


@pytest.mark.parametrize("first", [0, -1, 11, 10**9])
def test_bad_first_is_told(first: int) -> None:
    assert ask(SUGGEST, typed="sams", first=first).messages == [("BAD_USER_INPUT", f"first: от 1 до 10, а не {first}.")]


def test_too_long_query_is_told() -> None:
    assert ask(SUGGEST, typed="x" * 201).messages == [("BAD_USER_INPUT", "Запрос длиннее 200 знаков.")]
