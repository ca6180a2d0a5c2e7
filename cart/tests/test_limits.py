"""What is refused, in full and by name, with nothing changed."""

from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any

import pytest
from pymongo.database import Database

from cart.line_checks import MAX_LINES, LineWanted
from cart.lines import add_lines, remove_lines, set_lines
from cart.tests.shop import GUEST, carts, fill, line, quantities, sell, sell_many
from catalog.tests.shop import raised
from gateway.domain.errors import DomainError
from gateway.mongo.client import Document

NO_PRODUCT = LineWanted(None, 1)
Reasons = list[tuple[str, tuple[str | int, ...]]]


def messages(action: Callable[[], object], language: Any = "ru") -> list[str]:
    with pytest.raises(DomainError) as refusal:
        action()
    return [reason.message(language) for reason in refusal.value]


@pytest.mark.parametrize(
    ("action", "lines", "geozone", "reasons"),
    [
        (add_lines, [], None, [("REQUIRED", ("lines",))]),
        (set_lines, [], None, [("REQUIRED", ("lines",))]),
        (add_lines, [line("PROD-1", 0)], None, [("QUANTITY_LIMIT", ("lines", 0, "quantity"))]),
        (add_lines, [line("PROD-1", -1)], None, [("QUANTITY_LIMIT", ("lines", 0, "quantity"))]),
        (add_lines, [line("PROD-1", 1000)], None, [("QUANTITY_LIMIT", ("lines", 0, "quantity"))]),
        (set_lines, [line("PROD-1", -1)], None, [("QUANTITY_LIMIT", ("lines", 0, "quantity"))]),
        (set_lines, [line("PROD-1", 1000)], None, [("QUANTITY_LIMIT", ("lines", 0, "quantity"))]),
        (add_lines, [line("PROD-1", 998)], None, [("QUANTITY_LIMIT", ("lines", 0, "quantity"))]),
        (add_lines, [line("PROD-2", 500), line("PROD-2", 500)], None, [("QUANTITY_LIMIT", ("lines", 1, "quantity"))]),
        (add_lines, [line("PROD-2"), line("PROD-404")], None, [("NOT_FOUND", ("lines", 1, "product"))]),
        (set_lines, [line("PROD-404", 2)], None, [("NOT_FOUND", ("lines", 0, "product"))]),
        (add_lines, [NO_PRODUCT], None, [("NOT_FOUND", ("lines", 0, "product"))]),
        (set_lines, [LineWanted(None, 0)], None, [("NOT_FOUND", ("lines", 0, "product"))]),
        (add_lines, [line("PROD-3")], None, [("PRODUCT_WITHDRAWN", ("lines", 0, "product"))]),
        (set_lines, [line("PROD-2"), line("PROD-3")], None, [("PRODUCT_WITHDRAWN", ("lines", 1, "product"))]),
        (set_lines, [line("PROD-2", 1), line("PROD-2", 0)], None, [("INVALID", ("lines", 1, "product"))]),
        (add_lines, [line("PROD-2")], "mars", [("NOT_FOUND", ("geozone",))]),
        (add_lines, [line("PROD-2")], "$geozone", [("NOT_FOUND", ("geozone",))]),
        (set_lines, [line("PROD-2")], "\ud800", [("NOT_FOUND", ("geozone",))]),
        (
            add_lines,
            [line("PROD-404", 0), NO_PRODUCT, line("PROD-3"), line("PROD-2")],
            "mars",
            [
                ("NOT_FOUND", ("lines", 0, "product")),
                ("QUANTITY_LIMIT", ("lines", 0, "quantity")),
                ("NOT_FOUND", ("lines", 1, "product")),
                ("PRODUCT_WITHDRAWN", ("lines", 2, "product")),
                ("NOT_FOUND", ("geozone",)),
            ],
        ),
    ],
)
def test_refusal_names_every_reason_and_nothing_changes(
    stocked: Database[Document],
    action: Callable[..., object],
    lines: Sequence[LineWanted],
    geozone: str | None,
    reasons: Reasons,
) -> None:
    fill(GUEST, ("PROD-1", 2))
    sell("PROD-3", Decimal("1990.00"), withdrawn=True)
    before = carts(stocked)

    assert raised(lambda: action(GUEST, lines, geozone)) == reasons

    assert carts(stocked) == before


