"""The orders in Cassandra: a table per question, and the rows that an order makes in each."""

from collections.abc import Iterator
from datetime import UTC, date, datetime
from typing import Any

from gateway.cassandra.statements import Consistency, Row, Write
from gateway.cassandra.table import Table, UserType, time_windows
from gateway.cassandra.values import Codec
from gateway.mongo.client import Document
from gateway.sync.marks import timestamp_of
from ordering.ledger.amounts import paid, refunded
from ordering.ledger.fields import EARLIER

ITEM = UserType(
    "order_item",
    {
        "product_id": "text",
        "category": "text",
        "name": "text",
        "price": "decimal",
        "quantity": "int",
        "refunded": "int",
    },
)
CONTACT = UserType("order_contact", {"name": "text", "email": "text", "phone": "text"})
ADDRESS = UserType("order_address", {"city": "text", "street": "text", "postcode": "text", "comment": "text"})
PAYMENT = UserType(
    "order_payment",
    {"reference": "text", "amount": "decimal", "at": "timestamp", "source": "text", "to_refund": "decimal"},
)
REFUND_LINE = UserType("order_refund_line", {"product_id": "text", "quantity": "int"})
REFUND = UserType(
    "order_refund",
    {
        "reference": "text",
        "amount": "decimal",
        "at": "timestamp",
        "lines": "frozen<list<frozen<order_refund_line>>>",
        "restocked": "boolean",
    },
)
MONEY_PART = UserType("order_money_part", {"entry": "text", "amount": "decimal"})
MONEY_ENTRY = UserType(
    "order_money_entry",
    {
        "id": "text",
        "at": "timestamp",
        "kind": "text",
        "state": "text",
        "amount": "decimal",
        "reference": "text",
        "actor": "text",
        "source": "text",
        "parts": "frozen<list<frozen<order_money_part>>>",
        "lines": "frozen<list<frozen<order_refund_line>>>",
        "restocked": "boolean",
    },
)
# A type is made after those it mentions.
TYPES = (ITEM, CONTACT, ADDRESS, PAYMENT, REFUND_LINE, REFUND, MONEY_PART, MONEY_ENTRY)

WHOLE_ORDER = {
    "order_id": "text",
    "owner": "text",
    "user_id": "text",
    "past_owners": "frozen<list<text>>",
    "cart_id": "text",
    "number": "text",
    "status": "text",
    "items": "frozen<list<frozen<order_item>>>",
    "total": "decimal",
    "currency": "text",
    "geozone": "text",
    "language": "text",
    "contact": "frozen<order_contact>",
    "shipping_address": "frozen<order_address>",
    "money": "frozen<list<frozen<order_money_entry>>>",
    # Of an earlier release, which had no ledger; orders archived by it keep them.
    "payments": "frozen<list<frozen<order_payment>>>",
    "refunds": "frozen<list<frozen<order_refund>>>",
    "to_refund": "boolean",
    "retaken": "text",
    "reserved_until": "timestamp",
    "client_key": "text",
    "request": "text",
    "keys": "frozen<list<text>>",
    "period_bucket": "int",
    "created_at": "timestamp",
    "updated_at": "timestamp",
    "version": "bigint",
}
"""Every fact of the document but its events, which have a table of their own, and what is still owed."""

ORDERS_BY_USER = Table(
    name="orders_by_user",
    kind="orders",
    serves="an owner's order history, newest first",
    columns={"month": "text", **WHOLE_ORDER},
    partition_key=("owner", "month"),
    # Both downwards, as MongoDB's index has them: a cursor of one store continues in the other.
    clustering={"created_at": "DESC", "order_id": "DESC"},
    types=TYPES,
    compaction=time_windows(days=30),
    write_at=Consistency.LOCAL_QUORUM,
    read_at=Consistency.LOCAL_QUORUM,
    read_repair="BLOCKING",
    repaired_nightly=True,
    versioned=True,
    sampled=0.01,
)

