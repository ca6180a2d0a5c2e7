"""An owner's history and the slices of staff: complete, in order, by key, on their indexes."""

from collections.abc import Callable

import pytest
from pymongo.database import Database

from cart.tests.shop import CUSTOMER, GUEST, fill
from gateway.mongo.client import Document
from gateway.mongo.commands import COMMANDS, Sent
from gateway.mongo.reads import Read, run
from gateway.paging import Page, Slice
from ordering.documents import OrderDocument
from ordering.models import OrderStatus
from ordering.reading.history import (
    orders_in_geozone,
    orders_in_status,
    orders_of,
    position_of,
    unsynced_orders_of,
)
from ordering.tests.bulk import copies, explained, one_bought
from ordering.tests.shop import buy

PAGE = 10
READS: dict[str, Callable[[Slice], Read[Page[OrderDocument]]]] = {
    "owner": lambda part: orders_of(CUSTOMER, part),
    "status": lambda part: orders_in_status(OrderStatus.NEW, part),
    "geozone": lambda part: orders_in_geozone("msk", part),
}


def ids(page: Page[OrderDocument]) -> list[str]:
    return [order["_id"] for order in page.documents]


def walked(read: Callable[[Slice], Read[Page[OrderDocument]]], *, backward: bool) -> list[str]:
    """All pages, one after the other, put together in the order of the list."""
    found: list[str] = []
    part = Slice(PAGE, backward)
    while True:
        page = run(read(part))
        found = [*ids(page), *found] if backward else [*found, *ids(page)]
        if not (page.has_previous if backward else page.has_next):
            return found
        part = Slice(PAGE, backward, position_of(page.documents[0 if backward else -1]))


@pytest.mark.parametrize("backward", [False, True], ids=["forward", "backward"])
@pytest.mark.parametrize("name", ["owner", "status"])
def test_pages_show_every_order_once_newest_first(orders: Database[Document], name: str, backward: bool) -> None:
    order = one_bought(CUSTOMER)
    expected = [order["_id"], *copies(orders, order, 35)]

    assert walked(READS[name], backward=backward) == expected


def test_new_order_stands_first_at_once(orders: Database[Document]) -> None:
    copies(orders, one_bought(CUSTOMER), 3)
    fill(CUSTOMER, ("PROD-1", 1))

    order = buy(client_key="again").order

    assert run(orders_of(CUSTOMER, Slice(1))).documents == [orders["orders"].find_one({"_id": order["_id"]})]


def test_order_made_between_two_pages_moves_nothing(orders: Database[Document]) -> None:
    expected = copies(orders, one_bought(GUEST), 12, owner=CUSTOMER)
    first = run(orders_of(CUSTOMER, Slice(6)))
    fill(CUSTOMER, ("PROD-1", 1))
    buy()

    second = run(orders_of(CUSTOMER, Slice(6, beyond=position_of(first.documents[-1]))))

    assert [*ids(first), *ids(second)] == expected
    assert (second.has_next, second.has_previous) == (False, True)


def test_history_is_the_owners_alone_and_of_the_statuses_asked_for(orders: Database[Document]) -> None:
    order = one_bought(CUSTOMER)
    paid = copies(orders, order, 2, status="paid")
    copies(orders, order, 2, status="cancelled")
    copies(orders, order, 2, owner=GUEST, status="paid")

    assert ids(run(orders_of(CUSTOMER, Slice(9), {OrderStatus.PAID}))) == paid
    assert ids(run(orders_of(CUSTOMER, Slice(9), {OrderStatus.PAID, OrderStatus.NEW}))) == [order["_id"], *paid]
    assert len(run(orders_of(CUSTOMER, Slice(9))).documents) == 5


