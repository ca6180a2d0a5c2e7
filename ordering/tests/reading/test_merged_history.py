"""One history from two stores: whole, in order, each order once, whichever store has it when it is read."""

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pymongo.database import Database

from cart.tests.shop import CUSTOMER
from gateway.cassandra.reads import read_async
from gateway.cassandra.statements import Row, Select
from gateway.mongo.client import Document
from gateway.mongo.commands import COMMANDS, Sent
from gateway.mongo.reads import run
from gateway.paging import Page, Position, Slice
from gateway.sync.marks import CHANGED
from ordering.cassandra import history
from ordering.documents import OrderDocument
from ordering.lifecycle.claim import claim_orders
from ordering.models import OrderStatus
from ordering.reading import history as merged_history
from ordering.reading.history import history_of, orders_of, position_of
from ordering.tests.bulk import one_bought
from ordering.tests.copies import (
    NO_CASSANDRA,
    AfterTheFirst,
    Run,
    archive,
    copy,
    days_ago,
    placed,
    some_customer,
    some_guest,
    void,
)


def ids(page: Page[OrderDocument]) -> list[str]:
    return [order["_id"] for order in page.documents]


def walked(running: Run, owner: str, *, size: int, backward: bool) -> list[str]:
    """All pages, one after the other, put together in the order of the list."""
    found: list[str] = []
    part = Slice(size, backward)
    while True:
        page = running(history_of(owner, part))
        found = [*ids(page), *found] if backward else [*found, *ids(page)]
        if not (page.has_previous if backward else page.has_next):
            return found
        part = Slice(size, backward, position_of(page.documents[0 if backward else -1]))


def change(shop: Database[Document], order_id: str, **fields: Any) -> None:
    """As every change of an order does, it makes the next version, which Cassandra does not have."""
    shop["orders"].update_one({"_id": order_id}, [{"$set": {**fields, **CHANGED}}])


