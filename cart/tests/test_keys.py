"""Lines added under a key are added once, whatever becomes of the cart or its owner in between."""

import os
import signal
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from pymongo.database import Database

from cart.line_checks import checked_to_add
from cart.lines import Put, done_before, put_once, remove_lines
from cart.merge import MergeMode, merge_guest_cart
from cart.tests.buyer import Buyer, contents, lines
from cart.tests.keyed_lines import add, key_of
from cart.tests.shop import CUSTOMER, GUEST, carts, line, quantities, sell
from catalog.tests.shop import raised
from gateway.idempotency.embedded import MAX_RECEIPTS
from gateway.idempotency.keys import KEPT
from gateway.mongo.client import Document
from gateway.mongo.commands import COMMANDS, Sent
from gateway.tests.races import at_once, paused_process

PROGRAM = """
from cart.tests.keyed_lines import add
add()
"""
ADD = """
mutation ($lines: [CartLineInput!]!, $key: String) {
  a: cartLinesAdd(lines: $lines, idempotencyKey: $key) {
    cart { lines { productId quantity } } token userErrors { code field } warnings { code message }
  }
}"""


def order_the_cart(database: Database[Document]) -> None:
    database["carts"].update_one({"status": "active"}, {"$set": {"status": "ordered", "order_id": "o"}})


def test_lines_repeated_under_their_key_are_added_once(stocked: Database[Document]) -> None:
    first, again, other = add(), add(), add("k-2")

    assert (first.replayed, again.replayed, other.replayed) == (False, True, False)
    assert quantities(again.cart) == [("PROD-1", 2)]
    assert quantities(other.cart) == [("PROD-1", 4)]


def test_repeated_after_the_lines_were_taken_out_they_stay_out(stocked: Database[Document]) -> None:
    add()
    remove_lines(CUSTOMER, ["PROD-1"])

    again = add()

    assert (again.replayed, quantities(again.cart)) == (True, [])


def test_same_key_with_other_input_is_refused_and_nothing_changes(stocked: Database[Document]) -> None:
    add()
    before = carts(stocked)

    assert raised(lambda: add(quantity=3)) == [("CONFLICT", ("idempotency_key",))]
    assert carts(stocked) == before


def test_repeated_after_the_cart_was_ordered_nothing_is_added_to_the_next(stocked: Database[Document]) -> None:
    add()
    order_the_cart(stocked)

    assert add() == Put(None, replayed=True)
    add("k-2")
    assert quantities(add().cart) == [("PROD-1", 2)]
    assert raised(lambda: add(quantity=9)) == [("CONFLICT", ("idempotency_key",))]


def test_cart_that_was_ordered_between_the_look_and_the_write_keeps_its_key(stocked: Database[Document]) -> None:
    """The index decides: a second cart of the owner cannot have the key."""
    add()
    order_the_cart(stocked)
    add("k-2")
    key = key_of("k-1")

    done = put_once(CUSTOMER, checked_to_add([line("PROD-1", 2)], None), key)

    assert done.replayed is True
    assert [len(cart["receipts"]) for cart in carts(stocked)] == [1, 1]


@pytest.mark.parametrize("cart", ["none", "active"])
def test_ten_at_once_under_one_key_add_once(stocked: Database[Document], cart: str) -> None:
    if cart == "active":
        add("k-0")
    before = 2 if cart == "active" else 0

    results = at_once(*[add] * 10)

    assert [result.replayed for result in results].count(False) == 1
    assert quantities(carts(stocked)[0]) == [("PROD-1", before + 2)]
    assert len(carts(stocked)) == 1


def test_orders_in_between_do_not_let_one_key_add_twice(stocked: Database[Document]) -> None:
    def order() -> None:
        for _ in range(20):
            order_the_cart(stocked)

    at_once(order, *[add] * 8)

    assert sum(item["quantity"] for cart in carts(stocked) for item in cart["items"]) == 2


@pytest.mark.parametrize(("when", "done"), [("sent", False), ("answered", True)])
def test_killed_around_the_write_and_repeated_it_is_added_once(
    stocked: Database[Document], when: Any, done: bool
) -> None:
    add("k-0")
    with paused_process(stocked, PROGRAM, command="findAndModify", collection="carts", when=when) as process:
        os.kill(process.pid, signal.SIGKILL)
        process.wait()

    assert add().replayed is done
    assert quantities(carts(stocked)[0]) == [("PROD-1", 4)]