ORDER_MONTHS_BY_USER = Table(
    name="order_months_by_user",
    kind="orders",
    serves="the months in which an owner has orders, newest first",
    columns={"owner": "text", "month": "text"},
    partition_key=("owner",),
    clustering={"month": "DESC"},
    write_at=Consistency.LOCAL_QUORUM,
    read_at=Consistency.LOCAL_QUORUM,
    read_repair="BLOCKING",
    repaired_nightly=True,
    versioned=True,
)

ORDER_STATE_BY_ID = Table(
    name="order_state_by_id",
    kind="orders",
    serves="one order by its id: support, and its status while MongoDB is away",
    columns={**WHOLE_ORDER, "archived_at": "timestamp"},
    partition_key=("order_id",),
    types=TYPES,
    write_at=Consistency.LOCAL_QUORUM,
    read_at=Consistency.LOCAL_QUORUM,
    read_repair="BLOCKING",
    repaired_nightly=True,
    versioned=True,
)

ORDER_EVENTS_BY_ID = Table(
    name="order_events_by_id",
    kind="orders",
    serves="what happened to an order: timeline, audit",
    columns={
        "order_id": "text",
        "event_time": "timestamp",
        "event_id": "text",
        # Two events of one millisecond keep their order by it.
        "position": "int",
        "type": "text",
        "status": "text",
        "actor": "text",
        "note": "text",
        "entry": "text",
    },
    partition_key=("order_id",),
    clustering={"event_time": "DESC", "event_id": "ASC"},
    compaction=time_windows(days=30),
    write_at=Consistency.LOCAL_QUORUM,
    read_at=Consistency.LOCAL_QUORUM,
    read_repair="BLOCKING",
    repaired_nightly=True,
    versioned=True,
)

MONEY_FIELDS = ("money", *EARLIER)

EVENT_FIELDS = ("type", "status", "actor", "note", "entry")
"""Beside its id and time."""

_FIGURES = {
    "number": "text",
    "status": "text",
    "total": "decimal",
    "currency": "text",
    "paid": "decimal",
    "refunded": "decimal",
    "pieces": "int",
    "version": "bigint",
}

ORDER_HISTORY_BY_REGION = Table(
    name="order_history_by_region",
    kind="history",
    serves="orders and revenue of a geozone by day",
    columns={"region": "text", "day": "date", "order_id": "text", "created_at": "timestamp", **_FIGURES},
    partition_key=("region", "day"),
    clustering={"order_id": "ASC"},
    compaction=time_windows(days=30),
    write_at=Consistency.ANY,
    read_at=Consistency.ONE,
    read_repair="NONE",
    repaired_nightly=True,
    versioned=True,
    sampled=0.01,
)

ORDERS_BY_PERIOD = Table(
    name="orders_by_period",
    kind="orders",
    serves="orders and revenue by period, newest first; on peak days a day has several buckets",
    columns={
        "day": "date",
        "bucket": "int",
        "created_at": "timestamp",
        "order_id": "text",
        "owner": "text",
        "region": "text",
        **_FIGURES,
    },
    partition_key=("day", "bucket"),
    clustering={"created_at": "DESC", "order_id": "DESC"},
    compaction=time_windows(days=30),
    write_at=Consistency.LOCAL_QUORUM,
    read_at=Consistency.LOCAL_QUORUM,
    read_repair="BLOCKING",
    repaired_nightly=True,
    versioned=True,
    sampled=1.0,
)

ARCHIVED_ORDERS_BY_KEY = Table(
    name="archived_orders_by_key",
    kind="orders",
    serves="archived orders by what support knows of them, newest first",
    columns={
        "key": "text",
        "year": "int",
        "created_at": "timestamp",
        "order_id": "text",
        "keys": "frozen<list<text>>",
    },
    partition_key=("key", "year"),
    clustering={"created_at": "DESC", "order_id": "DESC"},
    compaction=time_windows(days=30),
    write_at=Consistency.LOCAL_QUORUM,
    read_at=Consistency.LOCAL_QUORUM,
    read_repair="BLOCKING",
    repaired_nightly=True,
    versioned=True,
)

