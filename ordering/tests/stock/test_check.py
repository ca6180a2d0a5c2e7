"""What is reserved is what open orders wait for, and where it is not, that is found and repaired."""

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from io import StringIO
from typing import Any

import pytest
from django.conf import settings
from django.core.management import call_command
from pymongo.database import Database
from pymongo.monitoring import CommandStartedEvent

from cart.tests.shop import CUSTOMER, GUEST, fill, sell
from catalog.stock.findings import CONFIRMED_AFTER, Difference, correct_reservation
from gateway.accounts.owners import guest_owner, session_hash
from gateway.accounts.tests.demo import make_demo_accounts
from gateway.domain.errors import DomainError
from gateway.mongo.client import Document
from gateway.mongo.commands import COMMANDS
from gateway.staff.tests.browser import signed_in
from gateway.tests.races import at_once
from ordering.checkout.holds import settle_queued
from ordering.events import BY_BUYER
from ordering.lifecycle.claim import claim_orders
from ordering.lifecycle.moves import move_order
from ordering.lifecycle.transitions import Who
from ordering.models import OrderStatus
from ordering.stock.check import CHECK, check_reservations, find_differences
from ordering.tests.bulk import copies, one_bought
from ordering.tests.payments_api import stock
from ordering.tests.shop import a_guest_elsewhere, assert_nothing_oversold, buy, buyer, reserved


def spoil(database: Database[Document], product_id: str, pieces: int) -> None:
    database["products"].update_one({"_id": product_id}, {"$inc": {"stock.0.reserved": pieces, "version": 1}})


def test_holds_open_orders_and_closed_ones_are_no_drift(orders: Database[Document]) -> None:
    fill(CUSTOMER, ("PROD-1", 2))
    fill(GUEST, ("PROD-1", 1), ("PROD-2", 1))
    cancelled = buy(GUEST).order
    buy(CUSTOMER)
    move_order(cancelled["_id"], OrderStatus.CANCELLED, who=Who.BUYER, actor=BY_BUYER)

    assert list(find_differences()) == []
    assert reserved(orders, "PROD-1") == (10, 2)


def test_debt_that_is_not_paid_yet_is_no_drift(orders: Database[Document]) -> None:
    fill(CUSTOMER, ("PROD-1", 2))
    order = buy(CUSTOMER).order
    owed = {"id": "d", "change": "release", "lines": [{"product_id": "PROD-1", "category": "audio", "quantity": 2}]}
    orders["orders"].update_one(
        {"_id": order["_id"]},
        [{"$set": {"status": "cancelled", "stock_due": [{**owed, "at": "$$NOW"}]}}],
    )

    assert list(find_differences()) == []


def let_minutes_pass(database: Database[Document], minutes: float = 6) -> None:
    """As if what is written down had been seen that much earlier."""
    database["stock_findings"].update_many(
        {}, [{"$set": {"first_seen": {"$subtract": ["$first_seen", minutes * 60_000]}}}]
    )


def repaired() -> list[tuple[str, bool]]:
    return [(checked.difference.key.id, checked.repaired) for checked in check_reservations(repair=True)]


def test_difference_is_corrected_only_when_seen_again_minutes_later_with_an_entry_for_staff(
    orders: Database[Document],
) -> None:
    fill(CUSTOMER, ("PROD-1", 2), ("PROD-2", 1))
    buy(CUSTOMER)
    settle_queued()
    spoil(orders, "PROD-1", 3)
    spoil(orders, "PROD-2", -1)
    before = stock(orders)

    assert sorted(repaired()) == [("PROD-1", False), ("PROD-2", False)]
    assert sorted(repaired()) == [("PROD-1", False), ("PROD-2", False)]
    assert stock(orders) == before
    assert orders["audit"].count_documents({"action": "stock.reservation_corrected"}) == 0

    let_minutes_pass(orders)
    assert sorted(repaired()) == [("PROD-1", True), ("PROD-2", True)]

    assert repaired() == []
    assert_nothing_oversold(orders)
    entries = orders["audit"].find({"action": "stock.reservation_corrected"}).sort("target")
    assert [(entry["target"], entry["changes"], entry["actor"]) for entry in entries] == [
        ("product:PROD-1", {"reserved.msk": [5, 2]}, "stock_drift"),
        ("product:PROD-2", {"reserved.msk": [0, 1]}, "stock_drift"),
    ]
    assert orders["stock_findings"].count_documents({}) == 0