def test_refused_first_line_makes_no_cart(stocked: Database[Document]) -> None:
    raised(lambda: add_lines(GUEST, [line("PROD-1"), line("PROD-404")]))

    assert carts(stocked) == []


def test_texts_name_the_product(stocked: Database[Document]) -> None:
    fill(GUEST, ("PROD-1", 2))
    sell("PROD-3", Decimal("1990.00"), withdrawn=True)

    refused = [line("PROD-3"), line("PROD-404"), line("PROD-2", 1000)]

    assert messages(lambda: add_lines(GUEST, refused)) == [
        "«Колонка Эхо» больше не продаётся.",
        "Товара PROD-404 нет.",
        "«Телевизор Окно»: количество — от 1 до 999, а не 1000.",
    ]
    assert messages(lambda: add_lines(GUEST, refused), "en") == [
        '"Колонка Эхо" is no longer sold.',
        "There is no product PROD-404.",
        '"Телевизор Окно": a quantity is between 1 and 999, not 1000.',
    ]
    assert messages(lambda: add_lines(GUEST, [line("PROD-1", 998)])) == [
        "«Наушники Тишина»: количество — от 1 до 999, а не 1000."
    ]
    assert messages(lambda: set_lines(GUEST, [line("PROD-1", 2), line("PROD-1", 3)])) == [
        "«Наушники Тишина» указано дважды: какое количество верно?"
    ]


def test_largest_quantity_and_the_hundredth_line_fit(stocked: Database[Document]) -> None:
    ids = sell_many(stocked, MAX_LINES)

    after = add_lines(GUEST, [line(each, 500) for each in ids]).cart
    assert add_lines(GUEST, [line(ids[0], 499)]).cart is not None
    set_lines(GUEST, [line(ids[1], 999)])

    assert len(quantities(after)) == MAX_LINES
    (cart,) = carts(stocked)
    assert quantities(cart)[:3] == [(ids[0], 999), (ids[1], 999), (ids[2], 500)]


@pytest.mark.parametrize("action", [add_lines, set_lines])
def test_line_beyond_the_hundredth_is_named_and_nothing_changes(
    stocked: Database[Document], action: Callable[..., object]
) -> None:
    ids = sell_many(stocked, MAX_LINES - 1)
    add_lines(GUEST, [line(each) for each in ids])
    before = carts(stocked)
    wanted = [line(ids[0], 7), line("PROD-1"), line("PROD-2")]

    assert raised(lambda: action(GUEST, wanted)) == [("CART_LIMIT", ("lines", 2))]
    assert messages(lambda: action(GUEST, wanted)) == [
        "В корзине не больше 100 разных товаров: «Телевизор Окно» уже не поместится."
    ]
    assert carts(stocked) == before


def test_more_lines_than_a_cart_holds_make_none(stocked: Database[Document]) -> None:
    ids = sell_many(stocked, MAX_LINES + 1)

    assert raised(lambda: add_lines(GUEST, [line(each) for each in ids])) == [("CART_LIMIT", ("lines", MAX_LINES))]
    assert carts(stocked) == []


def test_full_cart_takes_a_product_in_exchange_for_another(stocked: Database[Document]) -> None:
    ids = sell_many(stocked, MAX_LINES)
    add_lines(GUEST, [line(each) for each in ids])

    after = set_lines(GUEST, [line(ids[0], 0), line("PROD-1")])

    assert quantities(after) == [*((each, 1) for each in ids[1:]), ("PROD-1", 1)]


def test_removing_nothing_in_particular_is_refused(stocked: Database[Document]) -> None:
    fill(GUEST, ("PROD-1", 2))
    before = carts(stocked)

    assert raised(lambda: remove_lines(GUEST, [])) == [("REQUIRED", ("products",))]
    assert carts(stocked) == before


def test_names_that_look_like_operators_stay_text(stocked: Database[Document]) -> None:
    stocked["products"].update_one({"category": "audio", "_id": "PROD-1"}, {"$set": {"name": "$items"}})

    fill(GUEST, ("PROD-1", 1))
    fill(GUEST, ("PROD-1", 1))
    remove_lines(GUEST, ["$items.product_id"])

    (cart,) = carts(stocked)
    assert [(item["name"], item["quantity"]) for item in cart["items"]] == [("$items", 2)]