def test_slices_hold_one_status_and_one_geozone(orders: Database[Document]) -> None:
    order = one_bought(CUSTOMER)
    here = copies(orders, order, 2, status="paid")
    there = copies(orders, order, 2, status="paid", geozone="spb", owner=GUEST)

    assert ids(run(orders_in_status(OrderStatus.PAID, Slice(9)))) == [*there, *here]
    assert ids(run(orders_in_status(OrderStatus.PAID, Slice(9), geozone="spb"))) == there
    assert ids(run(orders_in_status(OrderStatus.SHIPPED, Slice(9)))) == []


def test_history_is_one_command_to_one_shard_and_slices_ask_every_shard(orders: Database[Document]) -> None:
    copies(orders, one_bought(CUSTOMER), 3)
    beyond = position_of(run(orders_of(CUSTOMER, Slice(1))).documents[0])

    with COMMANDS.counted() as history:
        run(orders_of(CUSTOMER, Slice(2)))
        run(orders_of(CUSTOMER, Slice(2, beyond=beyond), {OrderStatus.NEW}))
    with COMMANDS.counted() as slices:
        run(orders_in_status(OrderStatus.NEW, Slice(2)))
        run(orders_in_geozone("msk", Slice(2)))

    assert history == {Sent("find", "orders", "orders.history_fresh", 1): 2}
    assert slices == {Sent("find", "orders", "orders.status", 2): 1, Sent("find", "orders", "orders.reports", 2): 1}


@pytest.mark.parametrize("backward", [False, True], ids=["forward", "backward"])
def test_page_of_a_history_examines_what_it_shows_and_one_more(orders: Database[Document], backward: bool) -> None:
    order = one_bought(CUSTOMER)
    copies(orders, order, 40)
    copies(orders, order, 40, owner=GUEST)
    middle = run(orders_of(CUSTOMER, Slice(20))).documents[-1]

    for beyond in (None, position_of(middle)):
        statistics, stages = explained(orders_of(CUSTOMER, Slice(PAGE, backward, beyond)))

        assert statistics["nReturned"] == PAGE + 1
        # Of a range of one moment and one of further moments, each branch holds one key in hand.
        assert statistics["totalKeysExamined"] <= PAGE + 1 + (beyond is not None)
        assert statistics["totalDocsExamined"] <= PAGE + 1 + (beyond is not None)
        assert "SORT" not in stages
        assert "SINGLE_SHARD" in stages


@pytest.mark.parametrize("backward", [False, True], ids=["forward", "backward"])
def test_what_is_owed_of_a_history_is_found_without_looking_at_the_rest(
    orders: Database[Document], backward: bool
) -> None:
    order = one_bought(CUSTOMER)
    all_ids = [order["_id"], *copies(orders, order, 40)]
    owed = [all_ids[0], all_ids[7], all_ids[8]]
    orders["orders"].update_many({"_id": {"$nin": owed}}, {"$unset": {"unsynced": 1}})
    middle = run(orders_of(CUSTOMER, Slice(20))).documents[7 if backward else 0]
    expected = {None: owed[::-1] if backward else owed, position_of(middle): owed[:1] if backward else owed[1:]}

    for beyond, found in expected.items():
        read = unsynced_orders_of(CUSTOMER, Slice(5, backward, beyond))
        statistics, stages = explained(read)

        assert [document["_id"] for document in run(read)] == found
        assert statistics["totalDocsExamined"] == 3
        assert "SINGLE_SHARD" in stages


@pytest.mark.parametrize("name", ["status", "geozone"])
def test_page_of_a_slice_examines_one_page_on_every_shard(orders: Database[Document], name: str) -> None:
    order = one_bought(CUSTOMER)
    copies(orders, order, 40)
    copies(orders, order, 40, owner=GUEST)
    copies(orders, order, 40, owner=GUEST, status="paid", geozone="spb")
    middle = run(READS["status"](Slice(20))).documents[-1]

    for beyond in (None, position_of(middle)):
        statistics, stages = explained(READS[name](Slice(PAGE, beyond=beyond)))

        assert statistics["totalKeysExamined"] <= 2 * (PAGE + 1 + (beyond is not None))
        assert "SORT" not in stages
