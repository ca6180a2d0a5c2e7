"""What orders owe the stock is paid once, whoever dies in between."""

import os
import signal
from datetime import UTC, datetime, timedelta
from functools import partial

import pytest
from pymongo.database import Database

from catalog.stock.reservations import RELEASE, Pieces, StockNotChanged, change_stock
from gateway.mongo.client import Document
from gateway.mongo.tests.order_moves import moving_orders
from gateway.outbox import Owed
from gateway.tests.races import at_once, paused_process
from ordering.checkout.holds import forget_receipts
from ordering.documents import OrderDocument
from ordering.events import BY_BUYER
from ordering.lifecycle.moves import move_order
from ordering.lifecycle.transitions import Who
from ordering.models import OrderStatus
from ordering.stock import debts
from ordering.stock.debts import RECEIPTS_KEPT, STOCK_DEBTS, pay_overdue, still_owed
from ordering.tests.payments_api import assert_orders_and_stock_agree, ordered, stock, stored
from ordering.tests.shop import buyer, reserved

CANCEL = """
from ordering.events import BY_BUYER
from ordering.models import OrderStatus
from ordering.lifecycle.moves import move_order
from ordering.lifecycle.transitions import Who
move_order({order_id!r}, OrderStatus.CANCELLED, who=Who.BUYER, actor=BY_BUYER)
"""


def cancelled_by_a_process_that_died(
    database: Database[Document], order: OrderDocument, *, before: str
) -> OrderDocument:
    """Killed when it was about to update this collection: `products` owe the change, `orders` the striking off."""
    code = CANCEL.format(order_id=order["_id"])
    with paused_process(database, code, command="update", collection=before) as process:
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    return stored(database, order)


def cancel(order: OrderDocument) -> OrderDocument:
    return move_order(order["_id"], OrderStatus.CANCELLED, who=Who.BUYER, actor=BY_BUYER)


def let_time_pass(database: Database[Document], seconds: int = 60) -> None:
    """As if the debts had been written that much earlier."""
    for order in database["orders"].find({"stock_due.0": {"$exists": True}}):
        owed = [{**each, "at": each["at"] - timedelta(seconds=seconds)} for each in order["stock_due"]]
        database["orders"].update_one({"_id": order["_id"]}, {"$set": {"stock_due": owed}})


def receipts(database: Database[Document]) -> list[str]:
    return [hold["id"] for product in database["products"].find() for hold in product["holds"]]


def test_killed_between_the_move_and_the_stock_is_completed_once(orders: Database[Document]) -> None:
    order = ordered(("PROD-1", 2), ("PROD-2", 1))

    after = cancelled_by_a_process_that_died(orders, order, before="products")

    assert (after["status"], [owed["change"] for owed in after["stock_due"]]) == ("cancelled", ["release"])
    assert (reserved(orders, "PROD-1"), reserved(orders, "PROD-2")) == ((10, 2), (2, 1))
    # Whoever wrote it down may still be at it.
    assert pay_overdue(limit=10) == 0
    let_time_pass(orders)
    assert pay_overdue(limit=10) == 1
    assert (reserved(orders, "PROD-1"), reserved(orders, "PROD-2")) == ((10, 0), (2, 0))
    assert pay_overdue(limit=10) == 0
    assert_orders_and_stock_agree(orders)


def test_killed_between_the_stock_and_the_striking_off_changes_the_stock_once(orders: Database[Document]) -> None:
    order = ordered()

    after = cancelled_by_a_process_that_died(orders, order, before="orders")

    assert len(after["stock_due"]) == 1
    assert reserved(orders, "PROD-1") == (10, 0)
    let_time_pass(orders)
    assert pay_overdue(limit=10) == 1
    assert reserved(orders, "PROD-1") == (10, 0)
    assert_orders_and_stock_agree(orders)


def test_half_of_the_products_changed_are_not_changed_again(orders: Database[Document]) -> None:
    order = ordered(("PROD-1", 2), ("PROD-2", 1))
    (owed,) = cancelled_by_a_process_that_died(orders, order, before="products")["stock_due"]
    change_stock(
        [Pieces("audio", "PROD-1", 2)],
        "msk",
        RELEASE,
        receipt=owed["id"],
        order_id=order["_id"],
        until=datetime.now(UTC) + timedelta(minutes=1),
    )

    let_time_pass(orders)
    assert pay_overdue(limit=10) == 1

    assert (reserved(orders, "PROD-1"), reserved(orders, "PROD-2")) == ((10, 0), (2, 0))
    assert_orders_and_stock_agree(orders)


