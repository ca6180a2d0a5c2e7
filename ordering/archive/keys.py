"""Keys of orders that an earlier release wrote, which gave them fewer: made as they would be made today.

Killed anywhere, it has done what it has done; again, it changes nothing that is right already.
"""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime

from django.conf import settings
from pymongo import UpdateOne

from gateway.cassandra.reads import scan
from gateway.cassandra.statements import Select, Write
from gateway.cassandra.writes import write
from gateway.mongo.client import collection_of
from gateway.mongo.policies import SYNC, under
from gateway.sync.batches import by_time
from gateway.sync.marks import CHANGED, timestamp_of
from ordering.cassandra.rows import archived_rows_of, order_of_state
from ordering.cassandra.sync import ORDERS, SYNCED
from ordering.cassandra.tables import ORDER_STATE_BY_ID
from ordering.documents import OrderDocument
from ordering.ledger.fields import ledger_of
from ordering.reading.lookup_keys import order_keys

# Rows at a time: a few kilobytes each.
PAGE = 200


def complete_keys(report: Callable[[int], None] = lambda _: None) -> int:
    """Add the keys that orders in MongoDB lack; returns how many lacked some. Whoever changes one meanwhile wins.

    Walks all orders by their time; `report` is told of every so many.
    """
    completed = 0
    for orders in by_time(ORDERS, datetime.now(UTC)):
        updates = [update for order in orders if (update := _completion(order))]
        if updates:
            with under(SYNC):
                completed += collection_of(ORDERS, OrderDocument).bulk_write(updates, ordered=False).matched_count
        report(len(orders))
    return completed


def complete_archived_keys() -> int:
    """Write the rows by which archived orders are found today; returns of how many. Raises CassandraError.

    Reads the whole table of orders in Cassandra, page by page.
    """
    completed = 0
    if settings.CASSANDRA_CONTACT_POINTS:
        everything = f"SELECT * FROM {ORDER_STATE_BY_ID.full_name}"  # noqa: S608 - a name of ours
        for row in scan(Select(everything, (), ORDER_STATE_BY_ID.read_at, page_size=PAGE)):
            if row["archived_at"] is not None:
                write(_rows_lacking(order_of_state(row)))
                completed += 1
    return completed


def _completion(order: OrderDocument) -> UpdateOne | None:
    keys = order_keys(order, ledger_of(order))
    if set(keys) <= set(order["keys"]):
        return None
    return UpdateOne(
        {**SYNCED.address(order), "version": order["version"]}, [{"$set": {"keys": {"$literal": keys}, **CHANGED}}]
    )


def _rows_lacking(order: OrderDocument) -> Iterator[Write]:
    keys = order_keys(order, ledger_of(order))
    for table, row in archived_rows_of({**order, "keys": keys}):
        if row["key"] not in order["keys"]:
            yield table.upsert(row, timestamp=timestamp_of(order, after=True))