def test_difference_that_sales_only_move_is_the_same_one(orders: Database[Document]) -> None:
    spoil(orders, "PROD-1", 3)
    assert repaired() == [("PROD-1", False)]
    fill(CUSTOMER, ("PROD-1", 2))
    buy(CUSTOMER)
    settle_queued()
    let_minutes_pass(orders)

    assert repaired() == [("PROD-1", True)]
    assert reserved(orders, "PROD-1") == (10, 2)


def test_another_difference_waits_from_the_beginning(orders: Database[Document]) -> None:
    spoil(orders, "PROD-1", 3)
    assert repaired() == [("PROD-1", False)]
    let_minutes_pass(orders)
    spoil(orders, "PROD-1", 1)

    assert repaired() == [("PROD-1", False)]
    assert reserved(orders, "PROD-1") == (10, 4)


def test_difference_that_went_away_in_between_is_forgotten(orders: Database[Document]) -> None:
    spoil(orders, "PROD-1", 3)
    assert repaired() == [("PROD-1", False)]
    spoil(orders, "PROD-1", -3)
    assert repaired() == []
    let_minutes_pass(orders)
    spoil(orders, "PROD-1", 3)

    assert repaired() == [("PROD-1", False)]
    assert reserved(orders, "PROD-1") == (10, 3)


def test_product_that_changes_between_the_look_and_the_correction_is_left_alone(orders: Database[Document]) -> None:
    spoil(orders, "PROD-1", 3)
    (found,) = find_differences()
    spoil(orders, "PROD-1", -3)

    assert correct_reservation(found, actor=CHECK, reason="") is False

    assert reserved(orders, "PROD-1") == (10, 0)
    assert orders["audit"].count_documents({"action": "stock.reservation_corrected"}) == 0


def test_two_checks_at_once_correct_once(orders: Database[Document]) -> None:
    spoil(orders, "PROD-1", 3)
    repaired()
    let_minutes_pass(orders)

    at_once(repaired, repaired, repaired)

    assert reserved(orders, "PROD-1") == (10, 0)
    assert orders["audit"].count_documents({"action": "stock.reservation_corrected"}) == 1


def test_staff_see_what_differs_and_what_was_corrected(orders: Database[Document]) -> None:
    make_demo_accounts()
    spoil(orders, "PROD-1", 3)
    repaired()
    staff = signed_in("merchandiser")

    assert "PROD-1" in staff.get("/admin/catalog/reservationfinding/").content.decode()
    let_minutes_pass(orders)
    repaired()
    page = staff.get("/admin/audit/auditentry/?kind=product&object=PROD-1").content.decode()
    assert "сверка резервов" in page
    assert "резерв (Москва)" in page


def test_command_reports_and_repairs_what_is_found_twice(orders: Database[Document]) -> None:
    spoil(orders, "PROD-1", 1)

    def answer(*options: str) -> list[str]:
        output = StringIO()
        call_command("stock_drift", *options, stdout=output)
        return output.getvalue().splitlines()

    differs = "PROD-1 in msk: 1 reserved, 0 waited for"
    first = f"{differs}, to be confirmed by a check in 5 minutes"
    assert answer() == [first, "1 reservations differ."]
    assert answer("--repair") == [first, "1 reservations differ."]
    let_minutes_pass(orders)
    assert answer() == [f"{differs}, found before", "1 reservations differ."]
    assert answer("--repair") == [f"{differs}, repaired", "1 reservations differ."]
    assert answer() == ["Every reservation is as it should be."]


