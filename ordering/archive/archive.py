"""Orders that are old and done leave MongoDB, once all of their history has been read back from Cassandra.

Killed anywhere, it has lost nothing: an order is in MongoDB until its rows, which say that it is archived, have been
compared with it field by field; the next run begins with the oldest that is still there. A change at the same moment
wins: the order is deleted only in the version that was compared, and a later version's rows say again that it lives.
"""

from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

import structlog
from django.conf import settings
from pymongo import DeleteOne

from gateway.cassandra.statements import Row, Write
from gateway.cassandra.table import Table
from gateway.cassandra.writes import write
from gateway.mongo.client import Expression, collection_of
from gateway.mongo.policies import SYNC, under
from gateway.sync.batches import BY_TIME, by_time
from gateway.sync.comparison import compare, is_unmarked
from gateway.sync.marks import timestamp_of
from gateway.sync.repair import owe, repair_rows
from ordering.cassandra.rows import archived_rows_of
from ordering.cassandra.sync import ORDERS, SYNCED, compared_rows
from ordering.cassandra.tables import ORDER_STATE_BY_ID
from ordering.documents import OrderDocument
from ordering.models import OrderStatus

log = structlog.get_logger(__name__)

FINAL = (OrderStatus.DELIVERED, OrderStatus.CANCELLED, OrderStatus.EXPIRED, OrderStatus.REFUNDED)

NOTHING_OWED: Expression = {
    "status": {"$in": [status.value for status in FINAL]},
    "to_refund": {"$ne": True},
    "stock_due.at": {"$exists": False},
    "mail_due.at": {"$exists": False},
    "unsynced": {"$exists": False},
}


class Archived(NamedTuple):
    """How many orders of a run ended in which way."""

    left: int = 0
    """They have left MongoDB."""
    differing: int = 0
    """Not all of their history was in Cassandra: it is copied again, and they are tried again next time."""
    changed: int = 0
    """Somebody changed them meanwhile, or another run was faster."""


class _AnyButNone:
    """Equals any value but None: for a column of which only that it is there can be compared."""

    def __eq__(self, other: object) -> bool:
        return other is not None

    __hash__ = None  # type: ignore[assignment]


def archive_orders(
    *, limit: int | None = None, now: datetime | None = None, report: Callable[[int], None] = lambda _: None
) -> Archived:
    """Move old orders that are done out of MongoDB, the oldest first, at most `limit`. Raises CassandraError.

    `report` is told of every so many looked at. Every shard is asked, by the index of their time.
    """
    moment = now or datetime.now(UTC)
    total = Archived()
    looked_at = 0
    for batch in by_time(ORDERS, _border(moment), also=NOTHING_OWED):
        orders = batch if limit is None else batch[: limit - looked_at]
        done = _archive(orders, moment)
        total = Archived(*(before + more for before, more in zip(total, done, strict=True)))
        looked_at += len(orders)
        report(len(orders))
        if looked_at == limit:
            break
    if looked_at:
        log.info("archive.done", **total._asdict())
    return total


def orders_to_archive(now: datetime | None = None) -> int:
    """How many could be archived now. Asks every shard, by the index of their time."""
    where = {"created_at": {"$lt": _border(now or datetime.now(UTC))}, **NOTHING_OWED}
    with under(SYNC):
        return collection_of(ORDERS, OrderDocument).count_documents(where, hint=BY_TIME)


def _border(now: datetime) -> datetime:
    return now - timedelta(days=settings.ORDER_KEPT_DAYS)


def _archive(orders: Sequence[OrderDocument], now: datetime) -> Archived:
    unmarked = {order["_id"] for order in orders if is_unmarked(SYNCED, order)}
    copied = [order for order in orders if order["_id"] not in unmarked]
    write(one for order in copied for one in _writes(order, now))
    differing = compare(SYNCED, copied, _archived_rows)
    for difference in (difference for each in differing for difference in each.differences):
        log.warning("archive.differs", **difference._asdict())
    not_ready = unmarked | {each.document["_id"] for each in differing}
    left = _delete([order for order in orders if order["_id"] not in not_ready])
    owe(SYNCED, (order for order in orders if order["_id"] in unmarked))
    repair_rows(SYNCED, differing)
    return Archived(left, len(not_ready), len(orders) - len(not_ready) - left)


def _writes(order: OrderDocument, now: datetime) -> Iterator[Write]:
    # Above the version's own rows: to write those once more does not bring it back to life, a later version does.
    timestamp = timestamp_of(order, after=True)
    yield ORDER_STATE_BY_ID.upsert({"order_id": order["_id"], "archived_at": now}, timestamp=timestamp)
    for table, row in archived_rows_of(order):
        yield table.upsert(row, timestamp=timestamp)


def _archived_rows(order: OrderDocument) -> Iterator[tuple[Table, Row]]:
    for table, row in compared_rows(order):
        # When it was archived is what the last of several runs says.
        archived: dict[str, Any] = {"archived_at": _AnyButNone()} if table is ORDER_STATE_BY_ID else {}
        yield table, row | archived
    yield from archived_rows_of(order)


def _delete(orders: Sequence[OrderDocument]) -> int:
    deletions = [DeleteOne({**SYNCED.address(order), "version": order["version"], **NOTHING_OWED}) for order in orders]
    if not deletions:
        return 0
    with under(SYNC):
        return collection_of(ORDERS, OrderDocument).bulk_write(deletions, ordered=False).deleted_count
