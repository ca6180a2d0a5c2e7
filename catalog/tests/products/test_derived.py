"""Derived fields: pure functions of a document, and the same in Python and in an update."""

from datetime import UTC, datetime
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
    standing_of,
    terms_of,
)
from gateway.mongo.client import Document, database


@pytest.mark.parametrize(("sale", "price"), [(None, "100"), ("80", "80"), ("120", "100"), ("0", "0")])
def test_effective_price_is_the_lower_of_base_and_sale(sale: str | None, price: str) -> None:
    assert effective_price(Decimal(100), None if sale is None else Decimal(sale)) == Decimal(price)


def test_terms_hold_the_id_the_category_the_name_marked_and_plain_and_the_description() -> None:
    terms = terms_of("PROD-7", "smartphones", "Смартфоны iPhone15", "С новыми камерами")

    assert terms == [
        *("prod-7", "n:prod-7", "c:smartphones", "7"),
        *("n:смартфн", "n:iphon", "n:15", "смартфн", "iphon", "15", "iphon15"),
        *("нов", "камр"),
    ]


def test_what_a_product_is_for_is_not_what_it_is() -> None:
    terms = terms_of("P-1", "phone-cases", "Чехол Deppa Gel для iPhone 15, силикон", attributes={"Бренд": "Deppa"})

    marked = {term.removeprefix("n:") for term in terms if term.startswith("n:")}
    assert marked == {"p-1", "чехл", "deppa", "gel", "силикн"}
    assert {"iphon", "15"} <= set(terms)


def test_attributes_are_told_by_their_values_and_by_their_names() -> None:
    attributes = {"Диагональ": "6.7″", "NFC": "есть", "MagSafe": "нет"}

    terms = terms_of("P-1", "smartphones", "Смартфон", attributes=attributes)

    assert terms[-4:] == ["6.7", "дюйм", "диагонал", "nfc"]


def test_number_and_the_letters_beside_it_are_a_term_of_their_own() -> None:
    terms = terms_of("P-1", "smartphones", "Смартфон Redmi 14C, 8 ГБ/256 ГБ", attributes={"Экран": "6 дюймов"})

    assert {"redmi14", "14c", "8гб", "256гб"} <= set(terms)
    assert not {"c8", "гб256", "6дюйм"} & set(terms)


def test_standing_is_what_is_bought_then_what_is_new() -> None:
    old, new = datetime(2020, 1, 1, tzinfo=UTC), datetime(2026, 1, 1)  # noqa: DTZ001 - as the ORM gives it
    ordered = [(0, old), (0, new), (1, old), (1, new), (5, old)]

    assert sorted(ordered, key=lambda each: standing_of(*each)) == ordered
    assert standing_of(0, new) == standing_of(0, new.replace(tzinfo=UTC))


def test_terms_are_bounded_and_the_name_comes_first() -> None:
    terms = terms_of("P-1", "phone-cases", "Чехол", " ".join(f"w{number}" for number in range(1000)))

    assert len(terms) == MAX_TERMS
    assert "n:чехл" in terms


def test_names_are_ordered_without_case_and_with_yo_as_people_expect() -> None:
    assert sorted(["Жук", "ёлка", "Ель", "apple", "Banana"], key=sort_name) == ["apple", "Banana", "ёлка", "Ель", "Жук"]


def test_all_derived_fields_as_stored() -> None:
    document = {
        "_id": "P-1",
        "category": "phone-cases",
        "name": "Чехол для iPhone",
        "created_at": datetime(2026, 1, 1, tzinfo=UTC),
        "prices": {"base": Decimal128("100.00"), "sale": Decimal128("90.00")},
        "stock": [{"geozone": "msk", "quantity": 1, "reserved": 1}, {"geozone": "spb", "quantity": 1, "reserved": 0}],
        "attributes": {"Цвет": "чёрный"},
        "images": [{"url": f"/media/pictures/ab/{'ab' * 20}.webp", "alt": ""}, {"url": "/images/P-1.svg", "alt": ""}],
    }

    assert derived_fields(document) == {
        "price": Decimal128("90.00"),
        "discount": 10,
        "sort_name": "чехол для iphone",
        "available_in": ["spb"],
        "shelf": ["msk:none", "spb:low"],
        "facets": ["Цвет=чёрный"],
        "terms": ["p-1", "n:p-1", "c:phone-cases", "1", "n:чехл", "чехл", "iphon", "черн", "цвт"],
        "standing": 1_767_225_600_000,
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