ORDER_TABLES = (
    ORDERS_BY_USER,
    ORDER_MONTHS_BY_USER,
    ORDER_STATE_BY_ID,
    ORDER_EVENTS_BY_ID,
    ORDER_HISTORY_BY_REGION,
    ORDERS_BY_PERIOD,
)
TABLES = (*ORDER_TABLES, ARCHIVED_ORDERS_BY_KEY)

_BY_USER = Codec(ORDERS_BY_USER, id_column="order_id", beside=("month",))
_STATE = Codec(ORDER_STATE_BY_ID, id_column="order_id", beside=("archived_at",))


def writes_of(order: Document) -> Iterator[Write]:
    """Everything that Cassandra is to know of this version of an order, which has its bucket."""
    timestamp = timestamp_of(order)
    for table, row in rows_of(order):
        yield table.upsert(row, timestamp=timestamp)
    for owner in order.get("past_owners") or ():
        key = {"owner": owner, "month": month_of(order), "created_at": order["created_at"], "order_id": order["_id"]}
        yield ORDERS_BY_USER.delete(key, timestamp=timestamp)


def rows_of(order: Document) -> Iterator[tuple[Table, Row]]:
    """Each row of the order with its table."""
    owner, month, day = order["owner"], month_of(order), day_of(order)
    yield ORDER_MONTHS_BY_USER, {"owner": owner, "month": month}
    yield ORDERS_BY_USER, _BY_USER.row(order, month=month)
    yield ORDER_STATE_BY_ID, _STATE.row(order, archived_at=None)
    for position, event in enumerate(order["events"]):
        yield ORDER_EVENTS_BY_ID, _event_row(order["_id"], position, event)
    figures = _figures(order)
    yield ORDER_HISTORY_BY_REGION, {"region": order["geozone"], "day": day, **figures}
    bucket = {"day": day, "bucket": order["period_bucket"], "owner": owner, "region": order["geozone"]}
    yield ORDERS_BY_PERIOD, {**bucket, **figures}


def archived_rows_of(order: Document) -> Iterator[tuple[Table, Row]]:
    """Those that an order makes when it is archived, besides the others: it is found by each of its keys."""
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


def order_of_history(row: Row) -> Document:
    """The document of a row of `orders_by_user`, without its events."""
    return _with_one_form_of_money(_BY_USER.document(row))


def order_of_state(row: Row) -> Document:
    """The document of a row of `order_state_by_id`, without its events."""
    return _with_one_form_of_money(_STATE.document(row))


def _with_one_form_of_money(order: Document) -> Document:
    """A row has columns for the ledger and for what stood in its place before; a document has one of the two."""
    return {name: value for name, value in order.items() if value is not None or name not in MONEY_FIELDS}


def events_of(rows: list[Row]) -> list[Document]:
    """Of the rows of one order's `order_events_by_id`: oldest first, as the document has them."""
    return [
        {
            "id": row["event_id"],
            "at": row["event_time"],
            **{field: row[field] for field in EVENT_FIELDS},
        }
        for row in sorted(rows, key=lambda row: row["position"])
    ]


def day_of(order: Document) -> date:
    return _utc(order["created_at"]).date()


def month_of(order: Document) -> str:
    return month_at(order["created_at"])


def month_at(moment: datetime) -> str:
    return _utc(moment).strftime("%Y-%m")


def _utc(moment: datetime) -> datetime:
    return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)


def _event_row(order_id: str, position: int, event: Document) -> Row:
    return {
        "order_id": order_id,
        "event_time": event["at"],
        "event_id": event["id"],
        "position": position,
        # An event of an earlier release names no entry of the ledger.
        **{field: event.get(field) for field in EVENT_FIELDS},
    }


def _figures(order: Document) -> dict[str, Any]:
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
