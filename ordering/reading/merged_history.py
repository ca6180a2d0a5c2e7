"""An owner's history from both stores: Cassandra has it all, save what has not arrived there yet, which MongoDB has.

A position is the same in both, so that a page may come from one of them and the next one from the other.
"""

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from django.conf import settings

from gateway.cassandra.errors import CassandraError
from gateway.fallback import served
from gateway.mongo.client import Document
from gateway.mongo.reads import run_async
from ordering.cassandra.history import copied_orders_of
from ordering.models import OrderStatus
from ordering.reading.history import Page, Position, Slice, orders_of, page_from, position_of, unsynced_orders_of

# Rows hold the status, but are not in its order: a page of some statuses reads on in steps of so many orders.
STEP = 100


class Stretch(NamedTuple):
    """A part of a history in the direction of reading, with nothing missing in it."""

    orders: list[Document]
    end: Position | None
    """What lies beyond is not known yet; None: there is nothing."""


async def history_of(owner: str, part: Slice, statuses: Collection[OrderStatus] = ()) -> Page:
    """No statuses: all. Without Cassandra from MongoDB alone, whose oldest ones may be archived; without MongoDB from
    Cassandra alone, and marked as degraded. Raises MongoUnavailable without both."""
    if not settings.CASSANDRA_CONTACT_POINTS:
        return await run_async(orders_of(owner, part, statuses))
    try:
        return await _page_of_both(owner, part, statuses)
    except CassandraError:
        page = await run_async(orders_of(owner, part, statuses))
        return replace(page, complete=not _reaches_archived(page, part))


def together(fresh: Sequence[Document], copied: Sequence[Document], part: Slice) -> Stretch:
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


def _reaches_archived(page: Page, part: Slice) -> bool:
    """Whether the page goes back to a time of which orders may have left MongoDB."""
    if part.backward:
        oldest = part.beyond.created_at if part.beyond else None
    else:
        oldest = page.orders[-1]["created_at"] if page.has_next and page.orders else None
    border = datetime.now(UTC) - timedelta(days=settings.ORDER_KEPT_DAYS)
    return oldest is None or oldest.replace(tzinfo=UTC) < border


async def _of_both(owner: str, part: Slice) -> Stretch:
    # In this order: what is copied between the two reads was found by the first. The other way round it would be found
    # by neither, having been on its way when Cassandra was asked and no longer owed when MongoDB was.
    fresh = await served(lambda: run_async(unsynced_orders_of(owner, part)), _nothing)
    copied = await copied_orders_of(owner, part)
    return together(fresh, copied, part)


async def _nothing() -> list[Document]:
    """Of MongoDB while it is away: Cassandra's part is shown alone."""
    return []


async def _page_of_both(owner: str, part: Slice, statuses: Collection[OrderStatus]) -> Page:
    wanted = {status.value for status in statuses or OrderStatus}
    found: list[Document] = []
    step = replace(part, size=max(part.size + 1, STEP if statuses else 0))
    while True:
        stretch = await _of_both(owner, step)
        # Only now: an order may have left or entered the status since it was copied.
        found += [order for order in stretch.orders if order["status"] in wanted]
        if len(found) > part.size or stretch.end is None:
            return page_from(found, part)
        step = replace(step, beyond=stretch.end)
