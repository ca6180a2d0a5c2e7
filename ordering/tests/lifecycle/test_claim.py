"""A guest signs in: the orders become the customer's, whole, once, whatever else happens to them at that moment."""

import os
import signal
from decimal import Decimal
from functools import partial

import pytest
from bson import Decimal128
from pymongo.database import Database

from cart.tests.shop import CUSTOMER, GUEST, fill, sell
from gateway.accounts.owners import guest_owner, session_hash, user_id_of
from gateway.mongo.client import Document
from gateway.mongo.commands import COMMANDS, Sent
from gateway.mongo.reads import run
from gateway.paging import Slice
from gateway.tests.races import at_once, just_before, paused_process
from ordering.checkout.holds import settle_queued
from ordering.documents import OrderDocument
from ordering.events import BY_BUYER, BY_PAYMENT_SYSTEM
from ordering.ledger.references import Reference
from ordering.lifecycle import claim
from ordering.lifecycle.claim import BATCH, claim_orders
from ordering.lifecycle.moves import move_order
from ordering.lifecycle.transitions import Who
from ordering.models import OrderStatus
from ordering.payments.payments import IncomingMoney, receive_payment
from ordering.reading.history import orders_of
from ordering.reading.lookup import lookup
from ordering.reading.orders import find_order
from ordering.tests.bulk import copies, one_bought
from ordering.tests.shop import a_guest_elsewhere, assert_nothing_oversold, buy, reserved

PAID = IncomingMoney(Decimal(3990), Reference("pay"), "webhook", BY_PAYMENT_SYSTEM)
CLAIM = """
from ordering.lifecycle.claim import claim_orders
claim_orders({guest!r}, {customer!r})
"""


def claim_by(guest: str) -> str:
    """For a process of its own."""
    return CLAIM.format(guest=guest, customer=CUSTOMER)


def bought(owner: str, number: int) -> list[OrderDocument]:
    """So many orders of this owner, oldest first."""
    sell("PROD-1", Decimal("3990.00"), msk=100)
    made = []
    for each in range(number):
        fill(owner, ("PROD-1", 1))
        made.append(buy(owner, client_key=f"{owner}-{each}").order)
    return made


def stored(database: Database[Document], owner: str | None = None) -> list[Document]:
    return list(database["orders"].find({"owner": owner} if owner else {}).sort("_id"))


def test_orders_become_the_customers_with_their_history(orders: Database[Document]) -> None:
    guest = a_guest_elsewhere()
    first, second = bought(guest, 2)
    paid = receive_payment(
        first["_id"], IncomingMoney(Decimal("3990.00"), Reference("pay-1"), "webhook", BY_PAYMENT_SYSTEM)
    )
    before = {order["_id"]: order for order in stored(orders, guest)}

    assert claim_orders(guest, CUSTOMER) == 2

    assert stored(orders, guest) == []
    after = {order["_id"]: order for order in stored(orders, CUSTOMER)}
    assert list(after) == [first["_id"], second["_id"]]
    order = after[first["_id"]]
    changed = {"owner", "past_owners", "user_id", "keys", "events", "updated_at", "version"}
    assert {name for name in order if order[name] != before[first["_id"]][name]} == changed
    assert (order["user_id"], order["version"]) == (user_id_of(CUSTOMER), paid["version"] + 1)
    assert order["past_owners"] == [guest]
    assert set(order["keys"]) == {*before[first["_id"]]["keys"], f"user:{user_id_of(CUSTOMER)}"}
    assert [(each["type"], each["status"], each["actor"]) for each in order["events"]] == [
        ("created", "new", "buyer"),
        ("moved", "paid", "payments"),
        ("claimed", "paid", "buyer"),
    ]
    settle_queued()
    assert_nothing_oversold(orders)


def test_claimed_order_is_found_by_history_by_its_old_id_and_by_support(orders: Database[Document]) -> None:
    guest = a_guest_elsewhere()
    (order,) = bought(guest, 1)

    claim_orders(guest, CUSTOMER)

    found = find_order(order["_id"], owner=guest)
    assert found is not None
    assert found["owner"] == CUSTOMER
    assert run(orders_of(CUSTOMER, Slice(5))).documents == [found]
    assert run(orders_of(guest, Slice(5))).documents == []
    assert run(lookup(str(user_id_of(CUSTOMER)), Slice(5))).documents == [found]


def test_claiming_again_or_nothing_changes_nothing(orders: Database[Document]) -> None:
    bought(GUEST, 1)
    claim_orders(GUEST, CUSTOMER)
    before = stored(orders)

    assert claim_orders(GUEST, CUSTOMER) == 0
    assert claim_orders(guest_owner(session_hash("bought-nothing")), CUSTOMER) == 0
    assert stored(orders) == before


def test_key_of_the_customers_own_order_is_dropped_from_the_guests(orders: Database[Document]) -> None:
    fill(CUSTOMER, ("PROD-1", 1))
    own = buy(client_key="k-1").order
    fill(GUEST, ("PROD-1", 1))
    same = buy(GUEST, client_key="k-1").order
    fill(GUEST, ("PROD-1", 2))
    another = buy(GUEST, client_key="k-2").order

    claim_orders(GUEST, CUSTOMER)

    keys = {order["_id"]: order["client_key"] for order in stored(orders, CUSTOMER)}
    assert keys == {own["_id"]: "k-1", same["_id"]: None, another["_id"]: "k-2"}
    assert buy(client_key="k-2").order["_id"] == another["_id"]


