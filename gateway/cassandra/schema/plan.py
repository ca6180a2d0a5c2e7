"""The plan from what is declared and what is there: what must be done, and what only a person may do."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from cassandra.cluster import Session
from django.core.exceptions import ImproperlyConfigured

from gateway.cassandra.driver.session import SCHEMA
from gateway.cassandra.errors import CassandraUnavailable
from gateway.cassandra.schema import cql
from gateway.cassandra.schema.keyspaces import KeyspaceKind, keyspace_name, replication
from gateway.cassandra.schema.live import LiveSchema, LiveTable
from gateway.cassandra.table import Compaction, Table, UserType

# Written by Cassandra beside what was asked for.
COMPACTION_DEFAULTS = {"min_threshold": "4", "max_threshold": "32"}


class SchemaChange(NamedTuple):
    """A statement that adds something that was not there and touches no data."""

    what: str
    cql: str


class SchemaDrift(NamedTuple):
    """A difference that could cost data or hours of streaming: reported, never altered."""

    what: str
    cure: str = ""
    """The statement that would cure it, where there is one."""


@dataclass(slots=True)
class SchemaPlan:
    """What `apply` does, what it only reports, and what it says besides."""

    changes: list[SchemaChange] = field(default_factory=list)
    drift: list[SchemaDrift] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def plan(tables: Iterable[Table], found: LiveSchema) -> SchemaPlan:
    """What is to be done, in an order that can be executed: keyspaces, then types, then tables."""
    made = SchemaPlan()
    tables = list(tables)
    for kind in sorted({table.kind for table in tables}):
        _plan_keyspace(made, kind, found)
    for full_name, (keyspace, user_type) in _types(tables).items():
        _plan_type(made, keyspace, user_type, found.types.get(full_name))
    for table in tables:
        _plan_table(made, table, found.tables.get(table.full_name))
    return made


def execute(session: Session, change: SchemaChange) -> None:
    """Make the change; returns once every node that is up has it."""
    result = session.execute(change.cql, execution_profile=SCHEMA)
    if not result.response_future.is_schema_agreed:
        raise CassandraUnavailable(f"the nodes do not agree on the schema after «{change.what}»: run apply again")


def _plan_keyspace(made: SchemaPlan, kind: KeyspaceKind, found: LiveSchema) -> None:
    keyspace, wanted = keyspace_name(kind), replication(kind, found.nodes)
    if wanted.capped:
        capped = f"{_shown(wanted.declared)} capped to {_shown(wanted.effective)}"
        made.notes.append(f"keyspace {keyspace}: replication {capped} by the nodes there are")
    actual = found.replication.get(keyspace)
    if actual is None:
        made.changes.append(
            SchemaChange(f"create keyspace {keyspace}", cql.create_keyspace(keyspace, wanted.effective))
        )
    elif not wanted.accepts(actual):
        made.drift.append(
            SchemaDrift(
                f"keyspace {keyspace}: replication {_shown(actual)} instead of {_shown(wanted.effective)}",
                f"{cql.alter_keyspace(keyspace, wanted.effective)}; then nodetool repair {keyspace} on every node",
            )
        )


def _types(tables: Iterable[Table]) -> dict[str, tuple[str, UserType]]:
    """The declared types with their keyspaces, by full name; several tables of a keyspace may use one type."""
    types: dict[str, tuple[str, UserType]] = {}
    for table in tables:
        for user_type in table.types:
            _, known = types.setdefault(f"{table.keyspace}.{user_type.name}", (table.keyspace, user_type))
            if (known.name, [*known.fields.items()]) != (user_type.name, [*user_type.fields.items()]):
                raise ImproperlyConfigured(f"type {table.keyspace}.{user_type.name} is declared in two ways")
    return types


def _plan_type(made: SchemaPlan, keyspace: str, user_type: UserType, found: Mapping[str, str] | None) -> None:
    name = f"type {keyspace}.{user_type.name}"
    if found is None:
        made.changes.append(SchemaChange(f"create {name}", cql.create_type(keyspace, user_type)))
        return
    # Values are tuples, so the order counts; and Cassandra can only append.
    expected = [*user_type.fields.items()]
    actual = [(field, _spelled(cql_type)) for field, cql_type in found.items()]
    if actual != [(field, _spelled(cql_type)) for field, cql_type in expected[: len(actual)]]:
        made.drift.append(SchemaDrift(f"{name}: fields {dict(found)} instead of {dict(user_type.fields)}"))
        return
    for added, _ in expected[len(actual) :]:
        made.changes.append(SchemaChange(f"add field {added} to {name}", cql.add_field(keyspace, user_type, added)))


def _plan_table(made: SchemaPlan, table: Table, found: LiveTable | None) -> None:
    if found is None:
        made.changes.append(SchemaChange(f"create table {table.full_name}", cql.create_table(table)))
        return
    made.drift.extend(_key_drift(table, found))
    made.drift.extend(_column_drift(table, found))
    made.drift.extend(_option_drift(table, found.options))
    for column in table.columns:
        if column not in found.columns and column not in table.primary_key:
            made.changes.append(SchemaChange(f"add column {table.full_name}.{column}", cql.add_column(table, column)))


def _key_drift(table: Table, found: LiveTable) -> Iterator[SchemaDrift]:
    if found.partition_key != table.partition_key:
        yield SchemaDrift(
            f"table {table.full_name}: partition key {found.partition_key} instead of {table.partition_key}"
        )
    if [*found.clustering.items()] != [*table.clustering.items()]:
        yield SchemaDrift(
            f"table {table.full_name}: clustering {_shown(found.clustering)} instead of {_shown(table.clustering)}"
        )


def _column_drift(table: Table, found: LiveTable) -> Iterator[SchemaDrift]:
    for column, cql_type in found.columns.items():
        if column not in table.columns:
            yield SchemaDrift(f"table {table.full_name}: column {column} {cql_type} is not declared")
        elif _spelled(cql_type) != _spelled(table.columns[column]):
            yield SchemaDrift(
                f"table {table.full_name}: column {column} is {cql_type} instead of {table.columns[column]}"
            )


def _option_drift(table: Table, found: Mapping[str, Any]) -> Iterator[SchemaDrift]:
    compaction = {"class": found["compaction"]["class"].rpartition(".")[2]}
    compaction |= {
        option: value
        for option, value in found["compaction"].items()
        if option != "class" and (option in table.compaction or COMPACTION_DEFAULTS.get(option) != value)
    }
    differences: list[tuple[str, str | int | Compaction, str | int | Compaction]] = [
        ("default_time_to_live", found["default_time_to_live"], cql.ttl_seconds(table)),
        ("compaction", compaction, dict(table.compaction)),
        ("read_repair", found["read_repair"], table.read_repair),
    ]
    for option, actual, expected in differences:
        if actual != expected:
            yield SchemaDrift(
                f"table {table.full_name}: {option} {actual} instead of {expected}", cql.alter_option(table, option)
            )


def _spelled(cql_type: str) -> str:
    return cql_type.replace(" ", "")


def _shown(values: Mapping[str, Any]) -> str:
    return "{" + ", ".join(f"{name}: {value}" for name, value in values.items()) + "}"
