"""Pages of orders, newest first: an owner's history from both stores, and the slices that staff look through.

Cassandra has all of a history, save what has not arrived there yet, which MongoDB has. A position is the same in both,
so that a page may come from one of them and the next one from the other.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from django.conf import settings

from gateway.cassandra.errors import CassandraError
from gateway.fallback import served
from gateway.mongo.client import Expression
from gateway.mongo.policies import ORDER_HISTORY_FRESH, ORDER_REPORTS, ORDER_STATUS, Policy
from gateway.mongo.reads import Read, run_async
from gateway.paging import Page, Placed, Position, Slice, page_of, ranges_beyond, reading_order
from gateway.sync.marks import UNSYNCED
from ordering.cassandra.history import NEWEST, copied_orders_of
from ordering.documents import OrderDocument
from ordering.models import Order, OrderStatus

ORDERS = Order._meta.db_table

BY_OWNER = "owner_1_created_at_-1__id_-1"
BY_UNSYNCED = "owner_1_unsynced.due_1"
BY_STATUS = "status_1_created_at_-1__id_-1"
BY_GEOZONE = "geozone_1_created_at_-1__id_-1"

# Rows hold the status, but are not in its order: a page of some statuses reads on in steps of so many orders.
STEP = 100

EMPTY: Page[OrderDocument] = Page([], has_next=False, has_previous=False)


class Stretch(NamedTuple):
    """A part of a history in the direction of reading, with nothing missing in it."""

    orders: list[OrderDocument]
    end: Position | None
    """What lies beyond is not known yet; None: there is nothing."""


async def history_of(owner: str, part: Slice, statuses: Collection[OrderStatus] = ()) -> Page[OrderDocument]:
    """An owner's orders from both stores; no statuses: all.

    Without Cassandra from MongoDB alone, whose oldest ones may be archived; without MongoDB from Cassandra alone, and
    marked as degraded. Raises MongoUnavailable without both.
    """
    if not settings.CASSANDRA_CONTACT_POINTS:
        return await run_async(orders_of(owner, part, statuses))
    try:
        return await _page_of_both(owner, part, statuses)
    except CassandraError:
        page = await run_async(orders_of(owner, part, statuses))
        return replace(page, complete=not _reaches_archived(page, part))


def orders_of(owner: str, part: Slice, statuses: Collection[OrderStatus] = ()) -> Read[Page[OrderDocument]]:
    """From the primary, so that an order is there as soon as it has been made. No statuses: all."""
    wanted = {"status": {"$in": sorted(status.value for status in statuses)}} if statuses else {}
    return orders_at([{"owner": owner}], part, BY_OWNER, policy=ORDER_HISTORY_FRESH, also={"owner": owner, **wanted})


def unsynced_orders_of(owner: str, part: Slice) -> Read[list[OrderDocument]]:
    """Those of which Cassandra may not have the newest version, from the primary; in the direction of reading.

    As a rule there is none, or the one just made: the index holds no others, and what it finds is sorted in memory.
    """
    return Read(
        collection=ORDERS,
        policy=ORDER_HISTORY_FRESH,
        where={"owner": owner, **UNSYNCED, **_any_of(ranges_beyond(NEWEST, part))},
        sort=reading_order(NEWEST, part),
        limit=part.size,
        hint=BY_UNSYNCED,
        result=list,
    )


def orders_in_status(status: OrderStatus, part: Slice, geozone: str | None = None) -> Read[Page[OrderDocument]]:
    """What staff have to do next, as fresh as the status of one order. Asks every shard, by its index."""
    also = {"geozone": geozone} if geozone is not None else {}
    return orders_at([{"status": status.value}], part, BY_STATUS, policy=ORDER_STATUS, also=also)


def orders_in_geozone(geozone: str, part: Slice) -> Read[Page[OrderDocument]]:
    """To look through, not to act on: from the secondaries. Asks every shard, by its index."""
    return orders_at([{"geozone": geozone}], part, BY_GEOZONE, policy=ORDER_REPORTS)


def orders_at(
    points: Sequence[Mapping[str, Any]],
    part: Slice,
    index: str,
    *,
    policy: Policy,
    also: Mapping[str, Any] | None = None,
) -> Read[Page[OrderDocument]]:
    """Orders at any of the points of an index that goes on by time and id. One more is read than asked, to know of it.

    The index is not left to the planner, since it remembers a plan by a query's shape.
    """
    branches = [{**point, **beyond} for point in points for beyond in ranges_beyond(NEWEST, part)]
    return Read(
        collection=ORDERS,
        policy=policy,
        where={**(also or {}), **_any_of(branches)},
        sort=reading_order(NEWEST, part),
        limit=part.size + 1,
        hint=index,
        result=lambda orders: page_from(orders, part),
    )


def page_from(found: Sequence[OrderDocument], part: Slice) -> Page[OrderDocument]:
    """The page made of orders in the direction of reading: all that there are, or at least one more than asked."""
    return page_of([Placed(order, position_of(order)) for order in found], part)


def position_of(order: OrderDocument) -> Position:
    return Position(order["created_at"], order["_id"])


def together(fresh: Sequence[OrderDocument], copied: Sequence[OrderDocument], part: Slice) -> Stretch:
    """Each order once, in its newest version, as far as both lists reach: a full one may go on beyond its last."""
    newest = {order["_id"]: order for order in copied}
    for order in fresh:
        # Older than its copy, if it was changed and copied after it had been read here.
        if order["version"] >= newest.get(order["_id"], order)["version"]:
            newest[order["_id"]] = order
    orders = sorted(newest.values(), key=position_of, reverse=not part.backward)
    ends = [position_of(found[-1]) for found in (fresh, copied) if len(found) == part.size]
    if not ends:
        return Stretch(orders, None)
    if part.backward:
        end = min(ends)
        return Stretch([order for order in orders if position_of(order) <= end], end)
    end = max(ends)
    return Stretch([order for order in orders if position_of(order) >= end], end)


async def _page_of_both(owner: str, part: Slice, statuses: Collection[OrderStatus]) -> Page[OrderDocument]:
    wanted = {status.value for status in statuses or OrderStatus}
    found: list[OrderDocument] = []
    step = replace(part, size=max(part.size + 1, STEP if statuses else 0))
    while True:
        stretch = await _stretch_of_both(owner, step)
        # Only now: an order may have left or entered the status since it was copied.
        found += [order for order in stretch.orders if order["status"] in wanted]
        if len(found) > part.size or stretch.end is None:
            return page_from(found, part)
        step = replace(step, beyond=stretch.end)


async def _stretch_of_both(owner: str, part: Slice) -> Stretch:
    # In this order: what is copied between the two reads was found by the first. The other way round it would be found
    # by neither, having been on its way when Cassandra was asked and no longer owed when MongoDB was.
    fresh = await served(lambda: run_async(unsynced_orders_of(owner, part)), _nothing)
    copied = await copied_orders_of(owner, part)
    return together(fresh, copied, part)


async def _nothing() -> list[OrderDocument]:
    """What MongoDB adds while it is away: Cassandra's part is shown alone."""
    return []


def _reaches_archived(page: Page[OrderDocument], part: Slice) -> bool:
    """Whether the page goes back to a time of which orders may have left MongoDB."""
    if part.backward:
        oldest = part.beyond.value if part.beyond else None
    else:
        oldest = page.placed[-1].position.value if page.has_next and page.placed else None
    border = datetime.now(UTC) - timedelta(days=settings.ORDER_KEPT_DAYS)
    return oldest is None or oldest.replace(tzinfo=UTC) < border


def _any_of(branches: Sequence[Expression]) -> Expression:
    if not branches:
        return {"_id": {"$in": []}}
    return branches[0] if len(branches) == 1 else {"$or": list(branches)}
