"""Payments against everything else at the same moment: at the end orders and stock agree, and no money is lost."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from functools import partial

import pytest
from pymongo.database import Database

from cart.tests.shop import sell
from gateway.mongo.client import Document
from gateway.tests.races import at_once
from ordering.documents import OrderDocument
from ordering.events import BY_BUYER
from ordering.ledger.amounts import due_back, paid
from ordering.lifecycle.moves import expire_unpaid, move_order
from ordering.lifecycle.transitions import Who
from ordering.models import OrderStatus
from ordering.tests.payments_api import assert_orders_and_stock_agree, expired, ordered, pay, received, stored
from ordering.tests.shop import buyer, reserved

# Each turn of a race goes as it happens to go: several of them see both ends.
TURNS = range(5)


def expire_all() -> int:
    return expire_unpaid(limit=100, now=datetime.now(UTC) + timedelta(hours=1))


def kept_and_to_refund(order: OrderDocument) -> tuple[Decimal, Decimal]:
    return paid(order), due_back(order)


@pytest.mark.parametrize("turn", TURNS)
def test_payment_against_expiry_ends_paid(orders: Database[Document], turn: int) -> None:
    order = ordered()

    at_once(partial(pay, order), expire_all, expire_all)

    after = stored(orders, order)
    assert after["status"] == "paid"
    assert kept_and_to_refund(after) == (Decimal("7980.00"), Decimal("0.00"))
    assert reserved(orders, "PROD-1") == (8, 0)
    assert_orders_and_stock_agree(orders)


@pytest.mark.parametrize("turn", TURNS)
def test_part_against_expiry_ends_expired_with_the_part_to_refund(orders: Database[Document], turn: int) -> None:
    order = ordered()

    at_once(partial(pay, order, "1000.00"), expire_all)

    after = stored(orders, order)
    assert (after["status"], after["to_refund"]) == ("expired", True)
    assert kept_and_to_refund(after) == (Decimal("0.00"), Decimal("1000.00"))
    assert reserved(orders, "PROD-1") == (10, 0)
    assert_orders_and_stock_agree(orders)


@pytest.mark.parametrize("turn", TURNS)
def test_payment_against_cancelling_ends_one_way_or_the_other(orders: Database[Document], turn: int) -> None:
    order = ordered()
    cancel = partial(move_order, order["_id"], OrderStatus.CANCELLED, who=Who.BUYER, actor=BY_BUYER)

    _, cancelled = at_once(partial(pay, order), cancel)

    after = stored(orders, order)
    if isinstance(cancelled, dict):
        assert (after["status"], after["to_refund"]) == ("cancelled", True)
        assert kept_and_to_refund(after) == (Decimal("0.00"), Decimal("7980.00"))
        assert reserved(orders, "PROD-1") == (10, 0)
    else:
        assert (after["status"], after["to_refund"]) == ("paid", False)
        assert reserved(orders, "PROD-1") == (8, 0)
    assert_orders_and_stock_agree(orders)


@pytest.mark.parametrize("turn", TURNS)
def test_ten_deliveries_of_one_late_payment_take_the_stock_once(orders: Database[Document], turn: int) -> None:
    order = expired(ordered())

    results = at_once(*[partial(pay, order)] * 10)

    assert [result["status"] for result in results] == ["paid"] * 10
    after = stored(orders, order)
    assert [reference for reference, _, _ in received(after)] == ["evt-1"]
    assert reserved(orders, "PROD-1") == (8, 0)
    assert_orders_and_stock_agree(orders)


@pytest.mark.parametrize("turn", TURNS)
def test_two_late_payments_at_once_take_the_stock_once_and_one_goes_back(orders: Database[Document], turn: int) -> None:
    order = expired(ordered())

    at_once(partial(pay, order, "7980.00", "evt-1"), partial(pay, order, "7980.00", "evt-2"))

    after = stored(orders, order)
    assert (after["status"], after["to_refund"]) == ("paid", True)
    assert kept_and_to_refund(after) == (Decimal("7980.00"), Decimal("7980.00"))
    assert reserved(orders, "PROD-1") == (8, 0)
    assert_orders_and_stock_agree(orders)


@pytest.mark.parametrize("turn", TURNS)
def test_late_payers_of_the_last_pieces_get_exactly_these(orders: Database[Document], turn: int) -> None:
    sell("PROD-1", Decimal("3990.00"), msk=20)
    late = [ordered(("PROD-1", 2), owner=buyer(number)) for number in range(8)]
    assert expire_all() == 8
    sell("PROD-1", Decimal("3990.00"), msk=6)

    at_once(*[partial(pay, order) for order in late])

    after = [stored(orders, order) for order in late]
    assert sorted(order["status"] for order in after) == ["expired"] * 5 + ["paid"] * 3
    assert all(order["to_refund"] for order in after if order["status"] == "expired")
    assert reserved(orders, "PROD-1") == (0, 0)
    assert_orders_and_stock_agree(orders)


@pytest.mark.parametrize("turn", TURNS)
def test_parts_from_many_sides_at_once_are_all_counted(orders: Database[Document], turn: int) -> None:
    order = ordered()

    at_once(*[partial(pay, order, "1330.00", f"evt-{each}") for each in range(6)])

    after = stored(orders, order)
    assert (after["status"], after["to_refund"], len(received(after))) == ("paid", False, 6)
    assert kept_and_to_refund(after) == (Decimal("7980.00"), Decimal("0.00"))
    assert reserved(orders, "PROD-1") == (8, 0)
    assert_orders_and_stock_agree(orders)
