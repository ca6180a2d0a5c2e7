"""A client key is bound to the order made under it: never a second one, never another's, and the past is marked."""

import os
import signal
from collections.abc import Iterator
from functools import partial

import pytest
from pymongo.database import Database

from cart.lines import clear
from cart.merge import MergeMode
from cart.tests.shop import CUSTOMER, GUEST, fill
from catalog.tests.shop import raised
from gateway.domain.errors import DomainError
from gateway.mongo.client import Document
from gateway.tests.races import at_once, paused_process
from gateway.viewer.handover import hand_over
from ordering.checkout.checkout import Bought
from ordering.checkout.holds import settle_queued
from ordering.documents import OrderDocument
from ordering.events import BY_BUYER
from ordering.lifecycle.moves import move_order
from ordering.lifecycle.transitions import Who
from ordering.models import OrderStatus
from ordering.tests.shop import a_guest_elsewhere, assert_nothing_oversold, buy, reserved

PROGRAM = """
from ordering.tests.shop import buy, CUSTOMER
buy(CUSTOMER, client_key="k-1")
"""


@pytest.fixture(autouse=True)
def _whole(orders: Database[Document]) -> Iterator[None]:
    """Whatever a test does, at its end stock and orders agree and no key has two orders."""
    yield
    settle_queued()
    assert_nothing_oversold(orders)
    keys = [(order["owner"], order["client_key"]) for order in orders["orders"].find({"client_key": {"$ne": None}})]
    assert len(set(keys)) == len(keys)


def cancel(order: OrderDocument) -> None:
    move_order(order["_id"], OrderStatus.CANCELLED, who=Who.BUYER, actor=BY_BUYER)


def test_key_returns_its_order_even_when_another_cart_is_being_filled(orders: Database[Document]) -> None:
    fill(CUSTOMER, ("PROD-1", 2))
    first = buy(client_key="k-1")
    fill(CUSTOMER, ("PROD-2", 1))

    again, another = buy(client_key="k-1"), buy(client_key="k-2")

    assert (first.replayed, again.replayed, another.replayed) == (False, True, False)
    assert again.order["_id"] == first.order["_id"] != another.order["_id"]


def test_key_with_other_input_is_refused_and_buys_nothing(orders: Database[Document]) -> None:
    fill(CUSTOMER, ("PROD-1", 2))
    buy(client_key="k-1")
    fill(CUSTOMER, ("PROD-2", 1))

    assert raised(lambda: buy(client_key="k-1", geozone="spb")) == [("CONFLICT", ("client_key",))]
    assert orders["orders"].count_documents({}) == 1


@pytest.mark.parametrize("other", ["k 1", " k\u00a01 ", "k\t1", "\u200bk 1", "k\u2003 1\n"])
def test_keys_that_look_alike_are_one_key(orders: Database[Document], other: str) -> None:
    fill(CUSTOMER, ("PROD-1", 1))
    first = buy(client_key="k 1").order
    fill(CUSTOMER, ("PROD-1", 1))

    assert buy(client_key=other).order["_id"] == first["_id"]
    assert orders["orders"].count_documents({}) == 1


@pytest.mark.parametrize("blank", [" ", "\u200b", "\u00a0\t"])
def test_key_of_nothing_is_refused_rather_than_forgotten(orders: Database[Document], blank: str) -> None:
    fill(CUSTOMER, ("PROD-1", 1))

    assert raised(lambda: buy(client_key=blank)) == [("REQUIRED", ("client_key",))]
    assert orders["orders"].count_documents({}) == 0


def test_new_key_on_an_empty_cart_is_refused_and_buys_once_when_the_cart_is_filled(orders: Database[Document]) -> None:
    fill(CUSTOMER, ("PROD-1", 1))
    first = buy(client_key="k-1").order

    assert raised(lambda: buy(client_key="k-2")) == [("CART_EMPTY", ())]
    assert raised(lambda: buy(client_key="k-2", geozone="spb")) == [("CART_EMPTY", ())]
    fill(CUSTOMER, ("PROD-1", 1))
    second = buy(client_key="k-2")

    assert (second.replayed, second.order["_id"] == first["_id"]) == (False, False)
    fill(CUSTOMER, ("PROD-1", 1))
    assert buy(client_key="k-2").order["_id"] == second.order["_id"]
    assert orders["orders"].count_documents({}) == 2