@pytest.fixture
def like(orders: Database[Document]) -> OrderDocument:
    return one_bought(CUSTOMER)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The months that are read in Cassandra, and «months» for the list of them."""
    seen: list[str] = []

    async def noted(request: Select) -> list[Row]:
        seen.append(request.params[1] if "orders_by_user " in request.cql else "months")
        return await read_async(request)

    monkeypatch.setattr(history, "read_async", noted)
    return seen


@pytest.mark.parametrize("backward", [False, True], ids=["forward", "backward"])
def test_pages_go_across_copied_changed_new_and_archived_orders(
    orders: Database[Document], like: OrderDocument, running: Run, backward: bool
) -> None:
    owner = some_customer()
    all_ids = placed(orders, like, *days_ago(0, 0, 1, 30, 31, 31, 100, 400, 401, 1500), owner=owner)
    copy(orders, all_ids[2:])
    change(orders, all_ids[4], status="paid")
    archive(orders, all_ids[7:])

    assert walked(running, owner, size=3, backward=backward) == all_ids
    page = running(history_of(owner, Slice(20)))
    assert (ids(page), page.has_next, page.has_previous, page.complete) == (all_ids, False, False, True)
    assert page.documents[4]["status"] == "paid"


def test_history_is_the_same_before_and_after_it_is_copied_and_archived(
    orders: Database[Document], like: OrderDocument, running: Run
) -> None:
    owner = some_customer()
    all_ids = placed(orders, like, *days_ago(3, 40, 400), owner=owner)

    def shown() -> list[dict[str, Any]]:
        page = running(history_of(owner, Slice(5)))
        owed = ("events", "stock_due", "mail_due", "letters", "unsynced", "synced_version")
        return [{name: value for name, value in order.items() if name not in owed} for order in page.documents]

    before = shown()
    copy(orders, all_ids)
    placed_in_buckets = [{**order, "period_bucket": 0} for order in before]
    assert [order["_id"] for order in before] == all_ids
    assert shown() == placed_in_buckets
    archive(orders, all_ids)
    assert orders["orders"].count_documents({"owner": owner}) == 0
    assert shown() == placed_in_buckets


def test_order_that_arrives_between_the_two_reads_is_shown_once(
    orders: Database[Document], like: OrderDocument, running: Run, after_the_first: AfterTheFirst
) -> None:
    owner = some_customer()
    all_ids = placed(orders, like, *days_ago(0, 1, 2), owner=owner)
    copy(orders, all_ids[1:])

    after_the_first(merged_history, ("run_async", "copied_orders_of"), lambda: copy(orders, all_ids[:1]))

    assert ids(running(history_of(owner, Slice(5)))) == all_ids
    assert orders["orders"].count_documents({"owner": owner, "unsynced": {"$exists": True}}) == 0


def test_order_made_between_the_two_reads_is_left_to_the_next_time(
    orders: Database[Document], like: OrderDocument, running: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner = some_customer()
    old = placed(orders, like, *days_ago(1, 2), owner=owner)

    async def after_it_was_made(*args: Any) -> list[OrderDocument]:
        new = placed(orders, like, *days_ago(0), owner=owner)
        await asyncio.to_thread(copy, orders, [*new, *old])
        return await history.copied_orders_of(*args)

    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(merged_history, "copied_orders_of", after_it_was_made)
        page = running(history_of(owner, Slice(2)))
    rest = running(history_of(owner, Slice(2, beyond=position_of(page.documents[-1]))))

    assert [*ids(page), *ids(rest)][-2:] == old
    assert len({*ids(page), *ids(rest)}) == 3


@pytest.mark.parametrize("backward", [False, True], ids=["forward", "backward"])
def test_statuses_are_those_of_now_whatever_was_copied(
    orders: Database[Document], like: OrderDocument, running: Run, monkeypatch: pytest.MonkeyPatch, backward: bool
) -> None:
    monkeypatch.setattr(merged_history, "STEP", 3)
    owner = some_customer()
    all_ids = placed(orders, like, *days_ago(*range(0, 240, 20)), owner=owner)
    for each in all_ids[1::4]:
        change(orders, each, status="paid")
    copy(orders, all_ids)
    change(orders, all_ids[1], status="shipped")
    change(orders, all_ids[10], status="paid")
    paid = [all_ids[5], all_ids[9], all_ids[10]]

    def page(size: int, beyond: Position | None = None) -> Page[OrderDocument]:
        found: Page[OrderDocument] = running(history_of(owner, Slice(size, backward, beyond), {OrderStatus.PAID}))
        return found

    assert ids(page(9)) == paid
    first = page(2)
    second = page(2, position_of(first.documents[0 if backward else -1]))
    assert [ids(first), ids(second)] == ([paid[1:], paid[:1]] if backward else [paid[:2], paid[2:]])
    more = [each.has_previous if backward else each.has_next for each in (first, second)]
    assert more == [True, False]
    assert ids(running(history_of(owner, Slice(9, backward), {OrderStatus.PAID, OrderStatus.SHIPPED}))) == [
        all_ids[1],
        *paid,
    ]
    assert ids(running(history_of(owner, Slice(9, backward), {OrderStatus.CANCELLED}))) == []


def test_backlog_longer_than_a_page_is_read_on(
    orders: Database[Document], like: OrderDocument, running: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(merged_history, "STEP", 2)
    owner = some_customer()
    all_ids = placed(orders, like, *days_ago(*range(9)), owner=owner)
    copy(orders, all_ids[1::2])

    assert walked(running, owner, size=1, backward=False) == all_ids
    assert ids(running(history_of(owner, Slice(8), {OrderStatus.NEW}))) == all_ids[:8]


def test_first_page_of_a_buyer_is_one_command_to_one_shard_and_two_reads_in_cassandra(
    orders: Database[Document], like: OrderDocument, running: Run, asked: list[str]
) -> None:
    owner = some_customer()
    moments = [datetime(2026, 5, day, tzinfo=UTC) for day in (1, 2, 3)]
    all_ids = placed(orders, like, *moments, owner=owner)
    copy(orders, all_ids)

    with COMMANDS.counted() as sent:
        page = running(history_of(owner, Slice(24)))

    assert ids(page) == all_ids
    assert sent == {Sent("find", "orders", "orders.history_fresh", 1): 1}
    assert asked == ["months", "2026-05"]


@pytest.mark.parametrize("backward", [False, True], ids=["forward", "backward"])
def test_months_without_orders_are_not_read(
    orders: Database[Document], like: OrderDocument, running: Run, asked: list[str], backward: bool
) -> None:
    owner = some_customer()
    moments = [datetime(year, month, 7, tzinfo=UTC) for year, month in ((2026, 11), (2026, 2), (2023, 6), (2020, 1))]
    all_ids = placed(orders, like, *moments, owner=owner)
    copy(orders, all_ids)
    months = ["2026-11", "2026-02", "2023-06", "2020-01"]
    start = position_of(run(orders_of(owner, Slice(9))).documents[2 if backward else 1])

    assert ids(running(history_of(owner, Slice(9, backward)))) == all_ids
    assert asked == ["months", *(reversed(months) if backward else months)]
    asked.clear()
    assert ids(running(history_of(owner, Slice(9, backward, start)))) == (all_ids[:2] if backward else all_ids[2:])
    assert asked == ["months", *(["2023-06", "2026-02", "2026-11"] if backward else ["2026-02", "2023-06", "2020-01"])]


def test_page_that_is_full_reads_no_further_month(
    orders: Database[Document], like: OrderDocument, running: Run, asked: list[str]
) -> None:
    owner = some_customer()
    recent = [datetime(2026, 9, day, tzinfo=UTC) for day in (1, 2, 3)]
    all_ids = placed(orders, like, *recent, datetime(2026, 8, 1, tzinfo=UTC), owner=owner)
    copy(orders, all_ids)

    page = running(history_of(owner, Slice(2)))

    assert (ids(page), page.has_next) == (all_ids[:2], True)
    assert asked == ["months", "2026-09"]


def test_orders_of_one_moment_are_parted_by_their_ids(
    orders: Database[Document], like: OrderDocument, running: Run
) -> None:
    owner = some_customer()
    (moment,) = days_ago(5)
    all_ids = placed(orders, like, *[moment] * 7, owner=owner)
    copy(orders, all_ids[::2])

    assert all_ids == sorted(all_ids, reverse=True)
    for backward in (False, True):
        assert walked(running, owner, size=2, backward=backward) == all_ids


def test_histories_of_others_are_not_read(orders: Database[Document], like: OrderDocument, running: Run) -> None:
    one, another = some_customer(), some_customer()
    ones = placed(orders, like, *days_ago(0, 1), owner=one)
    anothers = placed(orders, like, *days_ago(0, 1), owner=another)
    copy(orders, [ones[1], anothers[1]])

    assert ids(running(history_of(one, Slice(9)))) == ones
    assert ids(running(history_of(another, Slice(9)))) == anothers
    assert running(history_of(some_guest(), Slice(9))) == Page([], has_next=False, has_previous=False)


def test_claimed_orders_are_the_customers_at_once_and_stay_when_they_arrive(
    orders: Database[Document], like: OrderDocument, running: Run
) -> None:
    guest, customer = some_guest(), some_customer()
    all_ids = placed(orders, like, *days_ago(1, 50), owner=guest)
    copy(orders, all_ids)

    claim_orders(guest, customer)

    assert ids(running(history_of(customer, Slice(9)))) == all_ids
    copy(orders, all_ids)
    assert ids(running(history_of(customer, Slice(9)))) == all_ids
    assert ids(running(history_of(guest, Slice(9)))) == []


def test_without_cassandra_the_history_is_mongodbs_and_complete(
    orders: Database[Document], like: OrderDocument, running: Run
) -> None:
    owner = some_customer()
    all_ids = placed(orders, like, *days_ago(0, 40), owner=owner)
    copy(orders, all_ids)

    with NO_CASSANDRA, COMMANDS.counted() as sent:
        page = running(history_of(owner, Slice(9)))

    assert (ids(page), page.complete) == (all_ids, True)
    assert sent == {Sent("find", "orders", "orders.history_fresh", 1): 1}


def test_while_cassandra_is_away_a_page_that_reaches_back_to_the_archive_may_be_incomplete(
    orders: Database[Document], like: OrderDocument, running: Run, cassandra_away: Callable[[], None]
) -> None:
    owner = some_customer()
    all_ids = placed(orders, like, *days_ago(0, 10, 20, 400, 500, 600), owner=owner)
    # Those of 500 and 600 days have never ended, and stay.
    archive(orders, all_ids[3:4])
    standing = run(orders_of(owner, Slice(9))).documents
    cassandra_away()

    def shown(part: Slice) -> tuple[list[str], bool]:
        page: Page[OrderDocument] = running(history_of(owner, part))
        return ids(page), page.complete

    left = [*all_ids[:3], *all_ids[4:]]
    assert shown(Slice(2)) == (left[:2], True)
    assert shown(Slice(1, beyond=position_of(standing[1]))) == (left[2:3], True)
    assert shown(Slice(4)) == (left[:4], False)
    assert shown(Slice(9)) == (left, False)
    assert shown(Slice(2, backward=True)) == (left[3:], False)
    assert shown(Slice(9, backward=True, beyond=position_of(standing[3]))) == (left[:3], False)
    assert shown(Slice(9, backward=True, beyond=position_of(standing[2]))) == (left[:2], True)


# Anything may happen between two pages.

happening = st.sampled_from(["buy", "copy", "move", "claim", "archive", "away", "nothing"])


def test_whatever_happens_between_two_pages_nothing_is_missed_or_shown_twice(
    orders: Database[Document], like: OrderDocument, running: Run
) -> None:
    @settings(max_examples=20, deadline=None, derandomize=True)
    @given(
        st.lists(st.integers(0, 90), min_size=3, max_size=8),
        st.lists(st.tuples(happening, st.integers(0, 7)), min_size=8, max_size=8),
        st.booleans(),
        st.integers(1, 3),
    )
    def all_pages(days: list[int], events: list[tuple[str, int]], backward: bool, size: int) -> None:
        owner, guest = some_customer(), some_guest()
        there = placed(orders, like, *days_ago(*days), owner=owner)
        placed(orders, like, *days_ago(45), owner=guest)
        happenings: dict[str, Callable[[int], None]] = {
            "buy": lambda _: void(placed(orders, like, *days_ago(0), owner=owner)),
            "copy": lambda which: copy(orders, _standing(orders, owner)[which::2]),
            "move": lambda which: change(orders, there[which % len(there)], status="cancelled"),
            "claim": lambda _: void(claim_orders(guest, owner)),
            "archive": lambda which: archive(orders, _standing(orders, owner)[-1 - which % 2 :]),
        }
        found: list[str] = []
        part, archived = Slice(size, backward), False
        for name, which in [*events, *[("nothing", 0)] * 20]:
            archived = archived or name == "archive"
            if name in happenings:
                happenings[name](which)
            # Without Cassandra nobody has the archived ones.
            if name == "away" and not archived:
                with NO_CASSANDRA:
                    page = running(history_of(owner, part))
            else:
                page = running(history_of(owner, part))
            found = [*ids(page), *found] if backward else [*found, *ids(page)]
            if not (page.has_previous if backward else page.has_next):
                break
            part = Slice(size, backward, position_of(page.documents[0 if backward else -1]))

        assert len(set(found)) == len(found)
        assert [each for each in found if each in there] == there

    all_pages()


def _standing(shop: Database[Document], owner: str) -> list[str]:
    """Those in MongoDB, newest first."""
    return ids(run(orders_of(owner, Slice(50))))
