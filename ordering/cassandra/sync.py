"""How orders are kept in step with Cassandra: their SYNCED, what of them is compared, and where rows of them may be."""

from collections.abc import Iterator, Sequence

from gateway.cassandra.partition_stats import buckets_of, choose_bucket
from gateway.cassandra.reads import first
from gateway.cassandra.statements import Row, Select
from gateway.cassandra.table import Table
from gateway.mongo.client import Expression
from gateway.sync.declarations import Synced
from gateway.sync.queue import sync_soon
from ordering.cassandra.rows import day_of, month_of, rows_of, writes_of, writes_of_table
from ordering.cassandra.tables import (
    ARCHIVED_ORDERS_BY_KEY,
    ORDER_EVENTS_BY_ID,
    ORDER_STATE_BY_ID,
    ORDER_TABLES,
    ORDERS_BY_PERIOD,
    ORDERS_BY_USER,
)
from ordering.documents import OrderDocument
from ordering.models import Order

ORDERS = Order._meta.db_table


def sync_order_soon(order: OrderDocument) -> None:
    """Have the order copied to Cassandra in a second or so. To be called after every commit of a change."""
    sync_soon(ORDERS, [SYNCED.key_of(order)])


def _placed(order: OrderDocument) -> Expression:
    """The bucket of its day, chosen at the first copying: later versions stay there, however many the day has then."""
    if order.get("period_bucket") is not None:
        return {}
    return {"period_bucket": choose_bucket(ORDERS_BY_PERIOD, day_of(order), identity=order["_id"])}


def _note_on_archived() -> str:
    """What a rebuild of the tables cannot bring back, in words; empty when nothing is archived."""
    any_row = f"SELECT key FROM {ARCHIVED_ORDERS_BY_KEY.full_name} LIMIT 1"  # noqa: S608 - a name of ours
    if first(Select(any_row, (), ARCHIVED_ORDERS_BY_KEY.read_at, page_size=1)) is None:
        return ""
    return "Archived orders are not in MongoDB any more: rows of theirs that were lost are not made again."


def compared_rows(order: OrderDocument) -> Iterator[tuple[Table, Row]]:
    """The rows that an order makes, without `archived_at`, which an archiving under way has set already."""
    for table, row in rows_of(order):
        yield table, {column: value for column, value in row.items() if column != "archived_at"}


def lookups(orders: Sequence[OrderDocument]) -> list[list[tuple[Table, Select]]]:
    """The reads that find all rows of each order: all events there are, its history under each owner, its day in each
    bucket."""
    buckets = {day: list(buckets_of(ORDERS_BY_PERIOD, day)) for day in {day_of(order) for order in orders}}
    return [list(_lookups(order, buckets[day_of(order)])) for order in orders]


def _lookups(order: OrderDocument, buckets: list[int]) -> Iterator[tuple[Table, Select]]:
    order_id, created_at = order["_id"], order["created_at"]
    yield ORDER_STATE_BY_ID, ORDER_STATE_BY_ID.select("order_id = ?", order_id)
    yield ORDER_EVENTS_BY_ID, ORDER_EVENTS_BY_ID.select("order_id = ?", order_id)
    for owner in dict.fromkeys([order["owner"], *(order.get("past_owners") or ())]):
        yield (
            ORDERS_BY_USER,
            ORDERS_BY_USER.select(
                "owner = ? AND month = ? AND created_at = ? AND order_id = ?",
                owner,
                month_of(order),
                created_at,
                order_id,
            ),
        )
    yield (
        ORDERS_BY_PERIOD,
        ORDERS_BY_PERIOD.select(
            "day = ? AND bucket IN ? AND created_at = ? AND order_id = ?",
            day_of(order),
            # The order's own, too, should the statistics have lost it.
            sorted({*buckets, order["period_bucket"]}),
            created_at,
            order_id,
        ),
    )


SYNCED = Synced(
    collection=ORDERS,
    key=("owner", "_id"),
    tables=ORDER_TABLES,
    writes=writes_of,
    writes_of_table=writes_of_table,
    placed=_placed,
    goes_first=True,
    rows=compared_rows,
    lookups=lookups,
    not_rebuilt=_note_on_archived,
)
