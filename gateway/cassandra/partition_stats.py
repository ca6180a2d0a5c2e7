"""Sizes of partitions, sampled by those who write them, and how many buckets a bucketed table needs.

A table whose partition key ends in `bucket` spreads what would be one hot partition over several. Their number follows
from the rows counted so far and only grows: rows stay where they were written, and readers ask for the number.
"""

import random
import time
import zlib
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from math import ceil
from typing import Any, NamedTuple

import structlog
from django.conf import settings
from redis.exceptions import RedisError

from gateway.cassandra.errors import CassandraError
from gateway.cassandra.reads import first, read, read_async
from gateway.cassandra.statements import Consistency, Row, Select
from gateway.cassandra.table import Table
from gateway.cassandra.writes import write
from gateway.redis.clients import redis_client

log = structlog.get_logger(__name__)

PARTITION_STATS = Table(
    name="partition_stats",
    kind="orders",
    serves="sizes of partitions, and the buckets there are",
    columns={
        "table_name": "text",
        "partition_key": "text",
        "rows": "bigint",
        "bytes": "bigint",
        "measured_at": "timestamp",
    },
    partition_key=("table_name",),
    clustering={"partition_key": "ASC"},
    write_at=Consistency.LOCAL_QUORUM,
    read_at=Consistency.LOCAL_QUORUM,
    read_repair="BLOCKING",
    repaired_nightly=True,
    versioned=False,
)

# Cassandra's own advice is to stay below 100 MB and 100 000 rows; more buckets than this no reader wants to merge.
MOST_BUCKETS = 64
# A partition that is written all the time is counted as often as this, and a few per batch of writes.
MEASURED_EVERY_SECONDS = 20
MEASURED_AT_ONCE = 8
# A count is one row, but Cassandra reads what it counts in pages of this size, each as dear as a request.
COUNTED_AT_ONCE = 5_000
# Counting reads every row, so it has a share of a process's time rather than a number of partitions.
PAUSE_AFTER_MEASURING = 20
# Rows whose size stands for that of the others.
WEIGHED = 20
# Of tables without buckets only large partitions are worth a line: there are millions of small ones.
WORTH_A_LINE = 1_000
# How long a writer trusts the number of buckets; readers ask each time.
TRUSTED_SECONDS = 5.0
# Between the parts of a key, and after the last one that readers name; no part holds it.
SEPARATOR = "/"

Partition = tuple[Any, ...]


class Size(NamedTuple):
    """The size of one partition as last measured."""

    table: str
    partition: str
    rows: int
    bytes: int
    measured_at: datetime


