"""Orders that nobody paid in time."""

from datetime import UTC, datetime, timedelta
from functools import partial

from pymongo.database import Database

from gateway.mongo.client import Document
from gateway.tests.races import at_once
from ordering.events import BY_BUYER
from ordering.lifecycle.moves import expire_unpaid, move_order
from ordering.lifecycle.transitions import Who
from ordering.models import OrderStatus
from ordering.tests.payments_api import all_orders, assert_orders_and_stock_agree, ordered, pay, stored
from ordering.tests.shop import buyer, reserved

MILLISECOND = timedelta(milliseconds=1)


def in_an_hour() -> datetime:
    return datetime.now(UTC) + timedelta(hours=1)


def test_order_expires_at_its_moment_and_not_before(orders: Database[Document]) -> None:
    order = ordered()
    reserved_until = stored(orders, order)["reserved_until"]
    assert reserved_until is not None
    until = reserved_until.replace(tzinfo=UTC)
    before = all_orders(orders)

    assert expire_unpaid(limit=10) == 0
    assert expire_unpaid(limit=10, now=until - MILLISECOND) == 0
    assert all_orders(orders) == before
    assert expire_unpaid(limit=10, now=until) == 1

    after = stored(orders, order)
    assert (after["status"], after["reserved_until"], after["to_refund"]) == ("expired", None, False)
    last = after["events"][-1]
    assert (last["type"], last["actor"], last["note"]) == ("moved", "system", "not paid in time")
    assert reserved(orders, "PROD-1") == (10, 0)
    assert_orders_and_stock_agree(orders)


def test_paid_and_cancelled_orders_are_left_alone(orders: Database[Document]) -> None:
    pay(ordered())
    cancelled = ordered(owner=buyer(1))
    move_order(cancelled["_id"], OrderStatus.CANCELLED, who=Who.BUYER, actor=BY_BUYER)
    before = all_orders(orders)

    assert expire_unpaid(limit=10, now=in_an_hour()) == 0
    assert all_orders(orders) == before


def test_oldest_expire_first_and_the_next_call_goes_on(orders: Database[Document]) -> None:
    made = [ordered(("PROD-1", 1), owner=buyer(number)) for number in range(3)]

    assert expire_unpaid(limit=2, now=in_an_hour()) == 2
    assert [stored(orders, order)["status"] for order in made] == ["expired", "expired", "new"]
    assert expire_unpaid(limit=2, now=in_an_hour()) == 1
    assert expire_unpaid(limit=2, now=in_an_hour()) == 0
    assert reserved(orders, "PROD-1") == (10, 0)


def test_sweeps_at_once_expire_each_order_once(orders: Database[Document]) -> None:
    made = [ordered(("PROD-1", 1), owner=buyer(number)) for number in range(8)]

    counts = at_once(*[partial(expire_unpaid, limit=10, now=in_an_hour())] * 4)

    assert sum(counts) == 8
    assert [len(stored(orders, order)["events"]) for order in made] == [2] * 8
    assert reserved(orders, "PROD-1") == (10, 0)
    assert_orders_and_stock_agree(orders)


def test_order_paid_after_the_sweep_had_read_it_stays_paid(orders: Database[Document]) -> None:
    made = [ordered(("PROD-1", 1), owner=buyer(number)) for number in range(8)]

    expired, *_ = at_once(
        partial(expire_unpaid, limit=10, now=in_an_hour()), *[partial(pay, order, "3990.00") for order in made]
    )

    # Those that expired first were paid late, and took their piece again.
    assert 0 <= expired <= 8
    assert [stored(orders, order)["status"] for order in made] == ["paid"] * 8
    assert reserved(orders, "PROD-1") == (2, 0)
    assert_orders_and_stock_agree(orders)
