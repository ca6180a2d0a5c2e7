"""The tables of the orders in Cassandra: one per question."""

from gateway.cassandra.statements import Consistency
from gateway.cassandra.table import Table, UserType, time_windows

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
TRACKING = UserType("order_tracking", {"carrier": "text", "number": "text", "url": "text"})
NOTE = UserType(
    "order_note",
    {
        "id": "text",
        "at": "timestamp",
        "actor": "text",
        "text": "text",
        "mentions": "frozen<list<text>>",
        "key": "text",
    },
)
# A type is made after those it mentions.
TYPES = (ITEM, CONTACT, ADDRESS, PAYMENT, REFUND_LINE, REFUND, MONEY_PART, MONEY_ENTRY, TRACKING, NOTE)

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
    "moved_under": "frozen<list<text>>",
    "tracking": "frozen<order_tracking>",
    "notes": "frozen<list<frozen<order_note>>>",
    "reserved_until": "timestamp",
    "client_key": "text",
    "request": "text",
    "keys": "frozen<list<text>>",
    "period_bucket": "int",
    "created_at": "timestamp",
    "updated_at": "timestamp",
    "version": "bigint",
}
"""Every fact of the document but its events, which have a table of their own, what is still owed, and what became of
letters, which is of use while the order is worked on."""

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
