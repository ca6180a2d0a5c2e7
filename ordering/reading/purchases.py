"""What one buyer has bought, from both stores: for their page, and for the copy of their data."""

from collections.abc import AsyncIterator
from decimal import Decimal
from typing import NamedTuple

from gateway.paging import Position, Slice
from ordering.documents import OrderDocument
from ordering.ledger.amounts import paid, refunded
from ordering.reading.history import history_of

# Orders read at a time.
STEP = 100
# Beyond it a page only says «more»: nobody waits for a sum over all orders of a shop that buys for itself.
COUNTED = 1_000


class Purchases(NamedTuple):
    orders: int
    bought: Decimal
    """What was paid and not given back."""
    newest: list[OrderDocument]
    is_complete: bool
    """False: Cassandra is away, and archived orders are missing."""
    has_more: bool
    """There are more orders than were counted."""


class HistoryPart(NamedTuple):
    orders: list[OrderDocument]
    is_complete: bool
    has_more: bool


async def purchases_of(owner: str, *, newest: int) -> Purchases:
    """The owner's purchases, summed over COUNTED orders at most. Raises MongoUnavailable."""
    shown: list[OrderDocument] = []
    orders, bought, complete, more = 0, Decimal(0), True, False
    async for part in history_parts(owner):
        shown += part.orders[: newest - len(shown)]
        orders += len(part.orders)
        bought += sum((paid(order) - refunded(order) for order in part.orders), Decimal(0))
        complete, more = complete and part.is_complete, part.has_more
        if orders >= COUNTED:
            break
    return Purchases(orders, bought, shown, complete, more)


async def history_parts(owner: str) -> AsyncIterator[HistoryPart]:
    """All of the owner's orders, newest first, a part at a time."""
    beyond: Position | None = None
    while True:
        page = await history_of(owner, Slice(STEP, beyond=beyond))
        yield HistoryPart([placed.document for placed in page.placed], page.complete, page.has_next)
        if not page.has_next or not page.placed:
            return
        beyond = page.placed[-1].position
