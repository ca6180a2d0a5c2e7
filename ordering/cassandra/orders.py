"""One order in Cassandra: as it stood when it was copied, or as it was archived, and what happened to it."""

import asyncio
from collections.abc import Iterable
from typing import NamedTuple

from gateway.cassandra.errors import CassandraError
from gateway.cassandra.reads import first, first_async, read_async
from gateway.cassandra.statements import Row, Select
from ordering.cassandra.rows import events_of, order_of_state
from ordering.cassandra.tables import ORDER_EVENTS_BY_ID, ORDER_STATE_BY_ID
from ordering.documents import OrderDocument, OrderEvent


class CopiedOrder(NamedTuple):
    """An order as its rows in Cassandra have it."""

    order: OrderDocument
    """Without its events."""
    is_archived: bool
    """MongoDB has it no more: this is how it stands, and nothing will change it."""


async def copied_orders(order_ids: Iterable[str]) -> dict[str, CopiedOrder]:
    """The orders that Cassandra has of these, by id. Raises CassandraError."""
    rows = await asyncio.gather(*(first_async(_state(order_id)) for order_id in dict.fromkeys(order_ids)))
    return {row["order_id"]: _copy(row) for row in rows if row}


async def timelines_of(order_ids: Iterable[str]) -> dict[str, list[OrderEvent]]:
    """The events of each order, oldest first, by its id. Raises CassandraError."""
    ids = list(dict.fromkeys(order_ids))
    found = await asyncio.gather(*(read_async(_events(order_id)) for order_id in ids))
    return {order_id: events_of(rows) for order_id, rows in zip(ids, found, strict=True)}


def archived_order(order_id: str) -> OrderDocument | None:
    """The order if it is archived; None if not, and also while Cassandra is away, since then nobody knows."""
    try:
        return archived_copy(order_id)
    except CassandraError:
        return None


def archived_copy(order_id: str) -> OrderDocument | None:
    """The order as it was archived; None if it is not. Raises CassandraError."""
    row = first(_state(order_id))
    copy = _copy(row) if row else None
    return copy.order if copy and copy.is_archived else None


def _copy(row: Row) -> CopiedOrder:
    return CopiedOrder(order_of_state(row), row["archived_at"] is not None)


def _state(order_id: str) -> Select:
    return ORDER_STATE_BY_ID.select("order_id = ?", order_id)


def _events(order_id: str) -> Select:
    return ORDER_EVENTS_BY_ID.select("order_id = ?", order_id)
