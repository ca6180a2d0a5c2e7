"""Where archived orders are that a person asks for: by the same keys as those in MongoDB, a partition per year."""

import asyncio
from collections.abc import Iterable
from contextlib import aclosing
from datetime import UTC, datetime
from typing import NamedTuple

from gateway.cassandra.reads import read_many, scan_async
from gateway.cassandra.statements import Select
from gateway.paging import Position, Slice, bounds_beyond
from ordering.cassandra.history import NEWEST
from ordering.cassandra.tables import ARCHIVED_ORDERS_BY_KEY

# No order of the shop is older. A key has at most one partition for each year since, most of them empty and cheap.
FIRST_YEAR = 2020
# Rows at a time where words are checked: a row is a few hundred bytes.
CHECKED = 200


class Walk(NamedTuple):
    """A walk along the orders with one key; those are found that have the others too."""

    key: str
    others: list[str]


def archived_id(number: str) -> str | None:
    """The id of the archived order with this number, as `written`. Raises CassandraError."""
    years = range(datetime.now(UTC).year, FIRST_YEAR - 1, -1)
    found = read_many([_by_number(number, year) for year in years])
    return next((row["order_id"] for rows in found for row in rows), None)


async def archived_positions(walks: Iterable[Walk], part: Slice) -> list[Position]:
    """Newest first, each once, forward from the position: all that there are, or one more than asked.

    Raises CassandraError.
    """
    found = await asyncio.gather(*(_walked(walk, part) for walk in walks))
    return sorted({position for positions in found for position in positions}, reverse=True)[: part.size + 1]


async def _walked(walk: Walk, part: Slice) -> list[Position]:
    newest = part.beyond.value if part.beyond else datetime.now(UTC)
    found: list[Position] = []
    for year in range(newest.year, FIRST_YEAR - 1, -1):
        async with aclosing(scan_async(_keyed(walk, year, part))) as rows:
            async for row in rows:
                if set(walk.others) <= set(row["keys"]):
                    found.append(Position(row["created_at"], row["order_id"]))
                if len(found) > part.size:
                    return found
    return found


def _keyed(walk: Walk, year: int, part: Slice) -> Select:
    beyond = bounds_beyond(NEWEST, part, id_column="order_id")
    return ARCHIVED_ORDERS_BY_KEY.select(
        f"key = ? AND year = ?{beyond.cql}",
        walk.key,
        year,
        *beyond.values,
        columns=["created_at", "order_id", "keys"],
        page_size=CHECKED if walk.others else part.size + 1,
    )


def _by_number(number: str, year: int) -> Select:
    return ARCHIVED_ORDERS_BY_KEY.select("key = ? AND year = ?", f"number:{number}", year, columns=["order_id"])