class _Trusted:
    """Numbers of buckets that this process has read a moment ago."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], tuple[float, int]] = {}

    def get(self, table: Table, prefix: str) -> int | None:
        known = self._known.get((table.full_name, prefix))
        return known[1] if known and known[0] > time.monotonic() else None

    def put(self, table: Table, prefix: str, buckets: int) -> None:
        if len(self._known) > 10_000:
            self._known.clear()
        self._known[table.full_name, prefix] = time.monotonic() + TRUSTED_SECONDS, buckets

    def forget(self) -> None:
        self._known.clear()


TRUSTED = _Trusted()


class _Pace:
    """When this process may count partitions again: after so many times as long as the last counting took."""

    def __init__(self) -> None:
        self._resumes = 0.0

    def is_due(self) -> bool:
        return time.monotonic() >= self._resumes

    def pause_since(self, started: float) -> None:
        now = time.monotonic()
        self._resumes = now + PAUSE_AFTER_MEASURING * (now - started)

    def forget(self) -> None:
        self._resumes = 0.0


PACE = _Pace()


def choose_bucket(table: Table, *prefix: object, identity: str) -> int:
    """The bucket for a new row. Makes more buckets when the rows need them, known to readers before they are used."""
    label = _label(prefix)
    buckets = TRUSTED.get(table, label)
    if buckets is None:
        buckets = _grow(table, label)
        TRUSTED.put(table, label, buckets)
    return zlib.crc32(identity.encode()) % buckets


def buckets_of(table: Table, *prefix: object) -> range:
    """The buckets in which rows may be; empty when nothing was ever written."""
    return _range(read(_known_buckets(table, _label(prefix))))


async def buckets_of_async(table: Table, *prefix: object) -> range:
    return _range(await read_async(_known_buckets(table, _label(prefix))))


def note(tables: Iterable[Table], partitions: Collection[Partition]) -> None:
    """Measure some of the partitions that have just been written. Never fails: the sizes are a convenience."""
    if not PACE.is_due():
        return
    sampled = {table.full_name: table for table in tables if table.sampled}
    chosen = [partition for partition in partitions if partition[0] in sampled]
    random.shuffle(chosen)
    started = time.monotonic()
    try:
        for partition in _claim_due(chosen, sampled):
            measure(sampled[partition[0]], partition[1:])
    except (CassandraError, RedisError) as error:
        log.info("partition_stats.not_measured", error=type(error).__name__)
    PACE.pause_since(started)


def measure(table: Table, partition: Partition) -> Size:
    """Count the rows of a partition and weigh a few; the size is stored if the table has buckets or it is large."""
    where = " AND ".join(f"{column} = ?" for column in table.partition_key)
    rows_of = f"SELECT count(*) AS rows FROM {table.full_name} WHERE {where}"  # noqa: S608 - names of ours
    counted = first(Select(rows_of, partition, table.read_at, page_size=COUNTED_AT_ONCE))
    rows: int = counted["rows"] if counted else 0
    weighed = read(table.select(where, *partition, limit=WEIGHED))
    mean = sum(map(_weight, weighed)) / len(weighed) if weighed else 0
    size = Size(table.name, _label(partition), rows, round(rows * mean), datetime.now(UTC))
    if _is_bucketed(table) or rows >= WORTH_A_LINE:
        values = {"rows": size.rows, "bytes": size.bytes, "measured_at": size.measured_at}
        write([PARTITION_STATS.upsert({"table_name": table.name, "partition_key": size.partition, **values})])
    return size


def largest(tables: Sequence[Table], *, limit: int) -> list[Size]:
    """The largest partitions that were measured, for the page of hot partitions."""
    found = [
        Size(row["table_name"], row["partition_key"], row["rows"], row["bytes"], row["measured_at"])
        for table in tables
        for row in read(PARTITION_STATS.select("table_name = ?", table.name))
        if row["rows"] is not None
    ]
    return sorted(found, key=lambda size: -size.rows)[:limit]


def _grow(table: Table, label: str) -> int:
    """How many buckets the rows counted so far need; new ones are made known to readers first."""
    known = read(_known_buckets(table, label))
    rows = sum(row["rows"] or 0 for row in known)
    needed = 1
    while needed < min(MOST_BUCKETS, ceil(rows / settings.CASSANDRA_PARTITION_ROWS)):
        needed *= 2
    there = _range(known).stop
    if needed > there:
        # The key alone: what is measured meanwhile stays.
        write(
            PARTITION_STATS.upsert({"table_name": table.name, "partition_key": f"{label}{SEPARATOR}{number}"})
            for number in range(there, needed)
        )
        if there:
            log.info("partition_stats.more_buckets", table=table.name, partition=label, buckets=needed, rows=rows)
    return max(needed, there)


def _known_buckets(table: Table, label: str) -> Select:
    return PARTITION_STATS.select(
        "table_name = ? AND partition_key >= ? AND partition_key < ?",
        table.name,
        label + SEPARATOR,
        label + chr(ord(SEPARATOR) + 1),
        columns=("partition_key", "rows"),
    )


def _range(known: Iterable[Row]) -> range:
    numbers = [int(row["partition_key"].rpartition(SEPARATOR)[2]) for row in known]
    return range(max(numbers, default=-1) + 1)


def _claim_due(chosen: Sequence[Partition], sampled: dict[str, Table]) -> Iterator[Partition]:
    """A random few of the partitions whose turn it is to be measured; a mark in Redis keeps others from them."""
    left = MEASURED_AT_ONCE
    for partition in chosen:
        if not left:
            return
        if random.random() >= sampled[partition[0]].sampled:  # noqa: S311 - a sample, no secret
            continue
        key = f"measured:{partition[0]}:{_label(partition[1:])}"
        if redis_client().set(key, "1", nx=True, ex=MEASURED_EVERY_SECONDS):
            left -= 1
            yield partition


def _is_bucketed(table: Table) -> bool:
    return table.partition_key[-1] == "bucket"


def _label(parts: Iterable[object]) -> str:
    return SEPARATOR.join(map(str, parts))


def _weight(row: Row) -> int:
    """The length of the values as text: near enough to what they take on disk before compression."""
    return sum(len(str(value)) for value in row.values() if value is not None)
