"""Orders are kept in step with Cassandra."""

from gateway.cassandra.partition_stats import choose_bucket
from gateway.cassandra.reads import first
from gateway.cassandra.statements import Select
from gateway.mongo.client import Document
from gateway.sync.declarations import Synced
from gateway.sync.queue import sync_soon
from ordering.cassandra.comparison import compared_rows, lookups
from ordering.cassandra.tables import ARCHIVED_ORDERS_BY_KEY, ORDER_TABLES, ORDERS_BY_PERIOD, day_of, writes_of
from ordering.models import Order

ORDERS = Order._meta.db_table


def sync_order_soon(order: Document) -> None:
    """After every commit of a change."""
    sync_soon(ORDERS, [SYNCED.key_of(order)])


def _placed(order: Document) -> Document:
    """The bucket of its day, chosen once: later versions stay there, however many buckets the day has by then."""
    if order.get("period_bucket") is not None:
        return {}
    return {"period_bucket": choose_bucket(ORDERS_BY_PERIOD, day_of(order), identity=order["_id"])}


def _archived_ones() -> str:
    any_row = f"SELECT key FROM {ARCHIVED_ORDERS_BY_KEY.full_name} LIMIT 1"  # noqa: S608 - a name of ours
    if first(Select(any_row, (), ARCHIVED_ORDERS_BY_KEY.read_at, page_size=1)) is None:
        return ""
    return "Archived orders are not in MongoDB any more: rows of theirs that were lost are not made again."


SYNCED = Synced(
    collection=ORDERS,
    key=("owner", "_id"),
    tables=ORDER_TABLES,
    writes=writes_of,
    placed=_placed,
    rows=compared_rows,
    lookups=lookups,
    not_rebuilt=_archived_ones,
)
