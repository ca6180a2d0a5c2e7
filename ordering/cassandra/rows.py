"""The rows that an order makes in each table of Cassandra, and the document that they make again."""

from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime
from typing import Any, cast

from gateway.cassandra.statements import Row, Write
from gateway.cassandra.table import Table
from gateway.cassandra.values import Codec
from gateway.mongo.client import Document
from gateway.sync.marks import timestamp_of
from ordering.cassandra.tables import (
    ARCHIVED_ORDERS_BY_KEY,
    ORDER_EVENTS_BY_ID,
    ORDER_HISTORY_BY_REGION,
    ORDER_MONTHS_BY_USER,
    ORDER_STATE_BY_ID,
    ORDER_TABLES,
    ORDERS_BY_PERIOD,
    ORDERS_BY_USER,
)
from ordering.documents import OrderDocument, OrderEvent
from ordering.ledger.amounts import paid, refunded
from ordering.ledger.fields import EARLIER

# A row has columns for the ledger and for what stood there before; an order, one. Most have no parcel and no notes.
ABSENT_WHEN_NULL = ("money", *EARLIER, "moved_under", "tracking", "notes")

_BY_USER = Codec(ORDERS_BY_USER, id_column="order_id", beside=("month",))
_STATE = Codec(ORDER_STATE_BY_ID, id_column="order_id", beside=("archived_at",))


def writes_of(order: OrderDocument) -> Iterator[Write]:
    """Everything that Cassandra is to know of this version of an order. The order must have its bucket."""
    for table in ORDER_TABLES:
        yield from writes_of_table(order, table)


def writes_of_table(order: OrderDocument, table: Table) -> Iterator[Write]:
    """What one table is to know of this version of an order."""
    timestamp = timestamp_of(order)
    for row in _ROWS[table.name](order):
        yield table.upsert(row, timestamp=timestamp)
    if table is ORDERS_BY_USER:
        month, created_at = month_of(order), order["created_at"]
        for owner in order.get("past_owners") or ():
            key = {"owner": owner, "month": month, "created_at": created_at, "order_id": order["_id"]}
            yield table.delete(key, timestamp=timestamp)
    if table is ORDER_HISTORY_BY_REGION:
        for geozone in set(order.get("past_geozones") or ()) - {order["geozone"]}:
            place = {"region": geozone, "day": day_of(order), "order_id": order["_id"]}
            yield table.delete(place, timestamp=timestamp)


def rows_of(order: OrderDocument) -> Iterator[tuple[Table, Row]]:
    """Each row that the order makes, with its table. The order must have its bucket."""
    for table in ORDER_TABLES:
        for row in _ROWS[table.name](order):
            yield table, row


def _rows_of_month(order: OrderDocument) -> Iterator[Row]:
    yield {"owner": order["owner"], "month": month_of(order)}


def _rows_of_history(order: OrderDocument) -> Iterator[Row]:
    yield _BY_USER.row(order, month=month_of(order))


def _rows_of_state(order: OrderDocument) -> Iterator[Row]:
    yield _STATE.row(order, archived_at=None)


def _rows_of_events(order: OrderDocument) -> Iterator[Row]:
    for position, event in enumerate(order["events"]):
        yield _event_row(order["_id"], position, event)


def _rows_of_region(order: OrderDocument) -> Iterator[Row]:
    yield {"region": order["geozone"], "day": day_of(order), **_figures(order)}


def _rows_of_period(order: OrderDocument) -> Iterator[Row]:
    bucket = {"day": day_of(order), "bucket": order["period_bucket"]}
    yield {**bucket, "owner": order["owner"], "region": order["geozone"], **_figures(order)}


_ROWS: dict[str, Callable[[OrderDocument], Iterator[Row]]] = {
    ORDERS_BY_USER.name: _rows_of_history,
    ORDER_MONTHS_BY_USER.name: _rows_of_month,
    ORDER_STATE_BY_ID.name: _rows_of_state,
    ORDER_EVENTS_BY_ID.name: _rows_of_events,
    ORDER_HISTORY_BY_REGION.name: _rows_of_region,
    ORDERS_BY_PERIOD.name: _rows_of_period,
}
"""How an order makes the rows of each table."""


def archived_rows_of(order: OrderDocument) -> Iterator[tuple[Table, Row]]:
    """The rows that an order makes besides the others when it is archived: it is found by each of its keys."""
    for key in order["keys"]:
        yield (
            ARCHIVED_ORDERS_BY_KEY,
            {
                "key": key,
                "year": _utc(order["created_at"]).year,
                "created_at": order["created_at"],
                "order_id": order["_id"],
                "keys": order["keys"],
            },
        )


def order_of_history(row: Row) -> OrderDocument:
    """The document of a row of `orders_by_user`, without its events."""
    return _without_nulls(_BY_USER.document(row))


def order_of_state(row: Row) -> OrderDocument:
    """The document of a row of `order_state_by_id`, without its events."""
    return _without_nulls(_STATE.document(row))


def _without_nulls(fields: Document) -> OrderDocument:
    """The order of these fields."""
    order = {name: value for name, value in fields.items() if value is not None or name not in ABSENT_WHEN_NULL}
    return cast("OrderDocument", order)


def events_of(rows: list[Row]) -> list[OrderEvent]:
    """The events of an order from its rows of `order_events_by_id`: oldest first, as the document has them."""
    return [
        {
            "id": row["event_id"],
            "at": row["event_time"],
            "type": row["type"],
            "status": row["status"],
            "actor": row["actor"],
            "note": row["note"],
            "entry": row["entry"],
        }
        for row in sorted(rows, key=lambda row: row["position"])
    ]


def day_of(order: OrderDocument) -> date:
    return _utc(order["created_at"]).date()


def month_of(order: OrderDocument) -> str:
    return month_at(order["created_at"])


def month_at(moment: datetime) -> str:
    return _utc(moment).strftime("%Y-%m")


def _utc(moment: datetime) -> datetime:
    return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)


def _event_row(order_id: str, position: int, event: OrderEvent) -> Row:
    return {
        "order_id": order_id,
        "event_time": event["at"],
        "event_id": event["id"],
        "position": position,
        "type": event["type"],
        "status": event["status"],
        "actor": event["actor"],
        "note": event["note"],
        # An event of an earlier release names no entry of the ledger.
        "entry": event.get("entry"),
    }


def _figures(order: OrderDocument) -> dict[str, Any]:
    return {
        "order_id": order["_id"],
        "created_at": order["created_at"],
        "number": order["number"],
        "status": order["status"],
        "total": order["total"].to_decimal(),
        "currency": order["currency"],
        "paid": paid(order),
        "refunded": refunded(order),
        "pieces": sum(item["quantity"] for item in order["items"]),
        "version": order["version"],
    }
