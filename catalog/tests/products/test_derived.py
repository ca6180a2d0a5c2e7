"""Derived fields: pure functions of a document, and the same in Python and in an update."""

from decimal import Decimal

import pytest
from bson import Decimal128
from hypothesis import given
from hypothesis import strategies as st

from catalog.products.derived import (
    BY_STOCK,
    DEFAULT_LOW_AT,
    MAX_TERMS,
    available_geozones,
    derived_fields,
    effective_price,
    facets_of,
    shelf_of,
    sort_name,
    terms_of,
)
from gateway.mongo.client import Document, database


@pytest.mark.parametrize(("sale", "price"), [(None, "100"), ("80", "80"), ("120", "100"), ("0", "0")])
def test_effective_price_is_the_lower_of_base_and_sale(sale: str | None, price: str) -> None:
    assert effective_price(Decimal(100), None if sale is None else Decimal(sale)) == Decimal(price)


def test_terms_hold_the_id_the_name_marked_and_plain_and_the_description() -> None:
    terms = terms_of("PROD-7", "Смартфоны iPhone15", "С новыми камерами")

    assert terms == [
        *("prod-7", "n:prod-7", "7"),
        *("n:смартфон", "n:iphon", "n:15", "смартфон", "iphon", "15"),
        *("нов", "камер"),
    ]


def test_terms_are_bounded_and_the_name_comes_first() -> None:
    terms = terms_of("P-1", "Чехол", " ".join(f"w{number}" for number in range(1000)))

    assert len(terms) == MAX_TERMS
    assert "n:чехол" in terms


def test_names_are_ordered_without_case_and_with_yo_as_people_expect() -> None:
    assert sorted(["Жук", "ёлка", "Ель", "apple", "Banana"], key=sort_name) == ["apple", "Banana", "ёлка", "Ель", "Жук"]


def test_all_derived_fields_as_stored() -> None:
    document = {
        "_id": "P-1",
        "name": "Чехол",
        "prices": {"base": Decimal128("100.00"), "sale": Decimal128("90.00")},
        "stock": [{"geozone": "msk", "quantity": 1, "reserved": 1}, {"geozone": "spb", "quantity": 1, "reserved": 0}],
        "attributes": {"Цвет": "чёрный"},
        "images": [{"url": f"/media/pictures/ab/{'ab' * 20}.webp", "alt": ""}, {"url": "/images/P-1.svg", "alt": ""}],
    }

    assert derived_fields(document) == {
        "price": Decimal128("90.00"),
        "discount": 10,
        "sort_name": "чехол",
        "available_in": ["spb"],
        "shelf": ["msk:none", "spb:low"],
        "facets": ["Цвет=чёрный"],
        "terms": ["p-1", "n:p-1", "1", "n:чехол", "чехол"],
        "missing": ["description"],
        "pictures": ["ab" * 20],
    }


def test_facets_are_name_and_value() -> None:
    assert facets_of({"Память": "256 ГБ", "Цвет": "белый"}) == ["Память=256 ГБ", "Цвет=белый"]


stock_levels = st.lists(
    st.fixed_dictionaries(
        {"geozone": st.sampled_from(["msk", "spb", "ekb", "kzn", "nsk"]), "quantity": st.integers(0, 3)},
        optional={"reserved": st.integers(0, 3)},
    ),
    max_size=5,
    unique_by=lambda level: level["geozone"],
)


def test_shelf_tells_what_is_gone_and_what_runs_low() -> None:
    stock = [
        {"geozone": "msk", "quantity": 3, "reserved": 3},
        {"geozone": "spb", "quantity": 5, "reserved": 2},
        {"geozone": "ekb", "quantity": 5, "reserved": 1},
    ]

    assert shelf_of(stock, 3) == ["msk:none", "spb:low"]
    assert shelf_of(stock, 0) == ["msk:none"]
    assert shelf_of(stock, 4) == ["msk:none", "spb:low", "ekb:low"]


@given(stocks=st.lists(st.tuples(stock_levels, st.integers(0, 3) | st.none()), min_size=1, max_size=20))
def test_update_expressions_agree_with_the_functions(
    cluster: None, stocks: list[tuple[list[Document], int | None]]
) -> None:
    products = [{"stock": stock, **({} if low_at is None else {"low_at": low_at})} for stock, low_at in stocks]

    rows = list(database().aggregate([{"$documents": products}, {"$set": BY_STOCK}]))

    assert [row["available_in"] for row in rows] == [available_geozones(stock) for stock, _ in stocks]
    assert [row["shelf"] for row in rows] == [
        shelf_of(stock, DEFAULT_LOW_AT if low_at is None else low_at) for stock, low_at in stocks
    ]