def test_beat_looks_twice_far_enough_apart_to_confirm() -> None:
    schedule: Any = settings.CELERY_BEAT_SCHEDULE["check-reservations"]["schedule"]
    first, second = sorted(schedule.minute)

    assert timedelta(minutes=second - first) > CONFIRMED_AFTER


def test_orders_that_move_to_another_shard_in_the_middle_of_each_look_are_no_drift(
    orders: Database[Document], monkeypatch: pytest.MonkeyPatch
) -> None:
    """From where one shard has still to be read on to where the other has been read already."""
    guest = a_guest_elsewhere()
    sell("PROD-1", Decimal("3990.00"), msk=1_000)
    moving = [one_bought(guest), one_bought(guest)]
    settle_queued()
    # A cursor's first batch holds 101 documents, newest first: all of the customer's are older than those that move,
    # all of the guest's are younger.
    made: dict[str, Any] = {"client_key": None, "cart_id": "0" * 24}
    copies(orders, moving[0], 150, owner=CUSTOMER, **made)
    younger = copies(orders, moving[0], 150, owner=guest, **made)
    orders["orders"].update_many({"_id": {"$in": younger}}, {"$set": {"created_at": datetime.now(UTC)}})
    orders["products"].update_one({"_id": "PROD-1"}, {"$inc": {"stock.0.reserved": 300, "version": 1}})
    started = COMMANDS.started

    def moving_meanwhile(event: CommandStartedEvent) -> None:
        if event.command_name == "getMore" and event.command["collection"] == "orders" and moving:
            orders["orders"].find_one_and_update(
                {"owner": guest, "_id": moving.pop()["_id"]}, {"$set": {"owner": CUSTOMER}}
            )
        started(event)

    monkeypatch.setattr(COMMANDS, "started", moving_meanwhile)

    assert [*find_differences(), *find_differences()] == []
    assert moving == []
    assert orders["orders"].count_documents({"owner": CUSTOMER}) == 152


def test_no_difference_is_seen_while_guests_sign_in(orders: Database[Document]) -> None:
    sell("PROD-1", Decimal("3990.00"), msk=1_000)
    guests = [guest_owner(session_hash(f"guest-{number}")) for number in range(40)]
    for guest in guests:
        one_bought(guest)
    settle_queued()
    stop = threading.Event()

    def sign_in_and_out(mine: Sequence[str]) -> None:
        """Each order to the customer and back: claims go one way, the document moves alike."""
        while not stop.is_set():
            for guest in mine:
                claim_orders(guest, CUSTOMER)
            for guest in mine:
                orders["orders"].find_one_and_update(
                    {"owner": CUSTOMER, "past_owners": guest}, {"$set": {"owner": guest, "past_owners": []}}
                )

    with ThreadPoolExecutor(4) as pool:
        signing = [pool.submit(sign_in_and_out, guests[number::4]) for number in range(4)]
        seen = [found for _ in range(25) for found in find_differences()]
        stop.set()
        for each in signing:
            each.result()

    assert seen == []
    assert reserved(orders, "PROD-1") == (1_000, 40)
    assert orders["orders"].count_documents({"status": "new"}) == 40


def test_no_difference_is_seen_while_the_shop_sells(orders: Database[Document]) -> None:
    sell("PROD-1", Decimal("3990.00"), msk=1_000)
    stop = threading.Event()
    seen: list[Difference] = []

    def buy_and_cancel(number: int) -> None:
        owner = buyer(number)
        while not stop.is_set():
            try:
                fill(owner, ("PROD-1", 1))
                order = buy(owner).order
                move_order(order["_id"], OrderStatus.CANCELLED, who=Who.BUYER, actor=BY_BUYER)
            except DomainError:
                continue

    with ThreadPoolExecutor(4) as pool:
        buying = [pool.submit(buy_and_cancel, number) for number in range(4)]
        for _ in range(10):
            seen += find_differences()
        stop.set()
        for each in buying:
            each.result()

    assert seen == []
    settle_queued()
    assert_nothing_oversold(orders)
