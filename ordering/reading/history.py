"""Pages of orders by key, newest first: an owner's history, and the slices that staff look through.

A page continues after the last order shown, never after a number of orders: what is bought, paid or cancelled between
two pages moves nothing.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from gateway.mongo.client import Document
from gateway.mongo.policies import ORDER_HISTORY_FRESH, ORDER_REPORTS, ORDER_STATUS, Policy
from gateway.mongo.reads import Read
from gateway.sync.marks import UNSYNCED
from ordering.models import Order, OrderStatus

ORDERS = Order._meta.db_table

BY_OWNER = "owner_1_created_at_-1__id_-1"
BY_UNSYNCED = "owner_1_unsynced.due_1"
BY_STATUS = "status_1_created_at_-1__id_-1"
BY_GEOZONE = "geozone_1_created_at_-1__id_-1"


class Position(NamedTuple):
    created_at: datetime
    id: str


@dataclass(frozen=True, slots=True)
class Slice:
    """Which part: `size` orders after a position, or before it."""

    size: int
    backward: bool = False
    beyond: Position | None = None


@dataclass(frozen=True, slots=True)
class Page:
    orders: list[Document]
    has_next: bool
    has_previous: bool
    complete: bool = True
    """False: Cassandra, which alone has the archived orders, was away."""


EMPTY = Page([], has_next=False, has_previous=False)


def position_of(order: Document) -> Position:
    return Position(order["created_at"], order["_id"])


def orders_of(owner: str, part: Slice, statuses: Collection[OrderStatus] = ()) -> Read[Page]:
    """From the primary, so that an order is there as soon as it has been made. No statuses: all."""
    wanted = {"status": {"$in": sorted(status.value for status in statuses)}} if statuses else {}
    return page_of([{"owner": owner}], part, BY_OWNER, policy=ORDER_HISTORY_FRESH, also={"owner": owner, **wanted})


def unsynced_orders_of(owner: str, part: Slice) -> Read[list[Document]]:
    """Those of which Cassandra may not have the newest version, from the primary; in the direction of reading.

    As a rule there is none, or the one just made: the index holds no others, and what it finds is sorted in memory.
    """
    return Read(
        collection=ORDERS,
        policy=ORDER_HISTORY_FRESH,
        where={"owner": owner, **UNSYNCED, **_any_of(_beyond(part))},
        sort=_sort(part),
        limit=part.size,
        hint=BY_UNSYNCED,
        result=list,
    )


def orders_in_status(status: OrderStatus, part: Slice, geozone: str | None = None) -> Read[Page]:
    """Of every shard: what staff have to do next, as fresh as the status of one order."""
    also = {"geozone": geozone} if geozone is not None else {}
    return page_of([{"status": status.value}], part, BY_STATUS, policy=ORDER_STATUS, also=also)


def orders_in_geozone(geozone: str, part: Slice) -> Read[Page]:
    """Of every shard, from the secondaries: to look through, not to act on."""
    return page_of([{"geozone": geozone}], part, BY_GEOZONE, policy=ORDER_REPORTS)


def page_of(
    points: Sequence[Mapping[str, Any]],
    part: Slice,
    index: str,
    *,
    policy: Policy,
    also: Mapping[str, Any] | None = None,
) -> Read[Page]:
    """Orders at any of the points of an index that goes on by time and id. One more is read than asked, to know of it.

    Every point is written with every range beyond the position: the planner turns each pair into one range of the
    index and merges them in order. The index is not left to it either, since it remembers a plan by a query's shape.
    """
    branches = [{**point, **beyond} for point in points for beyond in _beyond(part)]
    return Read(
        collection=ORDERS,
        policy=policy,
        where={**(also or {}), **_any_of(branches)},
        sort=_sort(part),
        limit=part.size + 1,
        hint=index,
        result=lambda documents: page_from(documents, part),
    )


def page_from(found: Sequence[Document], part: Slice) -> Page:
    """Of orders in the direction of reading, all that there are or at least one more than asked."""
    more = len(found) > part.size
    orders = list(found[: part.size])
    if part.backward:
        return Page(orders[::-1], has_next=part.beyond is not None, has_previous=more)
    return Page(orders, has_next=more, has_previous=part.beyond is not None)


def _sort(part: Slice) -> tuple[tuple[str, int], ...]:
    direction = 1 if part.backward else -1
    return (("created_at", direction), ("_id", direction))


def _beyond(part: Slice) -> list[dict[str, Any]]:
    """Orders of the same moment with a further id, and those of further moments."""
    if part.beyond is None:
        return [{}]
    further = "$gt" if part.backward else "$lt"
    created_at, id_ = part.beyond
    return [{"created_at": created_at, "_id": {further: id_}}, {"created_at": {further: created_at}}]


def _any_of(branches: list[dict[str, Any]]) -> dict[str, Any]:
    if not branches:
        return {"_id": {"$in": []}}
    return branches[0] if len(branches) == 1 else {"$or": branches}
