"""A cart as it is shown: today's prices, and what the buyer should know."""

import asyncio
from decimal import Decimal

import pytest
from pymongo.database import Database

from cart.lines import clear
from cart.reading import Notice, PricedCart, active_cart, priced
from cart.tests.shop import CUSTOMER, GUEST, fill, sell
from catalog.products.upsert import upsert_product
from catalog.stock.adjust import adjust_stock
from catalog.tests.shop import MARINA, draft
from gateway.mongo.client import Document, close_async_client
from gateway.mongo.commands import COMMANDS, Sent
from gateway.mongo.reads import run, run_async, run_steps, run_steps_async

pytestmark = pytest.mark.usefixtures("stocked")


def shown(owner: str = GUEST) -> PricedCart:
    cart = run(active_cart(owner))
    assert cart is not None
    return run_steps(priced(cart))


def told(cart: PricedCart) -> list[tuple[Notice, str, str]]:
    return [(warning.notice, warning.product_id, warning.message("ru")) for warning in cart.warnings]


def test_lines_and_totals_are_exact() -> None:
    fill(GUEST, ("PROD-1", 3), ("PROD-2", 1))

    cart = shown()

    assert [(line.name, line.quantity, line.unit_price, line.price_seen, line.total) for line in cart.lines] == [
        ("Наушники Тишина", 3, Decimal("3990.00"), Decimal("3990.00"), Decimal("11970.00")),
        ("Телевизор Окно", 1, Decimal("49990.00"), Decimal("49990.00"), Decimal("49990.00")),
    ]
    assert (cart.total_quantity, cart.subtotal, cart.warnings) == (4, Decimal("61960.00"), ())
    assert [line.product and line.product["_id"] for line in cart.lines] == ["PROD-1", "PROD-2"]


def test_owner_without_a_cart_has_none() -> None:
    fill(GUEST, ("PROD-1", 1))

    assert run(active_cart(CUSTOMER)) is None


def test_changed_price_is_paid_and_told() -> None:
    fill(GUEST, ("PROD-1", 2))
    sell("PROD-1", Decimal("4490.50"))

    cart = shown()

    assert (cart.lines[0].unit_price, cart.lines[0].price_seen) == (Decimal("4490.50"), Decimal("3990.00"))
    assert cart.subtotal == Decimal("8981.00")
    assert told(cart) == [
        (Notice.PRICE_CHANGED, "PROD-1", "Цена «Наушники Тишина» изменилась: была 3 990,00 ₽, стала 4 490,50 ₽.")
    ]
    assert cart.warnings[0].message("en") == 'The price of "Наушники Тишина" changed from 3,990.00 RUB to 4,490.50 RUB.'


def test_more_than_the_geozone_has_is_told() -> None:
    fill(GUEST, ("PROD-1", 10), ("PROD-2", 3), ("PROD-3", 1), geozone="msk")

    assert told(shown()) == [
        (Notice.LOW_STOCK, "PROD-2", "«Телевизор Окно»: в корзине 3, а в наличии 2."),
        (Notice.LOW_STOCK, "PROD-3", "«Колонка Эхо» сейчас нет в наличии."),
    ]


def test_reserved_pieces_are_not_available(stocked: Database[Document]) -> None:
    fill(GUEST, ("PROD-1", 10), geozone="msk")
    stocked["products"].update_one({"category": "audio", "_id": "PROD-1"}, {"$set": {"stock.0.reserved": 4}})

    assert told(shown()) == [(Notice.LOW_STOCK, "PROD-1", "«Наушники Тишина»: в корзине 10, а в наличии 6.")]


def test_stock_of_another_geozone_does_not_count() -> None:
    fill(GUEST, ("PROD-1", 1), geozone="spb")
    assert [notice for notice, _, _ in told(shown())] == [Notice.LOW_STOCK]

    adjust_stock("PROD-1", "spb", quantity=1, reason="поставка", actor=MARINA)

    assert told(shown()) == []


def test_without_a_geozone_nothing_is_said_of_stock() -> None:
    fill(GUEST, ("PROD-2", 999))

    assert told(shown()) == []


def test_withdrawn_and_vanished_products_keep_name_and_price(stocked: Database[Document]) -> None:
    fill(GUEST, ("PROD-1", 2), ("PROD-3", 1), geozone="msk")
    sell("PROD-1", Decimal("9990.00"), withdrawn=True)
    stocked["products"].delete_one({"category": "audio", "_id": "PROD-3"})

    cart = shown()

    assert [(line.name, line.product, line.unit_price) for line in cart.lines] == [
        ("Наушники Тишина", None, Decimal("3990.00")),
        ("Колонка Эхо", None, Decimal("1990.00")),
    ]
    assert told(cart) == [
        (Notice.PRODUCT_WITHDRAWN, "PROD-1", "«Наушники Тишина» больше не продаётся."),
        (Notice.PRODUCT_WITHDRAWN, "PROD-3", "«Колонка Эхо» больше не продаётся."),
    ]


def test_product_that_moved_is_still_shown() -> None:
    fill(GUEST, ("PROD-1", 2))
    upsert_product(draft(name="Наушники Шум", category="video", stock=None), actor=MARINA)

    (line,) = shown().lines

    assert line.name == "Наушники Шум"
    assert line.product is not None
    assert line.product["category"] == "video"


def test_empty_cart_costs_nothing_and_asks_for_no_products() -> None:
    fill(GUEST, ("PROD-1", 2))
    cart = clear(GUEST)
    assert cart is not None

    with COMMANDS.counted() as sent:
        empty = run_steps(priced(cart))

    assert (empty.lines, empty.total_quantity, empty.subtotal, empty.warnings) == ((), 0, Decimal("0.00"), ())
    assert sent == {}


def test_cart_is_read_on_the_primary_of_one_shard_and_its_products_by_one_command() -> None:
    fill(GUEST, ("PROD-1", 2), ("PROD-2", 1), ("PROD-3", 1))

    with COMMANDS.counted() as sent:
        shown()

    assert sent == {Sent("find", "carts", "carts.active", 1): 1, Sent("find", "products", "stock.check", 2): 1}


def test_asynchronous_read_sees_the_same() -> None:
    fill(GUEST, ("PROD-1", 2), ("PROD-2", 5), geozone="msk")

    async def read() -> PricedCart:
        try:
            cart = await run_async(active_cart(GUEST))
            assert cart is not None
            return await run_steps_async(priced(cart))
        finally:
            await close_async_client()

    assert asyncio.run(read()) == shown()
