"""A cart becomes an order: what is bought, what is refused, and once only."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from functools import partial
from typing import Any

import pytest
from bson import Decimal128
from pymongo.database import Database

from cart.tests.shop import CUSTOMER, GUEST, fill, sell
from catalog.products.upsert import upsert_product
from catalog.tests.shop import MARINA, draft, raised
from gateway import background
from gateway.domain.errors import Refused
from gateway.mongo.client import Document
from gateway.mongo.commands import COMMANDS, Sent
from gateway.redis.clients import redis_client
from gateway.tests.races import at_once, just_before
from ordering.checkout import holds
from ordering.checkout.checkout import Bought, check_out
from ordering.checkout.holds import resolve_old_holds, settle_queued
from ordering.numbers import NUMBERS, claim_number
from ordering.tests.shop import PURCHASE, assert_nothing_oversold, buy, buyer, purchase, reserved


def test_checkout_makes_an_order_of_the_cart_and_reserves_its_stock(orders: Database[Document]) -> None:
    cart = fill(CUSTOMER, ("PROD-1", 2), ("PROD-2", 1))

    order = buy(expected_total=Decimal("57970.00")).order

    settle_queued()
    stored = orders["orders"].find_one()
    assert stored is not None
    assert stored["_id"] == order["_id"]
    assert (stored["status"], stored["total"]) == ("new", Decimal128("57970.00"))
    assert [(item["product_id"], item["price"], item["quantity"]) for item in stored["items"]] == [
        ("PROD-1", Decimal128("3990.00"), 2),
        ("PROD-2", Decimal128("49990.00"), 1),
    ]
    assert stored["reserved_until"] - stored["created_at"] == timedelta(minutes=30)
    assert [event["type"] for event in stored["events"]] == ["created"]
    after = orders["carts"].find_one({"_id": cart["_id"]})
    assert after is not None
    assert (after["status"], after["order_id"]) == ("ordered", order["_id"])
    assert (reserved(orders, "PROD-1"), reserved(orders, "PROD-2")) == ((10, 2), (2, 1))
    assert_nothing_oversold(orders)


def test_second_checkout_of_the_same_cart_returns_the_same_order(orders: Database[Document]) -> None:
    fill(CUSTOMER, ("PROD-1", 2))
    first = buy().order

    again = buy()
    assert (again.order["_id"], again.replayed) == (first["_id"], True)
    assert orders["orders"].count_documents({}) == 1
    assert reserved(orders, "PROD-1") == (10, 2)


def test_empty_cart_is_refused(orders: Database[Document]) -> None:
    assert raised(buy) == [("CART_EMPTY", ())]
    fill(CUSTOMER, ("PROD-1", 1))
    orders["carts"].update_one({"owner": CUSTOMER}, {"$set": {"items": []}})
    assert raised(buy) == [("CART_EMPTY", ())]


def test_old_order_is_not_returned_for_an_empty_cart_and_other_input(orders: Database[Document]) -> None:
    fill(CUSTOMER, ("PROD-1", 1))
    old = buy().order
    yesterday = datetime.now(UTC) - timedelta(days=1)
    orders["orders"].update_one({"_id": old["_id"]}, {"$set": {"created_at": yesterday}})

    assert raised(lambda: buy(geozone="spb")) == [("CART_EMPTY", ())]
    assert buy().order["_id"] == old["_id"]


def test_higher_total_is_refused_and_nothing_reserved(orders: Database[Document]) -> None:
    fill(CUSTOMER, ("PROD-1", 2))
    sell("PROD-1", Decimal("4100.00"))

    assert raised(lambda: buy(expected_total=Decimal("7980.00"))) == [("PRICE_CHANGED", ("expected_total",))]
    assert orders["orders"].count_documents({}) == 0
    assert_nothing_oversold(orders)


def test_lower_total_is_charged_and_told(orders: Database[Document]) -> None:
    fill(CUSTOMER, ("PROD-1", 2))
    sell("PROD-1", Decimal("3000.00"))

    bought = buy(expected_total=Decimal("7980.00"))

    assert (bought.order["total"], bought.saved) == (Decimal128("6000.00"), Decimal("1980.00"))


def test_short_lines_are_named_with_what_is_available_and_nothing_is_reserved(orders: Database[Document]) -> None:
    fill(CUSTOMER, ("PROD-1", 2), ("PROD-2", 3), ("PROD-3", 1))

    with pytest.raises(Refused) as refusal:
        buy()

    assert [str(reason) for reason in refusal.value] == [
        'lines.1.quantity: "Телевизор Окно": 3 wanted, 2 available.',
        'lines.2.quantity: "Колонка Эхо": 1 wanted, 0 available.',
    ]
    assert_nothing_oversold(orders)


def test_withdrawn_product_is_named(orders: Database[Document]) -> None:
    fill(CUSTOMER, ("PROD-1", 1), ("PROD-2", 1))
    sell("PROD-2", Decimal("49990.00"), withdrawn=True)

    with pytest.raises(Refused, match="Телевизор Окно"):
        buy()

    assert_nothing_oversold(orders)


def test_bad_input_is_refused_with_every_reason(orders: Database[Document]) -> None:
    fill(CUSTOMER, ("PROD-1", 1))
    bad = purchase(
        contact=replace(PURCHASE.contact, name=" ", email="ivan@", phone="12"),
        expected_total=Decimal("NaN"),
        client_key="k" * 101,
    )

    assert raised(lambda: check_out(CUSTOMER, bad)) == [
        ("REQUIRED", ("contact", "name")),
        ("INVALID", ("contact", "email")),
        ("INVALID", ("contact", "phone")),
        ("INVALID", ("expected_total",)),
        ("INVALID", ("client_key",)),
    ]
    assert raised(lambda: buy(geozone="nowhere")) == [("NOT_FOUND", ("geozone",))]


@pytest.mark.parametrize("text", ["Иван\0", "Иван\ud800", "Иван\x07Петров"])
def test_text_that_cannot_be_read_is_refused_and_nothing_bought(orders: Database[Document], text: str) -> None:
    fill(CUSTOMER, ("PROD-1", 1))

    assert raised(lambda: buy(contact=replace(PURCHASE.contact, name=text))) == [("INVALID", ("contact", "name"))]
    assert raised(lambda: buy(client_key=text)) == [("INVALID", ("client_key",))]
    assert orders["orders"].count_documents({}) == 0


@pytest.mark.parametrize(
    ("part", "field"),
    [
        ("contact", "name"),
        ("shipping_address", "city"),
        ("shipping_address", "street"),
        ("shipping_address", "postcode"),
        ("shipping_address", "comment"),
    ],
)
def test_link_in_what_letters_print_is_refused_and_nothing_bought(
    orders: Database[Document], part: str, field: str
) -> None:
    fill(CUSTOMER, ("PROD-1", 1))
    details: Any = getattr(PURCHASE, part)

    assert raised(lambda: buy(**{part: replace(details, **{field: "evil.com/x"})})) == [("INVALID", (part, field))]
    assert orders["orders"].count_documents({}) == 0


def test_product_that_moved_to_another_category_can_be_bought(orders: Database[Document]) -> None:
    fill(CUSTOMER, ("PROD-1", 1))
    upsert_product(draft(product_id="PROD-1", category="video"), actor=MARINA)

    assert buy().order["items"][0]["category"] == "video"
    settle_queued()
    assert_nothing_oversold(orders)


def test_ten_devices_at_once_make_one_order(orders: Database[Document]) -> None:
    fill(CUSTOMER, ("PROD-1", 1), ("PROD-2", 1))

    results = at_once(*[buy] * 10)

    assert all(isinstance(result, Bought) for result in results)
    assert len({result.order["_id"] for result in results}) == 1
    assert [result.replayed for result in results].count(False) == 1
    settle_queued()
    assert_nothing_oversold(orders)


def test_many_buyers_of_few_pieces_get_exactly_these(orders: Database[Document]) -> None:
    sell("PROD-1", Decimal("3990.00"), msk=5)
    owners = [buyer(number) for number in range(30)]
    for owner in owners:
        fill(owner, ("PROD-1", 1))

    results = at_once(*[partial(buy, owner) for owner in owners])

    assert sum(isinstance(result, Bought) for result in results) == 5
    settle_queued()
    assert reserved(orders, "PROD-1") == (5, 5)
    assert_nothing_oversold(orders)


def test_checkout_makes_the_same_number_of_round_trips_for_any_number_of_lines(orders: Database[Document]) -> None:
    fill(CUSTOMER, ("PROD-1", 1))
    fill(GUEST, ("PROD-1", 1), ("PROD-2", 1))
    NUMBERS.forget()
    claim_number()  # one checkout in twenty claims the next block

    with COMMANDS.counted() as one_line:
        buy()
    with COMMANDS.counted() as two_lines:
        buy(GUEST)

    assert sum(one_line.values()) == sum(two_lines.values()) == 6
    assert {sent for sent in two_lines if sent.collection in ("carts", "orders", "unpaid_holdings")} == {
        Sent("update", "unpaid_holdings", "stock.check", 1),
        Sent("find", "carts", "carts.active", 1),
        Sent("update", "carts", "", 1),
        Sent("insert", "orders", "", 1),
    }


def test_hold_of_a_committed_order_is_settled_by_the_sweep_and_keeps_its_reservation(
    orders: Database[Document],
) -> None:
    fill(CUSTOMER, ("PROD-1", 2))
    buy()

    assert resolve_old_holds(limit=10) == 0
    assert resolve_old_holds(limit=10, now=datetime.now(UTC) + timedelta(minutes=3)) == 1
    assert reserved(orders, "PROD-1") == (10, 2)
    assert_nothing_oversold(orders)


def test_no_more_orders_wait_for_a_worker_than_may_and_the_sweep_settles_the_rest(
    orders: Database[Document], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(background, "QUEUED", 1)
    redis_client().delete(holds.HOLDS.name)
    bought = []
    for owner in (CUSTOMER, GUEST):
        fill(owner, ("PROD-1", 1))
        bought.append(buy(owner).order["_id"])

    assert settle_queued() == bought[1:]
    assert resolve_old_holds(limit=10, now=datetime.now(UTC) + timedelta(minutes=3)) == 1
    assert_nothing_oversold(orders)


def test_what_is_sold_while_a_worker_settles_is_left_to_the_next(
    orders: Database[Document], monkeypatch: pytest.MonkeyPatch
) -> None:
    for owner in (CUSTOMER, GUEST):
        fill(owner, ("PROD-1", 1))
    redis_client().delete(holds.HOLDS.name)
    first = buy().order
    later: list[str] = []

    just_before(monkeypatch, holds, "settle", lambda: later.append(buy(GUEST).order["_id"]))

    assert settle_queued() == [first["_id"]]
    assert settle_queued() == later
    assert_nothing_oversold(orders)


def assert_nothing_oversold_after_settling(database: Database[Document]) -> None:
    settle_queued()
    assert_nothing_oversold(database)