def test_more_than_a_batch_is_claimed_whole(orders: Database[Document]) -> None:
    copies(orders, one_bought(GUEST), BATCH + 5, client_key=None)

    assert claim_orders(GUEST, CUSTOMER) == BATCH + 6
    assert len(stored(orders, CUSTOMER)) == BATCH + 6
    assert stored(orders, GUEST) == []


def test_nothing_to_claim_costs_one_targeted_read(orders: Database[Document]) -> None:
    with COMMANDS.counted() as sent:
        claim_orders(GUEST, CUSTOMER)

    assert sent == {Sent("find", "orders", "orders.history_fresh", 1): 1}


def test_purchase_of_the_customer_under_the_same_key_in_the_middle_is_respected(
    orders: Database[Document], monkeypatch: pytest.MonkeyPatch
) -> None:
    guest = a_guest_elsewhere()
    (order,) = bought(guest, 1)
    key = order["client_key"]
    document = {**order, "_id": "another", "owner": CUSTOMER, "client_key": key, "number": "another"}
    # Outside of the claim's transaction.
    just_before(monkeypatch, claim, "_move", lambda: orders["orders"].insert_one(document))

    assert claim_orders(guest, CUSTOMER) == 1

    assert {each["_id"]: each["client_key"] for each in stored(orders)} == {"another": key, order["_id"]: None}


def test_several_claims_at_once_claim_once(orders: Database[Document]) -> None:
    guest = a_guest_elsewhere()
    bought(guest, 5)

    results = at_once(*[partial(claim_orders, guest, CUSTOMER) for _ in range(6)])

    assert sorted(results) == [0, 0, 0, 0, 0, 5]
    assert all(
        [event["type"] for event in order["events"]] == ["created", "claimed"] and order["version"] == 2
        for order in stored(orders, CUSTOMER)
    )
    assert len(stored(orders)) == 5


@pytest.mark.parametrize("turn", range(3))
def test_payments_and_cancellations_of_that_moment_are_neither_lost_nor_refused(
    orders: Database[Document], turn: int
) -> None:
    guest = a_guest_elsewhere()
    made = bought(guest, 8)
    to_pay, to_cancel = made[:4], made[4:]

    at_once(
        partial(claim_orders, guest, CUSTOMER),
        *[partial(receive_payment, each["_id"], PAID, owner=guest) for each in to_pay],
        *[
            partial(move_order, each["_id"], OrderStatus.CANCELLED, who=Who.BUYER, actor=BY_BUYER, owner=guest)
            for each in to_cancel
        ],
    )

    after = {order["_id"]: order for order in stored(orders)}
    assert len(after) == 8
    assert {order["owner"] for order in after.values()} == {CUSTOMER}
    assert [after[each["_id"]]["status"] for each in made] == ["paid"] * 4 + ["cancelled"] * 4
    assert all(after[each["_id"]]["money"][0]["amount"] == Decimal128("3990") for each in to_pay)
    assert all(
        sorted(event["type"] for event in order["events"]) == ["claimed", "created", "moved"]
        and order["version"] == 3
        and order["stock_due"] == []
        for order in after.values()
    )
    settle_queued()
    assert reserved(orders, "PROD-1") == (96, 0)


@pytest.mark.parametrize(
    ("command", "number"),
    [
        pytest.param("update", 2, id="between two orders"),
        pytest.param("commitTransaction", 1, id="before the commit"),
    ],
)
def test_process_killed_inside_a_claim_leaves_all_to_the_guest_and_the_next_claim_moves_all(
    orders: Database[Document], command: str, number: int
) -> None:
    guest = a_guest_elsewhere()
    bought(guest, 3)
    before = stored(orders)

    with paused_process(orders, claim_by(guest), command=command, number=number) as process:
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        assert stored(orders) == before

        # Waits until the server has dropped the transaction of the dead.
        assert claim_orders(guest, CUSTOMER) == 3

    assert [(order["owner"], order["version"]) for order in stored(orders)] == [(CUSTOMER, 2)] * 3


def test_process_killed_after_the_commit_has_claimed_and_nothing_happens_twice(orders: Database[Document]) -> None:
    guest = a_guest_elsewhere()
    bought(guest, 3)

    with paused_process(orders, claim_by(guest), command="commitTransaction", when="answered") as process:
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    claimed = stored(orders, CUSTOMER)

    assert len(claimed) == 3
    assert claim_orders(guest, CUSTOMER) == 0
    assert stored(orders) == claimed


def test_payment_of_an_order_that_a_dead_process_was_claiming_is_taken(orders: Database[Document]) -> None:
    guest = a_guest_elsewhere()
    (order,) = bought(guest, 1)

    with paused_process(orders, claim_by(guest), command="commitTransaction") as process:
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        receive_payment(order["_id"], PAID, owner=guest)

    assert [(each["owner"], each["status"]) for each in stored(orders)] == [(guest, "paid")]
    assert claim_orders(guest, CUSTOMER) == 1
