"""The list of staff: narrowed on an index, and searched inside of what it is narrowed to."""

from datetime import timedelta

import pytest
from pymongo.database import Database

from cart.tests.shop import CUSTOMER
from gateway.mongo.client import Document
from gateway.mongo.reads import run
from gateway.paging import Slice
from ordering.documents import OrderDocument
from ordering.models import OrderStatus
from ordering.reading.listing import EVERYTHING, Narrowing, listed_orders
from ordering.reading.lookup import look_up
from ordering.reading.queues import TO_PACK
from ordering.tests.bulk import FIRST, copies, explained, one_bought
from ordering.tests.copies import Run, archive, days_ago, placed, some_customer


@pytest.fixture
def shelf(orders: Database[Document]) -> dict[str, list[str]]:
    """Ids of thirty orders, ten of each kind, newest first."""
    order = one_bought(CUSTOMER)
    orders["orders"].delete_many({})
    return {
        "new in msk": copies(orders, order, 10),
        "paid in msk": copies(orders, order, 10, status="paid"),
        "paid in spb": copies(orders, order, 10, status="paid", geozone="spb"),
    }


@pytest.mark.parametrize(
    ("narrowing", "kinds"),
    [
        (EVERYTHING, ["paid in spb", "paid in msk", "new in msk"]),
        (Narrowing(status=OrderStatus.PAID), ["paid in spb", "paid in msk"]),
        (Narrowing(geozone="msk"), ["paid in msk", "new in msk"]),
        (Narrowing(geozone="msk", status=OrderStatus.PAID), ["paid in msk"]),
        (Narrowing(since=FIRST + timedelta(minutes=7)), ["paid in spb"]),
        (Narrowing(status=OrderStatus.PAID, until=FIRST + timedelta(minutes=6)), ["paid in msk"]),
    ],
    ids=str,
)
def test_list_is_narrowed_on_an_index_and_reads_what_it_shows(
    shelf: dict[str, list[str]], narrowing: Narrowing, kinds: list[str]
) -> None:
    expected = [each for kind in kinds for each in shelf[kind]]
    if narrowing.since or narrowing.until:
        expected = [each for each in expected if _within(each, narrowing)]

    page = run(listed_orders(narrowing, Slice(50)))

    assert [order["_id"] for order in page.documents] == expected
    statistics, stages = explained(listed_orders(narrowing, Slice(50)))
    assert statistics["totalKeysExamined"] <= len(expected) + 1
    assert not {"COLLSCAN", "SORT"} & stages


def test_pages_of_a_narrowed_list_go_on_where_the_last_ended(shelf: dict[str, list[str]]) -> None:
    narrowing = Narrowing(status=OrderStatus.PAID, since=FIRST)
    first = run(listed_orders(narrowing, Slice(15)))

    second = run(listed_orders(narrowing, Slice(15, beyond=narrowing.position_of(first.documents[-1]))))

    ids = [order["_id"] for order in (*first.documents, *second.documents)]
    assert ids == [*shelf["paid in spb"], *shelf["paid in msk"]]
    assert (first.has_next, second.has_next) == (True, False)


def test_queue_is_narrowed_too_longest_waiting_first(shelf: dict[str, list[str]]) -> None:
    page = run(listed_orders(Narrowing(queue=TO_PACK, geozone="spb"), Slice(50)))

    assert [order["_id"] for order in page.documents] == shelf["paid in spb"][::-1]


def test_search_is_inside_of_the_narrowing_before_it_is_cut(running: Run, shelf: dict[str, list[str]]) -> None:
    found = running(look_up("Покупатель", Slice(5), Narrowing(status=OrderStatus.NEW)))

    assert [order["_id"] for order in found.documents] == shelf["new in msk"][:5]
    assert found.has_next
    queued = running(look_up("Покупатель", Slice(50), Narrowing(queue=TO_PACK, geozone="msk")))
    assert [order["_id"] for order in queued.documents] == shelf["paid in msk"]


def test_archived_orders_are_searched_inside_of_the_narrowing(
    running: Run, orders: Database[Document], ivan: OrderDocument
) -> None:
    owner = some_customer()
    old = placed(orders, ivan, *days_ago(1, 400, 401, 402, 403), owner=owner)
    orders["orders"].update_many({"_id": {"$in": old[1:4]}}, {"$set": {"geozone": "spb"}})
    archive(orders, old[1:])
    email = ivan["contact"]["email"]

    there = running(look_up(email, Slice(2), Narrowing(geozone="msk")))
    elsewhere = running(look_up(email, Slice(2), Narrowing(geozone="spb")))

    assert ([order["_id"] for order in there.documents], there.has_next) == ([old[0], old[4]], False)
    assert ([order["_id"] for order in elsewhere.documents], elsewhere.has_next) == (old[1:3], True)
    assert running(look_up(email, Slice(2), Narrowing(status=OrderStatus.NEW))).documents == []


def _within(order_id: str, narrowing: Narrowing) -> bool:
    made = FIRST + timedelta(minutes=int(order_id[:8], 16) // 3)
    return (narrowing.since is None or made >= narrowing.since) and (narrowing.until is None or made < narrowing.until)