@pytest.mark.parametrize("own", [False, True])
@pytest.mark.parametrize("mode", [MergeMode.MERGE, MergeMode.KEEP_GUEST])
def test_guest_who_signed_in_repeats_as_the_customer_and_nothing_is_added(
    stocked: Database[Document], own: bool, mode: MergeMode
) -> None:
    add(owner=GUEST)
    if own:
        add("k-own", quantity=1)
    merge_guest_cart(GUEST, CUSTOMER, mode)

    as_customer, as_guest = add(), add(owner=GUEST)

    assert (as_customer.replayed, as_guest.replayed) == (True, True)
    assert quantities(as_customer.cart) == quantities(as_guest.cart) == [("PROD-1", 2)]


def test_key_that_guest_and_customer_both_used_keeps_the_customers_meaning(stocked: Database[Document]) -> None:
    add(owner=GUEST, quantity=3)
    add(quantity=2)
    order_the_cart(stocked)
    add(owner=GUEST, text="k-2", quantity=1)

    merge_guest_cart(GUEST, CUSTOMER, MergeMode.MERGE)

    assert add(quantity=2).replayed is True


def test_receipts_are_bounded_and_those_of_two_days_ago_make_room(stocked: Database[Document]) -> None:
    add("k-0", quantity=1)
    (cart,) = carts(stocked)
    many = [{**cart["receipts"][0], "key": str(number)} for number in range(MAX_RECEIPTS)]
    stocked["carts"].update_one({"_id": cart["_id"]}, {"$set": {"receipts": many}})

    assert raised(lambda: add("k-1", quantity=1)) == [("RATE_LIMITED", ("idempotency_key",))]
    assert quantities(carts(stocked)[0]) == [("PROD-1", 1)]

    old = [{**each, "at": each["at"] - KEPT - timedelta(minutes=1)} for each in many]
    stocked["carts"].update_one({"_id": cart["_id"]}, {"$set": {"receipts": old}})
    assert add("k-1", quantity=1).replayed is False
    assert len(carts(stocked)[0]["receipts"]) == 1


def test_keys_are_kept_longer_than_a_day() -> None:
    assert timedelta(hours=24) <= KEPT


def test_key_costs_no_command_when_there_is_a_cart_and_reaches_one_shard(stocked: Database[Document]) -> None:
    add("k-0")
    checked = checked_to_add([line("PROD-1", 2)], None)

    with COMMANDS.counted() as without:
        put_once(CUSTOMER, checked, None)
    with COMMANDS.counted() as under_a_key:
        put_once(CUSTOMER, checked, key_of("k-1"))
    with COMMANDS.counted() as looking:
        done_before(CUSTOMER, key_of("k-2"))

    assert under_a_key == without == {Sent("findAndModify", "carts", "", 1): 1}
    assert looking == {Sent("find", "carts", "carts.active", 1): 1}


def test_client_that_lost_the_answer_asks_again_and_is_told_so(guest: Buyer, stocked: Database[Document]) -> None:
    wanted = lines(("PROD-1", 2))
    guest.send(ADD, lines=lines(("PROD-2", 1)))
    first = guest.send(ADD, lines=wanted, key="k-1")

    again = guest.send(ADD, lines=wanted, key=" k-1\u00a0")

    assert contents(first) == contents(again) == [("PROD-2", 1), ("PROD-1", 2)]
    assert (first["warnings"], [each["code"] for each in again["warnings"]]) == ([], ["REPLAYED"])
    other = guest.send(ADD, lines=lines(("PROD-1", 3)), key="k-1")
    assert other["userErrors"] == [{"code": "CONFLICT", "field": ["idempotencyKey"]}]
    assert guest.send(ADD, lines=wanted, key=" ")["userErrors"] == [{"code": "REQUIRED", "field": ["idempotencyKey"]}]


def test_what_was_added_is_told_as_done_though_the_product_is_no_longer_sold(
    guest: Buyer, stocked: Database[Document]
) -> None:
    wanted = lines(("PROD-1", 2))
    guest.send(ADD, lines=wanted, key="k-1")
    sell("PROD-1", Decimal("3990.00"), withdrawn=True)

    again = guest.send(ADD, lines=wanted, key="k-1")

    assert again["userErrors"] == []
    assert "REPLAYED" in [each["code"] for each in again["warnings"]]