def test_refused_attempt_leaves_its_key_free(orders: Database[Document]) -> None:
    fill(CUSTOMER, ("PROD-2", 1))
    assert raised(lambda: buy(client_key="k-1", geozone="spb")) == [("OUT_OF_STOCK", ("lines", 0, "quantity"))]

    assert buy(client_key="k-1").replayed is False


@pytest.mark.parametrize("key", [None, "new"])
def test_cancelled_order_is_not_the_answer_to_an_empty_cart(orders: Database[Document], key: str | None) -> None:
    fill(CUSTOMER, ("PROD-1", 1))
    cancel(buy().order)

    assert raised(lambda: buy(client_key=key)) == [("CART_EMPTY", ())]
    fill(CUSTOMER, ("PROD-1", 1))
    clear(CUSTOMER)
    assert raised(lambda: buy(client_key=key)) == [("CART_EMPTY", ())]
    assert orders["orders"].count_documents({}) == 1


def test_key_of_a_cancelled_order_stays_bound_to_it(orders: Database[Document]) -> None:
    fill(CUSTOMER, ("PROD-1", 1))
    first = buy(client_key="k-1").order
    cancel(first)
    fill(CUSTOMER, ("PROD-1", 1))

    again = buy(client_key="k-1")

    assert (again.order["_id"], again.order["status"], again.replayed) == (first["_id"], "cancelled", True)
    assert reserved(orders, "PROD-1") == (10, 0)


def test_key_used_as_a_guest_finds_its_order_after_signing_in(orders: Database[Document]) -> None:
    guest = a_guest_elsewhere()
    fill(guest, ("PROD-1", 1))
    first = buy(guest, client_key="k-1").order

    hand_over(guest, CUSTOMER, MergeMode.MERGE)

    fill(CUSTOMER, ("PROD-1", 1))
    for owner in (CUSTOMER, guest):
        again = buy(owner, client_key="k-1")
        assert (again.order["_id"], again.replayed) == (first["_id"], True)
    assert raised(lambda: buy(guest, client_key="k-2")) == [("CART_EMPTY", ())]
    assert orders["orders"].count_documents({}) == 1


def test_ten_devices_with_one_key_at_once_get_one_order_nine_of_them_from_the_past(orders: Database[Document]) -> None:
    fill(CUSTOMER, ("PROD-1", 1), ("PROD-2", 1))

    results = at_once(*[partial(buy, client_key="k-1")] * 10)

    assert len({result.order["_id"] for result in results}) == 1
    assert [result.replayed for result in results].count(False) == 1


def test_of_ten_devices_with_keys_of_their_own_one_buys_and_the_others_get_no_order(
    orders: Database[Document],
) -> None:
    fill(CUSTOMER, ("PROD-1", 1), ("PROD-2", 1))

    results = at_once(*[partial(buy, client_key=f"device-{each}") for each in range(10)])

    assert [isinstance(result, Bought) for result in results].count(True) == 1
    refused = {reason.code.value for result in results if isinstance(result, DomainError) for reason in result}
    assert refused == {"CART_EMPTY"}
    assert orders["orders"].count_documents({}) == 1


def test_one_key_while_the_cart_is_filled_again_and_again_makes_one_order(orders: Database[Document]) -> None:
    def refill() -> None:
        for _ in range(8):
            fill(CUSTOMER, ("PROD-1", 1))

    fill(CUSTOMER, ("PROD-1", 1))

    results = at_once(refill, *[partial(buy, client_key="k-1")] * 6)

    assert len({result.order["_id"] for result in results[1:]}) == 1
    assert orders["orders"].count_documents({}) == 1


def test_checkout_killed_after_the_commit_is_answered_from_the_past(orders: Database[Document]) -> None:
    fill(CUSTOMER, ("PROD-1", 1))
    with paused_process(orders, PROGRAM, command="commitTransaction", when="answered") as process:
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    (made,) = orders["orders"].find()
    fill(CUSTOMER, ("PROD-1", 1))

    again = buy(client_key="k-1")

    assert (again.order["_id"], again.replayed) == (made["_id"], True)
    assert orders["orders"].count_documents({}) == 1
    orders["products"].update_many({}, {"$set": {"holds": []}})


def test_same_key_of_another_buyer_is_another_key(orders: Database[Document]) -> None:
    for owner in (CUSTOMER, GUEST):
        fill(owner, ("PROD-1", 1))

    assert [buy(owner, client_key="k-1").replayed for owner in (CUSTOMER, GUEST)] == [False, False]
    assert orders["orders"].count_documents({}) == 2
