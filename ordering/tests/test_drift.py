"""What is reserved is what open orders wait for, and where it is not, that is found and repaired."""

import threading
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from io import StringIO

from django.core.management import call_command
from pymongo.database import Database

from gateway.domain_errors import DomainError
from gateway.mongo.client import Document
from ordering.drift import Drift, find_drift, repair
from ordering.holds import settle_queued
from ordering.models import OrderStatus
from ordering.moves import move_order
from ordering.tests.shop import (
    CUSTOMER,
    GUEST,
    assert_nothing_oversold,
    buy,
    buyer,
    fill,
    orders,
    reserved,
    sell,
    shop,
    stocked,
    two_shards,
)
from ordering.transitions import Who

__all__ = ["orders", "shop", "stocked", "two_shards"]


def spoil(database: Database[Document], product_id: str, pieces: int) -> None:
    database["products"].update_one({"_id": product_id}, {"$inc": {"stock.0.reserved": pieces, "version": 1}})


def test_holds_open_orders_and_closed_ones_are_no_drift(orders: Database[Document]) -> None:
    fill(CUSTOMER, ("PROD-1", 2))
    fill(GUEST, ("PROD-1", 1), ("PROD-2", 1))
    cancelled = buy(GUEST).order
    buy(CUSTOMER)
    move_order(cancelled["_id"], OrderStatus.CANCELLED, who=Who.BUYER, actor="buyer")

    assert list(find_drift()) == []
    assert reserved(orders, "PROD-1") == (10, 2)


def test_debt_that_is_not_paid_yet_is_no_drift(orders: Database[Document]) -> None:
    fill(CUSTOMER, ("PROD-1", 2))
    order = buy(CUSTOMER).order
    owed = {"id": "d", "change": "release", "lines": [{"product_id": "PROD-1", "category": "audio", "quantity": 2}]}
    orders["orders"].update_one(
        {"_id": order["_id"]},
        [{"$set": {"status": "cancelled", "stock_due": [{**owed, "at": "$$NOW"}]}}],
    )

    assert list(find_drift()) == []


def test_difference_is_found_and_repaired_once(orders: Database[Document]) -> None:
    fill(CUSTOMER, ("PROD-1", 2), ("PROD-2", 1))
    buy(CUSTOMER)
    settle_queued()
    spoil(orders, "PROD-1", 3)
    spoil(orders, "PROD-2", -1)

    found = sorted(find_drift())

    assert [(drift.key.id, drift.geozone, drift.reserved, drift.expected) for drift in found] == [
        ("PROD-1", "msk", 5, 2),
        ("PROD-2", "msk", 0, 1),
    ]
    assert [repair(drift) for drift in found] == [True, True]
    assert [repair(drift) for drift in found] == [False, False]
    assert_nothing_oversold(orders)


def test_command_reports_and_repairs(orders: Database[Document]) -> None:
    spoil(orders, "PROD-1", 1)

    def answer(*options: str) -> list[str]:
        output = StringIO()
        call_command("stock_drift", *options, stdout=output)
        return output.getvalue().splitlines()

    assert answer() == ["PROD-1 in msk: 1 reserved, 0 waited for", "1 reservations differ."]
    assert answer("--repair") == ["PROD-1 in msk: 1 reserved, 0 waited for, repaired", "1 reservations differ."]
    assert answer() == ["Every reservation is as it should be."]


def test_no_difference_is_seen_while_the_shop_sells(orders: Database[Document]) -> None:
    sell("PROD-1", Decimal("3990.00"), msk=1_000)
    stop = threading.Event()
    seen: list[Drift] = []

    def buy_and_cancel(number: int) -> None:
        owner = buyer(number)
        while not stop.is_set():
            try:
                fill(owner, ("PROD-1", 1))
                order = buy(owner).order
                move_order(order["_id"], OrderStatus.CANCELLED, who=Who.BUYER, actor="buyer")
            except DomainError:
                continue

    with ThreadPoolExecutor(4) as pool:
        buying = [pool.submit(buy_and_cancel, number) for number in range(4)]
        for _ in range(10):
            seen += find_drift()
        stop.set()
        for each in buying:
            each.result()

    assert seen == []
    settle_queued()
    assert_nothing_oversold(orders)
