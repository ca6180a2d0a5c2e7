"""A process that dies in the middle of a late payment: nothing stays held, nothing is lost, the repeat ends well."""

import os
import signal
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from pymongo.database import Database

from gateway.mongo.client import Document
from gateway.tests.races import just_before, paused_process
from ordering.checkout.holds import resolve_old_holds
from ordering.documents import OrderDocument
from ordering.payments import payments
from ordering.stock.debts import pay_overdue
from ordering.tests.payments_api import assert_orders_and_stock_agree, expired, ordered, pay, received, stored
from ordering.tests.shop import reserved

PAY = "from ordering.tests.payments_api import pay; pay({{'_id': {order_id!r}}}, '57970.00')"


def sweep() -> int:
    return resolve_old_holds(limit=10, now=datetime.now(UTC) + timedelta(minutes=3))


def killed(database: Database[Document], order: OrderDocument, **where: Any) -> None:
    with paused_process(database, PAY.format(order_id=order["_id"]), **where) as process:
        os.kill(process.pid, signal.SIGKILL)
        process.wait()


def test_killed_between_taking_stock_and_recording_holds_nothing_after_the_sweep(orders: Database[Document]) -> None:
    order = expired(ordered(("PROD-1", 2), ("PROD-2", 1)))

    killed(orders, order, command="findAndModify", collection="orders")

    assert (reserved(orders, "PROD-1"), reserved(orders, "PROD-2")) == ((10, 2), (2, 1))
    assert stored(orders, order)["money"] == []

    assert sweep() == 2
    assert (reserved(orders, "PROD-1"), reserved(orders, "PROD-2")) == ((10, 0), (2, 0))
    assert stored(orders, order)["status"] == "expired"
    assert_orders_and_stock_agree(orders)

    # The payment system has had no answer, and calls again.
    assert pay(order, "57970.00")["status"] == "paid"
    assert (reserved(orders, "PROD-1"), reserved(orders, "PROD-2")) == ((8, 0), (1, 0))
    assert_orders_and_stock_agree(orders)


def test_repeat_that_comes_before_the_sweep_is_paid_too_and_the_first_hold_is_released(
    orders: Database[Document],
) -> None:
    order = expired(ordered(("PROD-1", 2)))
    with paused_process(
        orders, PAY.format(order_id=order["_id"]), command="findAndModify", collection="orders"
    ) as process:
        os.kill(process.pid, signal.SIGKILL)
        process.wait()

    assert pay(order)["status"] == "paid"
    assert reserved(orders, "PROD-1") == (8, 2)
    assert sweep() == 2
    assert reserved(orders, "PROD-1") == (8, 0)
    assert_orders_and_stock_agree(orders)


def test_killed_after_recording_has_paid_and_the_sweeps_write_the_stock_off(orders: Database[Document]) -> None:
    order = expired(ordered(("PROD-1", 2), ("PROD-2", 1)))

    killed(orders, order, command="update", collection="products", number=2)

    after = stored(orders, order)
    assert (after["status"], [owed["change"] for owed in after["stock_due"]]) == ("paid", ["write_off"])
    assert received(after) == [("evt-1", "57970.00", "0.00")]
    assert (reserved(orders, "PROD-1"), reserved(orders, "PROD-2")) == ((10, 2), (2, 1))

    assert sweep() == 2
    orders["orders"].update_one({}, {"$set": {"stock_due.0.at": datetime.now(UTC) - timedelta(minutes=1)}})
    assert pay_overdue(limit=10) == 1
    assert pay(order, "57970.00")["version"] == after["version"]
    assert (reserved(orders, "PROD-1"), reserved(orders, "PROD-2")) == ((8, 0), (1, 0))
    assert_orders_and_stock_agree(orders)


def test_payer_who_is_overtaken_by_the_sweep_takes_the_stock_once_more(
    orders: Database[Document], monkeypatch: pytest.MonkeyPatch
) -> None:
    order = expired(ordered())
    swept: list[int] = []

    just_before(monkeypatch, payments, "change_order", lambda: swept.append(sweep()))

    assert pay(order)["status"] == "paid"
    assert swept == [1]
    assert reserved(orders, "PROD-1") == (8, 0)
    assert_orders_and_stock_agree(orders)
