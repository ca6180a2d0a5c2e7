"""Tables for the tests of the frame: one per combination of policies that the shop's own tables will use."""

from datetime import timedelta
from typing import NamedTuple

from gateway.cassandra.statements import Consistency
from gateway.cassandra.table import LEVELLED, Table, UserType, time_windows


class Line(NamedTuple):
    """A value of the type `sample_line`."""

    product_id: str
    quantity: int


SAMPLE_LINE = UserType("sample_line", {"product_id": "text", "quantity": "int"})

HISTORY = Table(
    name="sample_history",
    kind="orders",
    serves="tests: rows of an owner's month, newest first, written under versions",
    columns={
        "owner": "text",
        "month": "text",
        "created_at": "timestamp",
        "order_id": "uuid",
        "status": "text",
        "total": "decimal",
        "lines": "frozen<list<frozen<sample_line>>>",
    },
    partition_key=("owner", "month"),
    clustering={"created_at": "DESC", "order_id": "ASC"},
    types=(SAMPLE_LINE,),
    write_at=Consistency.LOCAL_QUORUM,
    read_at=Consistency.LOCAL_QUORUM,
    read_repair="BLOCKING",
    repaired_nightly=True,
    versioned=True,
)

SESSIONS = Table(
    name="sample_sessions",
    kind="carts",
    serves="tests: a row that expires, by its id",
    columns={"session_id": "text", "data": "text", "devices": "map<text, int>"},
    partition_key=("session_id",),
    ttl=timedelta(hours=1),
    compaction=LEVELLED,
    write_at=Consistency.LOCAL_QUORUM,
    read_at=Consistency.LOCAL_ONE,
    read_repair="NONE",
    repaired_nightly=False,
    versioned=False,
)

REGIONAL = Table(
    name="sample_regional",
    kind="history",
    serves="tests: rows of a region's day, taken even when no replica is up",
    columns={"region": "text", "day": "date", "order_id": "text", "total": "decimal"},
    partition_key=("region", "day"),
    clustering={"order_id": "ASC"},
    compaction=time_windows(days=1),
    write_at=Consistency.ANY,
    read_at=Consistency.ONE,
    read_repair="NONE",
    repaired_nightly=True,
    versioned=True,
)

TABLES = (HISTORY, SESSIONS, REGIONAL)
