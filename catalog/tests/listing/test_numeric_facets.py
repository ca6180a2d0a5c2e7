"""Facets as they were declared for the category, ranges of numbers, discounts and categories of what was found."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from catalog.listing.facets import categories_found
from catalog.listing.filters import Wanted
from catalog.structure.category_tree import CATEGORIES
from catalog.tests.listing import brute_force
from catalog.tests.listing.questions import ask
from catalog.tests.listing.wishes import EVERY_CATEGORY, LISTED
from gateway.mongo.client import Document, database
from gateway.mongo.reads import run
from gateway.redis.clients import cache_client

FACETS = """query ($filter: ProductFilter!) { products(filter: $filter, first: 0) {
  facets { name unit min max values { value count } } } }"""
COUNT = "query ($filter: ProductFilter!) { products(filter: $filter, first: 0) { totalCount } }"
CATEGORY_COUNTS = """query ($filter: ProductFilter!) { products(filter: $filter, first: 0) {
  categories { count category { slug name } } } }"""


def forget() -> None:
    CATEGORIES.forget()
    for key in cache_client().scan_iter("facets:*"):
        cache_client().delete(key)


@pytest.fixture(autouse=True)
def nothing_remembered(documents: list[Document]) -> Iterator[None]:
    forget()
    yield
    forget()


def attribute(name: str, type_: str = "text", **more: Any) -> Document:
    return {"name": name, "type": type_, "unit": "", "position": 100, "filterable": True, **more}


@pytest.fixture
def declared(documents: list[Document]) -> Iterator[None]:
    """Memory first and in gigabytes, colours in an order of their own, no filter by the guarantee."""
    database()["categories"].update_one(
        {"_id": "phones"}, {"$set": {"attributes": [attribute("Память", "number", unit="ГБ", position=1)]}}
    )
    own = [
        attribute("Цвет", "choice", position=2, options=["синий", "белый", "чёрный", "зелёный"]),
        attribute("Гарантия", filterable=False, position=3),
    ]
    database()["categories"].update_one({"_id": "smartphones"}, {"$set": {"attributes": own}})
    forget()
    yield
    database()["categories"].update_many({}, {"$unset": {"attributes": 1}})


def amount(document: Document) -> int:
    return int(document["attributes"]["Память"].split()[0])


def found(documents: list[Document], wanted: Wanted) -> list[Document]:
    return [each for each in documents if brute_force.matches(each, wanted)]


def test_declared_facets_come_first_in_their_order_with_units_and_values_in_theirs(
    documents: list[Document], declared: None
) -> None:
    memory, colour, *others = ask(FACETS, filter={"category": "smartphones"}).data["products"]["facets"]

    assert (memory["name"], memory["unit"], memory["min"], memory["max"]) == ("Память", "ГБ", "32.00", "512.00")
    assert [each["value"] for each in memory["values"]] == ["32 ГБ", "64 ГБ", "128 ГБ", "256 ГБ", "512 ГБ"]
    assert (colour["name"], colour["unit"], colour["min"]) == ("Цвет", None, None)
    assert [each["value"] for each in colour["values"]] == ["синий", "белый", "чёрный", "зелёный"]
    assert [each["name"] for each in others] == ["Бренд"]
    colours = Counter(each["attributes"]["Цвет"] for each in found(documents, LISTED["category"]))
    assert {each["value"]: each["count"] for each in colour["values"]} == colours


def test_facets_of_a_parent_are_in_the_order_declared_below_it(declared: None) -> None:
    above = ask(FACETS, filter={"category": "phones"}).data["products"]["facets"]
    everywhere = ask(FACETS, filter={}).data["products"]["facets"]

    assert [each["name"] for each in above] == ["Память", "Цвет", "Бренд"]
    assert [each["name"] for each in everywhere] == ["Память", "Цвет", "Бренд"]


def test_attribute_that_categories_declare_differently_is_no_number_above_them(declared: None) -> None:
    database()["categories"].update_one(
        {"_id": "audio"}, {"$set": {"attributes": [attribute("Память", "number", unit="МБ")]}}
    )
    forget()
    ranged = {"attributes": [{"name": "Память", "min": "100"}]}

    memory = ask(FACETS, filter={}).data["products"]["facets"][0]

    assert (memory["name"], memory["unit"], memory["min"]) == ("Память", None, None)
    assert ask(COUNT, filter=ranged).messages == [
        ("BAD_USER_INPUT", "Характеристика «Память» — не число: вместо min и max укажите values.")
    ]


def test_attribute_that_nobody_declared_is_numeric_when_all_its_values_are(documents: list[Document]) -> None:
    facets = {each["name"]: each for each in ask(FACETS, filter={"category": "speakers"}).data["products"]["facets"]}

    assert {name: (each["unit"], each["min"], each["max"]) for name, each in facets.items()} == {
        "Бренд": (None, None, None),
        "Цвет": (None, None, None),
        "Память": ("ГБ", "32.00", "512.00"),
        "Гарантия": ("год", "1.00", "1.00"),
    }


@pytest.mark.parametrize(
    ("given", "low", "high"),
    [
        ({"min": "64", "max": "256"}, 64, 256),
        ({"min": "65"}, 65, 10**6),
        ({"max": "128.5"}, 0, 128),
        ({"min": "64", "max": "64"}, 64, 64),
        ({"min": "1000"}, 1000, 10**6),
        ({"min": "64", "values": ["64 ГБ", "32 ГБ", "белый"]}, 64, 64),
    ],
)
@pytest.mark.parametrize("category", ["smartphones", "audio", None])
def test_range_finds_what_brute_force_finds(
    documents: list[Document], category: str | None, given: dict[str, Any], low: int, high: int
) -> None:
    tree = CATEGORIES.get()
    wanted = Wanted(categories=tree.within(category) if category else None, in_stock_in="msk")
    expected = [each for each in found(documents, wanted) if low <= amount(each) <= high]

    answer = ask(
        COUNT, filter={"category": category, "inStockIn": "msk", "attributes": [{"name": "Память", **given}]}
    ).data

    assert answer["products"]["totalCount"] == len(expected)


def test_range_of_what_has_no_numbers_finds_nothing(documents: list[Document]) -> None:
    for name in ("Бренд", "$where", "нет такой", ""):
        answer = ask(COUNT, filter={"category": "audio", "attributes": [{"name": name, "min": "0"}]})
        assert answer.data["products"]["totalCount"] == 0


def test_facet_ignores_its_own_range(documents: list[Document], declared: None) -> None:
    ranged = {"category": "smartphones", "attributes": [{"name": "Память", "min": "256"}]}
    memory, colour, *_ = ask(FACETS, filter=ranged).data["products"]["facets"]

    smartphones = found(documents, LISTED["category"])
    assert (memory["min"], memory["max"]) == ("32.00", "512.00")
    assert {each["value"]: each["count"] for each in memory["values"]} == Counter(
        each["attributes"]["Память"] for each in smartphones
    )
    assert {each["value"]: each["count"] for each in colour["values"]} == Counter(
        each["attributes"]["Цвет"] for each in smartphones if amount(each) >= 256
    )


def test_on_sale_is_what_costs_less_than_it_did(documents: list[Document]) -> None:
    query = """{ products(filter: {category: "smartphones", onSale: true}, first: 100) {
        totalCount nodes { price { amount } basePrice { amount } } }
      all: products(filter: {category: "smartphones", onSale: false}, first: 0) { totalCount } }"""

    answer = ask(query).data

    assert answer["products"]["totalCount"] == len(found(documents, LISTED["discounted"]))
    assert answer["all"]["totalCount"] == len(found(documents, LISTED["category"]))
    for node in answer["products"]["nodes"]:
        assert Decimal(node["price"]["amount"]) < Decimal(node["basePrice"]["amount"])


@pytest.mark.parametrize("name", [name for name, wanted in LISTED.items() if not wanted.impossible])
def test_categories_of_what_was_found_ignore_the_category_filter(documents: list[Document], name: str) -> None:
    counted = Counter(each["category"] for each in found(documents, replace(LISTED[name], categories=None)))

    (categories,) = run(categories_found(LISTED[name], every_category=EVERY_CATEGORY, hidden=()))

    assert [tuple(each) for each in categories.values] == sorted(
        counted.items(), key=lambda category: (-category[1], category[0])
    )


def test_categories_are_told_with_their_names_and_without_hidden_ones(documents: list[Document]) -> None:
    database()["categories"].update_one({"_id": "audio"}, {"$set": {"hidden": True}})
    forget()
    try:
        answer = ask(CATEGORY_COUNTS, filter={"category": "keypad-phones", "onSale": True}).data
        searched = ask(CATEGORY_COUNTS, filter={"search": "samsung"}).data
    finally:
        database()["categories"].update_one({"_id": "audio"}, {"$unset": {"hidden": 1}})

    counted = Counter(each["category"] for each in found(documents, Wanted(discounted=True)))
    assert answer["products"]["categories"] == [
        {"count": counted["smartphones"], "category": {"slug": "smartphones", "name": "Смартфоны"}},
        {"count": counted["keypad-phones"], "category": {"slug": "keypad-phones", "name": "Кнопочные телефоны"}},
    ]
    assert [each["category"]["slug"] for each in searched["products"]["categories"]] == ["smartphones", "keypad-phones"]


def test_search_without_words_has_no_categories() -> None:
    assert ask(CATEGORY_COUNTS, filter={"search": "!!!"}).data == {"products": {"categories": []}}
