"""Orders whose product has changed its category since: their lines name the old one, and its stock is found."""

from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import pytest
from pymongo.database import Database

from catalog.products.upsert import upsert_product
from catalog.stock.reservations import reserve
from catalog.tests.shop import MARINA, draft
from gateway.mongo.client import Document
from gateway.tests.races import at_once
from ordering.events import BY_BUYER
from ordering.ledger.ledger import RefundLine
from ordering.ledger.references import Reference
from ordering.lifecycle.moves import move_order
from ordering.lifecycle.transitions import Who
from ordering.models import OrderStatus
from ordering.payments.refunds import Refunding, refund_order
from ordering.stock import taking
from ordering.stock.debts import pay_overdue
from ordering.tests.payments_api import assert_orders_and_stock_agree, expired, ordered, pay, received, stored
from ordering.tests.shop import buyer, reserved


def move(category: str) -> None:
    """PROD-1, with its stock as it is."""
    upsert_product(draft(product_id="PROD-1", category=category, stock=None), actor=MARINA)


def home(orders: Database[Document]) -> str:
    (product,) = orders["products"].find({"_id": "PROD-1"})
    return str(product["category"])


def test_late_payment_takes_the_stock_of_a_product_that_moved(orders: Database[Document]) -> None:
    order = expired(ordered(("PROD-1", 2), ("PROD-2", 1)))
    move("video")
    assert home(orders) == "video"

    pay(order, "57970.00")

    after = stored(orders, order)
    assert (after["status"], received(after)) == ("paid", [("evt-1", "57970.00", "0.00")])
    assert (reserved(orders, "PROD-1"), reserved(orders, "PROD-2")) == ((8, 0), (1, 0))
    assert_orders_and_stock_agree(orders)


def test_late_payment_for_a_product_that_moved_and_is_sold_out_goes_back(orders: Database[Document]) -> None:
    order = expired(ordered(("PROD-1", 2)))
    ordered(("PROD-1", 9), owner=buyer(1))
    move("video")

    pay(order)

    after = stored(orders, order)
    assert (after["status"], after["to_refund"]) == ("expired", True)
    assert reserved(orders, "PROD-1") == (10, 9)
    assert_orders_and_stock_agree(orders)


def test_product_that_moves_between_two_looks_is_followed(
    orders: Database[Document], monkeypatch: pytest.MonkeyPatch
) -> None:
    order = expired(ordered())
    move("video")
    looks: list[str] = []

    def moving(*arguments: Any) -> bool:
        looks.append(home(orders))
        if len(looks) == 2:
            move("audio")
        return reserve(*arguments)

    monkeypatch.setattr(taking, "reserve", moving)

    assert pay(order)["status"] == "paid"
    assert looks == ["video", "video", "audio"]
    assert reserved(orders, "PROD-1") == (8, 0)
    assert_orders_and_stock_agree(orders)


@pytest.mark.parametrize("turn", range(3))
def test_late_payment_while_the_product_moves_ends_paid(orders: Database[Document], turn: int) -> None:
    order = expired(ordered())

    at_once(partial(pay, order), partial(move, "video"))

    assert stored(orders, order)["status"] == "paid"
    assert reserved(orders, "PROD-1") == (8, 0)
    assert_orders_and_stock_agree(orders)


def test_payment_writes_off_the_stock_of_a_product_that_moved(orders: Database[Document]) -> None:
    order = ordered()
    move("video")

    pay(order)

    assert reserved(orders, "PROD-1") == (8, 0)
    assert_orders_and_stock_agree(orders)


def test_cancelling_releases_the_stock_of_a_product_that_moved(orders: Database[Document]) -> None:
    order = ordered()
    move("video")

    move_order(order["_id"], OrderStatus.CANCELLED, who=Who.BUYER, actor=BY_BUYER)

    assert reserved(orders, "PROD-1") == (10, 0)
    assert_orders_and_stock_agree(orders)


def test_refund_puts_back_a_product_that_moved(orders: Database[Document]) -> None:
    order = ordered()
    pay(order)
    move("video")

    one = (RefundLine("PROD-1", 1),)
    refund_order(order["_id"], Refunding(one, "передумал", Reference("ref-1"), put_back=None, actor=MARINA))

    assert reserved(orders, "PROD-1") == (9, 0)
    assert_orders_and_stock_agree(orders)


def test_debt_that_its_writer_did_not_pay_is_paid_where_the_product_is_now(orders: Database[Document]) -> None:
    order = ordered()
    overdue = datetime.now(UTC) - timedelta(minutes=1)
    lines = [{"product_id": "PROD-1", "category": "audio", "quantity": 2}]
    owed = {"id": "debt-1", "change": "write_off", "lines": lines, "at": overdue}
    orders["orders"].update_one({"_id": order["_id"]}, {"$set": {"status": "paid", "stock_due": [owed]}})
    move("video")

    assert pay_overdue(limit=10) == 1

    assert reserved(orders, "PROD-1") == (8, 0)
    assert_orders_and_stock_agree(orders)
