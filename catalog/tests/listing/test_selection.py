"""Selections: the parameters of the list as products, category by category, for changes and exports."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from catalog.listing.selection import Selection, categories_of, count, keys_after
from catalog.products.cards import ProductKey
from catalog.tests.listing.shop import LEAVES
from gateway.domain.errors import DomainError
from gateway.mongo.client import Document, database
from gateway.mongo.commands import COMMANDS


def walked(selection: Selection, limit: int = 400) -> list[list[ProductKey]]:
    found: list[list[ProductKey]] = []
    after = None
    while keys := keys_after(selection, after, limit):
        found.append(keys)
        after = keys[-1]
    return found


def keys(documents: list[Document], meets: Any) -> list[ProductKey]:
    return sorted(ProductKey(each["category"], each["_id"]) for each in documents if meets(each))


CASES: dict[str, tuple[dict[str, str], str, Any]] = {
    "everything": ({}, "", lambda p: True),
    "branch": ({"category": "phones"}, "", lambda p: p["category"] in ("smartphones", "keypad-phones")),
    "missing": ({"missing": "image", "state": "on_sale"}, "", lambda p: not p["images"] and not p["withdrawn"]),
    "discount": (
        {"discount": "10", "price_to": "9 000,00"},
        "",
        lambda p: p["discount"] >= 10 and p["price"].to_decimal() <= 9000,
    ),
    "attribute": (
        {"attribute": "Цвет=белый", "stock": "msk:some"},
        "",
        lambda p: p["attributes"]["Цвет"] == "белый" and "msk" in p["available_in"],
    ),
    "one": ({}, "prod-000017", lambda p: p["_id"] == "PROD-000017"),
    "nothing": ({}, "и", lambda p: False),
}


@pytest.mark.parametrize("name", CASES)
def test_selection_walks_each_product_once_by_category_and_id(documents: list[Document], name: str) -> None:
    filters, search, meets = CASES[name]
    selection = Selection(filters=filters, search=search)
    expected = keys(documents, meets)

    found = walked(selection)

    assert [key for part in found for key in part] == expected
    assert all(len(part) <= 400 and len({key.category for key in part}) == 1 for part in found)
    assert count(selection) == len(expected)


def test_words_select_what_the_search_finds(documents: list[Document]) -> None:
    found = [key for part in walked(Selection(search="шзрщту белый")) for key in part]

    assert found == sorted(found)
    assert found == keys(documents, lambda p: {"iphon", "бел"} <= set(p["terms"]))


def test_selection_by_ids_reads_the_directory_alone(documents: list[Document]) -> None:
    ids = tuple(f"PROD-{number:06}" for number in range(20))
    selection = Selection(ids=(*ids, "PROD-NONE"))
    expected = keys(documents, lambda p: p["_id"] in ids)

    with COMMANDS.counted() as sent:
        found = walked(selection, limit=3)

    assert [key for part in found for key in part] == expected
    assert {name.collection for name in sent} == {"product_directory"}
    assert count(selection) == 20
    assert categories_of(selection) == tuple(sorted({key.category for key in expected}))


def test_product_that_leaves_the_filter_on_the_way_costs_no_other(documents: list[Document]) -> None:
    selection = Selection(filters={"missing": "image", "category": "smartphones"})
    expected = keys(documents, lambda p: not p["images"] and p["category"] == "smartphones")
    first = keys_after(selection, None, 10)
    changed = [key.id for key in first]
    where = {"category": "smartphones", "_id": {"$in": changed}}

    database()["products"].update_many(where, {"$pull": {"missing": "image"}})
    try:
        rest = keys_after(selection, first[-1], 10_000)
    finally:
        database()["products"].update_many(where, {"$push": {"missing": "image"}})

    assert [*first, *rest] == expected


def test_categories_are_those_of_the_branch_or_any(documents: list[Document]) -> None:
    assert categories_of(Selection(filters={"category": "phones"})) == ("keypad-phones", "phones", "smartphones")
    assert categories_of(Selection(search="PROD-000001")) == (documents[1]["category"],)
    assert categories_of(Selection(filters={"discount": "10"})) is None
    assert {each["category"] for each in documents} == set(LEAVES)


def test_selection_survives_its_document() -> None:
    for selection in (Selection(ids=("a", "b")), Selection(filters={"missing": "image"}, search="чехол"), Selection()):
        assert Selection.from_document(selection.to_document()) == selection


def test_selection_in_an_address_is_kept_as_of_now(documents: list[Document]) -> None:
    query = {"q": " чехол ", "changed": "7d", "missing": "image", "o": "1", "p": "x"}

    selection = Selection.from_query(query)

    assert (selection.search, selection.filters["missing"]) == ("чехол", "image")
    assert set(selection.filters) == {"changed", "missing"}
    kept = datetime.fromisoformat(selection.filters["changed"])
    assert abs(kept - (datetime.now(UTC) - timedelta(days=7))) < timedelta(minutes=1)
    assert Selection.from_query(selection.filters) == Selection(filters=selection.filters)
    assert Selection.from_query({"ids": "PROD-1,,PROD-2,PROD-1"}) == Selection(ids=("PROD-1", "PROD-2"))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("category", "nowhere"),
        ("state", "x"),
        ("price_from", "дорого"),
        ("price_to", "-5"),
        ("discount", "0"),
        ("discount", "101"),
        ("stock", "msk"),
        ("stock", "msk:plenty"),
        ("attribute", "Цвет"),
        ("attribute", "=белый"),
        ("missing", "price"),
        ("changed", "вчера"),
        ("changed", "2026-02-30"),
    ],
)
def test_what_is_no_filter_selects_nothing_and_is_named(documents: list[Document], name: str, value: str) -> None:
    with pytest.raises(DomainError) as refusal:
        Selection.from_query({name: value})

    (reason,) = refusal.value
    assert reason.path == (name,)
    assert value in reason.message("ru")
    with pytest.raises(DomainError):
        keys_after(Selection(filters={name: value}), None, 10)
