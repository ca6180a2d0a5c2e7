"""Moving an order: event, version and stock follow; of two movers one wins and the other is told."""

from decimal import Decimal
from functools import partial
from typing import cast

import pytest
from pymongo.database import Database

from cart.tests.shop import CUSTOMER, fill
from catalog.tests.shop import raised
from gateway.audit.trail import Actor
from gateway.domain.errors import DomainError
from gateway.mongo.client import Document
from gateway.mongo.commands import COMMANDS, Sent
from gateway.tests.races import at_once
from ordering.checkout.holds import settle_queued
from ordering.documents import OrderDocument
from ordering.events import BY_BUYER, BY_SYSTEM
from ordering.lifecycle.moves import MAX_NOTE, advance_order, cancel_order, move_order
from ordering.lifecycle.transitions import Who
from ordering.models import OrderStatus
from ordering.payments.payments import receive_payment
from ordering.tests.payments_api import PAYMENT, received
from ordering.tests.shop import assert_nothing_oversold, buy, reserved

SERGEY = Actor("s", "sergey@mobile-world.example")


@pytest.fixture
def order(orders: Database[Document]) -> OrderDocument:
    """An unpaid order of two pieces."""
    fill(CUSTOMER, ("PROD-1", 2))
    made = buy().order
    settle_queued()
    return made


def cancel(order: OrderDocument) -> OrderDocument:
    return cancel_order(order["_id"], who=Who.BUYER, actor=BY_BUYER, reason="передумал", owner=CUSTOMER)


def stored(database: Database[Document]) -> OrderDocument:
    (found,) = database["orders"].find()
    return cast("OrderDocument", found)


def test_cancelled_order_gives_its_stock_back(orders: Database[Document], order: OrderDocument) -> None:
    cancelled = cancel(order)

    assert reserved(orders, "PROD-1") == (10, 0)
    after = stored(orders)
    assert (after["status"], after["version"], after["reserved_until"]) == ("cancelled", 2, None)
    assert (cancelled["_id"], cancelled["status"]) == (order["_id"], "cancelled")
    event = after["events"][-1]
    assert (event["type"], event["status"], event["actor"], event["note"], event["at"]) == (
        "moved",
        "cancelled",
        "buyer",
        "передумал",
        after["updated_at"],
    )
    assert after["stock_due"] == []
    assert_nothing_oversold(orders)


def test_cancelling_twice_is_refused_and_gives_nothing_back_again(
    orders: Database[Document], order: OrderDocument
) -> None:
    cancel(order)
    before = stored(orders)

    assert raised(partial(cancel, order)) == [("ILLEGAL_TRANSITION", ("to",))]
    assert stored(orders) == before
    assert reserved(orders, "PROD-1") == (10, 0)


def test_money_paid_in_part_is_to_go_back_when_the_order_is_cancelled(
    orders: Database[Document], order: OrderDocument
) -> None:
    receive_payment(order["_id"], PAYMENT._replace(amount=Decimal("1000.00")))

    cancel(order)

    after = stored(orders)
    assert after["to_refund"] is True
    assert [surplus for _, _, surplus in received(after)] == ["1000.00"]


def test_paid_order_goes_its_way_step_by_step(orders: Database[Document], order: OrderDocument) -> None:
    receive_payment(order["_id"], PAYMENT)
    for to in (OrderStatus.PROCESSING, OrderStatus.SHIPPED, OrderStatus.DELIVERED):
        advance_order(order["_id"], to, actor=SERGEY, note=str(to.label))

    after = stored(orders)
    assert [event["status"] for event in after["events"]] == ["new", "paid", "processing", "shipped", "delivered"]
    assert [event["actor"] for event in after["events"]] == ["buyer", "payments", *[SERGEY.name] * 3]
    assert after["version"] == 5
    assert reserved(orders, "PROD-1") == (8, 0)


@pytest.mark.parametrize("to", [to for to in OrderStatus if to.value not in ("processing", "shipped", "delivered")])
def test_advance_leads_nowhere_else_and_nothing_changes(
    orders: Database[Document], order: OrderDocument, to: OrderStatus
) -> None:
    assert raised(lambda: advance_order(order["_id"], to, actor=SERGEY, note="")) == [("ILLEGAL_TRANSITION", ("to",))]
    assert stored(orders)["version"] == 1


def test_too_long_words_are_refused_and_nothing_changes(orders: Database[Document], order: OrderDocument) -> None:
    long = "д" * (MAX_NOTE + 1)

    assert raised(lambda: cancel_order(order["_id"], who=Who.STAFF, actor=SERGEY, reason=long)) == [
        ("INVALID", ("reason",))
    ]
    assert raised(lambda: advance_order(order["_id"], OrderStatus.SHIPPED, actor=SERGEY, note=long)) == [
        ("INVALID", ("note",))
    ]
    assert stored(orders)["version"] == 1


def test_unknown_order_is_not_found(orders: Database[Document]) -> None:
    assert raised(lambda: cancel_order("nonsense", who=Who.STAFF, actor=SERGEY, reason="")) == [
        ("NOT_FOUND", ("order",))
    ]


def test_of_two_movers_at_once_one_wins_and_the_other_is_told(orders: Database[Document], order: OrderDocument) -> None:
    expire = partial(move_order, order["_id"], OrderStatus.EXPIRED, who=Who.SYSTEM, actor=BY_SYSTEM)

    results = at_once(partial(cancel, order), expire, partial(cancel, order), expire)

    won = [result for result in results if not isinstance(result, DomainError)]
    told = [result for result in results if isinstance(result, DomainError)]
    assert len(won) == 1
    assert [error.code.value for error in told] == ["ILLEGAL_TRANSITION"] * 3
    after = stored(orders)
    assert (after["status"], after["version"], len(after["events"])) == (won[0]["status"], 2, 2)
    assert reserved(orders, "PROD-1") == (10, 0)
    assert_nothing_oversold(orders)


def test_payment_and_cancellation_at_once_leave_no_stock_and_no_money_unaccounted(
    orders: Database[Document], order: OrderDocument
) -> None:
    at_once(partial(cancel, order), partial(receive_payment, order["_id"], PAYMENT, owner=CUSTOMER))

    after = stored(orders)
    # Whoever came first: paid and written off, or cancelled and to be paid back.
    if after["status"] == "paid":
        assert (reserved(orders, "PROD-1"), after["to_refund"]) == ((8, 0), False)
    else:
        assert (after["status"], reserved(orders, "PROD-1"), after["to_refund"]) == ("cancelled", (10, 0), True)
    assert len(received(after)) == 1


def test_move_of_an_order_with_its_owner_known_reaches_one_shard(
    orders: Database[Document], order: OrderDocument
) -> None:
    with COMMANDS.counted() as sent:
        cancel(order)

    assert {each for each in sent if each.collection == "orders"} == {
        Sent("find", "orders", "orders.history_fresh", 1),
        Sent("findAndModify", "orders", "", 1),
        Sent("update", "orders", "", 1),
    }
