"""An owner's history in Cassandra: a partition per month, and the months that there are."""

import asyncio

from gateway.cassandra.reads import read_async
from gateway.cassandra.statements import Select
from gateway.paging import Slice, SortKey, bounds_beyond
from ordering.cassandra.rows import month_at, order_of_history
from ordering.cassandra.tables import ORDER_MONTHS_BY_USER, ORDERS_BY_USER
from ordering.documents import OrderDocument

NEWEST = SortKey("created_at", -1)

# Months read at a time, at most: a buyer of one order a month waits for few answers, and Cassandra for no storm.
WIDEST = 8


async def copied_orders_of(owner: str, part: Slice) -> list[OrderDocument]:
    """At most as many as asked beyond the position, in the direction of reading; without their events.

    Only months in which the owner has bought are read: the first alone, mostly enough, then 2, 4 and 8 at once.
    """
    found: list[OrderDocument] = []
    months = [row["month"] for row in await read_async(_months(owner, part))]
    width = 1
    while months and len(found) < part.size:
        together, months = months[:width], months[width:]
        left = part.size - len(found)
        answers = await asyncio.gather(*(read_async(_orders_in(month, owner, part, left)) for month in together))
        found += [order_of_history(row) for rows in answers for row in rows]
        width = min(2 * width, WIDEST)
    return found[: part.size]


def _months(owner: str, part: Slice) -> Select:
    """The months in which the owner has bought, from that of the position on."""
    where = "owner = ?"
    if part.beyond is not None:
        where += f" AND month {'>=' if part.backward else '<='} ?"
    if part.backward:
        where += " ORDER BY month ASC"
    first = [month_at(part.beyond.value)] if part.beyond is not None else []
    return ORDER_MONTHS_BY_USER.select(where, owner, *first, columns=["month"])


def _orders_in(month: str, owner: str, part: Slice, limit: int) -> Select:
    beyond = bounds_beyond(NEWEST, part, id_column="order_id")
    where = f"owner = ? AND month = ?{beyond.cql}"
    if part.backward:
        where += " ORDER BY created_at ASC, order_id ASC"
    return ORDERS_BY_USER.select(where, owner, month, *beyond.values, limit=limit)
