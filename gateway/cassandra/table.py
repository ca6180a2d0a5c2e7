"""Tables of Cassandra: key, columns, lifetime, consistency and repair, declared in an app's cassandra/tables.py.

`manage.py cassandra apply` makes it true. Requests come from the declaration too, so that none can forget its policy.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from importlib import import_module
from typing import Any, Literal

from cassandra.query import UNSET_VALUE
from django.apps import apps
from django.core.exceptions import ImproperlyConfigured
from django.utils.module_loading import module_has_submodule

from gateway.cassandra.schema.keyspaces import KeyspaceKind, keyspace_name
from gateway.cassandra.statements import Consistency, Select, Write

Direction = Literal["ASC", "DESC"]
ReadRepair = Literal["BLOCKING", "NONE"]
Compaction = Mapping[str, str]

SIZE_TIERED: Compaction = {"class": "SizeTieredCompactionStrategy"}
LEVELLED: Compaction = {"class": "LeveledCompactionStrategy"}

# A page of 500 rows of about 1 kB is a comfortable answer; most partitions need one.
PAGE_SIZE = 500

_NAME = re.compile(r"[a-z][a-z0-9_]*")


def time_windows(days: int) -> Compaction:
    """Compaction for rows that expire or age together, in files that are dropped whole.

    Windows go by the timestamps of the writes.
    """
    return {
        "class": "TimeWindowCompactionStrategy",
        "compaction_window_unit": "DAYS",
        "compaction_window_size": str(days),
    }


@dataclass(frozen=True, slots=True)
class UserType:
    """A type of our own, used frozen in columns. A value is a tuple, best a NamedTuple, of the fields in this order."""

    name: str
    fields: Mapping[str, str]

    def __post_init__(self) -> None:
        _check_names(self.name, *self.fields)


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    name: str
    kind: KeyspaceKind
    """The kind of data it holds, which decides the keyspace and with it the replication."""
    serves: str
    """The query this table exists for, in one line."""
    columns: Mapping[str, str]
    """The CQL type of each column, as Cassandra itself spells it: `text`, `map<text, int>`."""
    partition_key: tuple[str, ...]
    clustering: Mapping[str, Direction] = field(default_factory=dict)
    types: tuple[UserType, ...] = ()
    """The types of our own that the columns use."""
    ttl: timedelta | None = None
    """How long a row lives unless the write says otherwise."""
    compaction: Compaction = field(default_factory=lambda: SIZE_TIERED)
    write_at: Consistency
    read_at: Consistency
    read_repair: ReadRepair
    repaired_nightly: bool
    versioned: bool
    """Every write carries a timestamp that follows the document's version: a late one never undoes a newer.

    All or none: a single write under the clock's time would outlive the versions that follow."""
    sampled: float = 0.0
    """The share of written partitions that a sync measures for partition_stats; 1 where buckets depend on it."""
    _inserts: dict[str, str] = field(default_factory=dict, init=False, repr=False, compare=False)
    """The text of an upsert, by the table's full name: it is made for every row."""

    def __post_init__(self) -> None:
        _check_names(self.name, *self.columns)
        key = self.primary_key
        if not self.partition_key or len(set(key)) < len(key) or not set(key) <= self.columns.keys():
            raise ImproperlyConfigured(f"{self.name}: the key {key} must name columns, each once")
        if self.read_at is Consistency.ANY:
            raise ImproperlyConfigured(f"{self.name}: ANY is for writes")
        for column, cql_type in self.columns.items():
            # A repeated write would count twice, or (with an explicit timestamp) double the list's items.
            if cql_type == "counter" or cql_type.startswith("list<"):
                raise ImproperlyConfigured(f"{self.name}.{column}: {cql_type} cannot be written idempotently")
        if self.ttl is not None:
            _seconds(self.ttl)

    @property
    def keyspace(self) -> str:
        return keyspace_name(self.kind)

    @property
    def full_name(self) -> str:
        return f"{self.keyspace}.{self.name}"

    @property
    def primary_key(self) -> tuple[str, ...]:
        return (*self.partition_key, *self.clustering)

    def select(
        self,
        where: str,
        *params: Any,
        columns: Sequence[str] = (),
        limit: int | None = None,
        page_size: int = PAGE_SIZE,
    ) -> Select:
        """A read by CQL conditions with a `?` per parameter: `select("owner = ? AND month = ?", owner, month)`."""
        if where.count("?") != len(params):
            raise ValueError(f"{self.name}: {len(params)} parameters for «{where}»")
        if unknown := set(columns) - self.columns.keys():
            raise ValueError(f"{self.name} has no columns {sorted(unknown)}")
        cql = f"SELECT {', '.join(columns or self.columns)} FROM {self.full_name} WHERE {where}"  # noqa: S608 names are checked
        if limit is not None:
            cql, params, page_size = f"{cql} LIMIT ?", (*params, limit), min(limit, page_size)
        return Select(cql, params, self.read_at, page_size)

    def keys(self) -> Select:
        """A read of all keys in no order; run it by `scan`, since a table may be of any size."""
        cql = f"SELECT {', '.join(self.primary_key)} FROM {self.full_name}"  # noqa: S608 names are checked
        return Select(cql, (), self.read_at, PAGE_SIZE)

    def by_key(self, row: Mapping[str, Any]) -> Select:
        """A read of the one row that has the key of this row."""
        where = " AND ".join(f"{column} = ?" for column in self.primary_key)
        return self.select(where, *(row[column] for column in self.primary_key))

    def upsert(self, row: Mapping[str, Any], *, timestamp: int | None = None, ttl: timedelta | None = None) -> Write:
        """Write a row by its key. A column set to None is erased, one that is absent stays as it was.

        `timestamp` is in microseconds since 1970; `ttl` replaces the table's own.
        """
        self._check_timestamp(timestamp)
        if not row.keys() <= self.columns.keys():
            raise ValueError(f"{self.name} has no columns {sorted(row.keys() - self.columns.keys())}")
        if missing := [column for column in self.primary_key if row.get(column) is None]:
            raise ValueError(f"{self.name}: the row lacks its key {missing}")
        full_name = self.full_name
        return Write(
            # One text for every row, so that it is prepared once: what is not given is sent as «unset».
            self._inserts.get(full_name) or self._insert(full_name),
            (
                *[row.get(column, UNSET_VALUE) for column in self.columns],
                UNSET_VALUE if timestamp is None else timestamp,
                UNSET_VALUE if ttl is None else _seconds(ttl),
            ),
            self.write_at,
            (full_name, *[row[column] for column in self.partition_key]),
        )

    def delete(self, key: Mapping[str, Any], *, timestamp: int | None = None) -> Write:
        """Delete a row; with the last columns of the key left out, all rows below it, up to a whole partition."""
        self._check_timestamp(timestamp)
        prefix = self.primary_key[: len(key)]
        if set(prefix) != key.keys() or len(prefix) < len(self.partition_key):
            raise ValueError(f"{self.name}: {sorted(key)} is no beginning of the key {self.primary_key}")
        conditions = " AND ".join(f"{column} = ?" for column in prefix)
        return Write(
            f"DELETE FROM {self.full_name} USING TIMESTAMP ? WHERE {conditions}",  # noqa: S608
            (UNSET_VALUE if timestamp is None else timestamp, *(key[column] for column in prefix)),
            self.write_at,
            (self.full_name, *[key[column] for column in self.partition_key]),
        )

    def _check_timestamp(self, timestamp: int | None) -> None:
        if self.versioned != (timestamp is not None):
            rule = "carry a timestamp" if self.versioned else "go by the clock"
            raise ValueError(f"{self.name}: writes {rule}")

    def _insert(self, full_name: str) -> str:
        names, marks = ", ".join(self.columns), ", ".join("?" for _ in self.columns)
        text = f"INSERT INTO {full_name} ({names}) VALUES ({marks}) USING TIMESTAMP ? AND TTL ?"  # noqa: S608
        return self._inserts.setdefault(full_name, text)


def declared_tables() -> tuple[Table, ...]:
    """Every table listed as TABLES in the cassandra/tables.py of an installed app."""
    found: dict[str, Table] = {}
    for app in apps.get_app_configs():
        if app.module is None or not module_has_submodule(app.module, "cassandra"):
            continue
        for table in import_module(f"{app.name}.cassandra.tables").TABLES:
            if table.full_name in found:
                raise ImproperlyConfigured(f"table {table.full_name} is declared twice, the second time by {app.name}")
            found[table.full_name] = table
    return tuple(found.values())


def _check_names(*names: str) -> None:
    for name in names:
        if not _NAME.fullmatch(name):
            raise ImproperlyConfigured(f"«{name}» is no name for Cassandra: lower-case letters, digits, underscores")


def _seconds(ttl: timedelta) -> int:
    seconds = ttl // timedelta(seconds=1)
    if seconds < 1:
        raise ValueError(f"a row cannot live for {ttl}")
    return seconds