def test_sweeps_at_once_pay_each_debt_once(orders: Database[Document]) -> None:
    order = ordered()
    cancelled_by_a_process_that_died(orders, order, before="products")
    let_time_pass(orders)

    counts = at_once(*[partial(pay_overdue, limit=10)] * 6)

    assert sum(counts) == 1
    assert reserved(orders, "PROD-1") == (10, 0)
    assert_orders_and_stock_agree(orders)


def test_debt_that_cannot_be_paid_keeps_no_other_waiting(orders: Database[Document]) -> None:
    broken, sound = ordered(("PROD-2", 1)), ordered(("PROD-1", 2), owner=buyer(1))
    cancelled_by_a_process_that_died(orders, broken, before="products")
    cancelled_by_a_process_that_died(orders, sound, before="products")
    let_time_pass(orders)
    levels = orders["products"].find_one({"_id": "PROD-2"}, ["stock"])
    assert levels is not None
    orders["products"].update_one({"_id": "PROD-2"}, {"$set": {"stock": "not a list"}})

    assert pay_overdue(limit=10) == 1
    assert reserved(orders, "PROD-1") == (10, 0)

    orders["products"].update_one({"_id": "PROD-2"}, {"$set": {"stock": levels["stock"]}})
    let_time_pass(orders)
    assert pay_overdue(limit=10) == 1
    assert_orders_and_stock_agree(orders)


def test_late_payer_is_refused_by_the_servers_clock(orders: Database[Document]) -> None:
    order = ordered()
    cancelled_by_a_process_that_died(orders, order, before="products")
    let_time_pass(orders)
    late = stored(orders, order)
    before = stock(orders)

    with pytest.raises(StockNotChanged):
        debts._pay(Owed(late, late["stock_due"][0]))

    assert stock(orders) == before
    assert stored(orders, order)["stock_due"] == late["stock_due"]


def test_payer_whose_debt_a_sweep_took_over_does_not_strike_it_off(orders: Database[Document]) -> None:
    order = ordered()
    first = cancelled_by_a_process_that_died(orders, order, before="products")
    taken = STOCK_DEBTS.take(Owed(first, first["stock_due"][0]))
    assert taken is not None

    # The first payer wakes up within its window, after the sweep has taken the debt and before it pays.
    debts.pay_stock(first)
    assert stored(orders, order)["stock_due"] == [taken.debt]
    assert forget_receipts(limit=10, now=datetime.now(UTC) + 2 * RECEIPTS_KEPT) == 0

    debts.pay_stock({**first, "stock_due": [taken.debt]})
    assert stored(orders, order)["stock_due"] == []
    assert reserved(orders, "PROD-1") == (10, 0)


def test_receipts_are_forgotten_when_old_and_their_debt_is_gone(orders: Database[Document]) -> None:
    order = ordered()
    cancel(order)
    assert len(receipts(orders)) == 1

    assert forget_receipts(limit=10) == 0
    assert forget_receipts(limit=10, now=datetime.now(UTC) + 2 * RECEIPTS_KEPT) == 1
    assert receipts(orders) == []
    assert reserved(orders, "PROD-1") == (10, 0)


def test_receipt_of_a_debt_that_still_stands_is_kept_however_old(orders: Database[Document]) -> None:
    order = ordered()
    cancelled_by_a_process_that_died(orders, order, before="orders")

    assert forget_receipts(limit=10, now=datetime.now(UTC) + timedelta(days=1)) == 0
    assert len(receipts(orders)) == 1

    let_time_pass(orders)
    assert pay_overdue(limit=10) == 1
    assert forget_receipts(limit=10, now=datetime.now(UTC) + timedelta(days=1)) == 1
    assert reserved(orders, "PROD-1") == (10, 0)


def test_debts_of_orders_on_their_way_between_shards_still_stand(orders: Database[Document]) -> None:
    """Else their receipts would go, and the stock could be changed twice."""
    order = ordered()
    ids = [f"order-{number:03}" for number in range(60)]
    owed = {"change": "release", "lines": [], "at": datetime.now(UTC)}
    orders["orders"].insert_many(
        [{**order, "_id": id_, "client_key": None, "stock_due": [{**owed, "id": f"debt-{id_}"}]} for id_ in ids]
    )
    debts = {f"debt-{id_}" for id_ in ids}

    with moving_orders(ids):
        seen = [still_owed(sorted(debts)) for _ in range(100)]

    assert [found for found in seen if found != debts] == []
