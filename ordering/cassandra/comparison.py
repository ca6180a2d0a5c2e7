"""What of an order is compared with Cassandra, and where rows of it may be."""

from collections.abc import Iterator, Sequence

from gateway.cassandra.partition_stats import buckets_of
from gateway.cassandra.statements import Row, Select
from gateway.cassandra.table import Table
from gateway.mongo.client import Document
from ordering.cassandra.tables import (
    ORDER_EVENTS_BY_ID,
    ORDER_STATE_BY_ID,
    ORDERS_BY_PERIOD,
    ORDERS_BY_USER,
    day_of,
    month_of,
    rows_of,
)


def compared_rows(order: Document) -> Iterator[tuple[Table, Row]]:
    """All of them; `archived_at` aside, which an archiving under way has set already."""
    for table, row in rows_of(order):
        yield table, {column: value for column, value in row.items() if column != "archived_at"}


def lookups(orders: Sequence[Document]) -> list[list[tuple[Table, Select]]]:
    """Its events, whichever there are; its history under each owner; its day in each bucket."""
    buckets = {day: list(buckets_of(ORDERS_BY_PERIOD, day)) for day in {day_of(order) for order in orders}}
    return [list(_lookups(order, buckets[day_of(order)])) for order in orders]


def _lookups(order: Document, buckets: list[int]) -> Iterator[tuple[Table, Select]]:
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
