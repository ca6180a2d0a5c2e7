"""The CQL statements for what is declared; IF NOT EXISTS where Cassandra allows it, so that they may be repeated."""

from collections.abc import Mapping

from gateway.cassandra.schema.keyspaces import Factors
from gateway.cassandra.table import Table, UserType


def create_keyspace(keyspace: str, factors: Factors) -> str:
    return f"CREATE KEYSPACE IF NOT EXISTS {keyspace} WITH replication = {_replication(factors)}"


def alter_keyspace(keyspace: str, factors: Factors) -> str:
    return f"ALTER KEYSPACE {keyspace} WITH replication = {_replication(factors)}"


def create_type(keyspace: str, user_type: UserType) -> str:
    fields = ", ".join(f"{name} {cql_type}" for name, cql_type in user_type.fields.items())
    return f"CREATE TYPE IF NOT EXISTS {keyspace}.{user_type.name} ({fields})"


def add_field(keyspace: str, user_type: UserType, field: str) -> str:
    return f"ALTER TYPE {keyspace}.{user_type.name} ADD {field} {user_type.fields[field]}"


def create_table(table: Table) -> str:
    columns = "".join(f"{name} {cql_type}, " for name, cql_type in table.columns.items())
    key = ", ".join([f"({', '.join(table.partition_key)})", *table.clustering])
    properties = list(options(table).values())
    if table.clustering:
        order = ", ".join(f"{column} {direction}" for column, direction in table.clustering.items())
        properties.insert(0, f"CLUSTERING ORDER BY ({order})")
    return (
        f"CREATE TABLE IF NOT EXISTS {table.full_name} ({columns}PRIMARY KEY ({key}))"
        f" WITH {' AND '.join(properties)} AND comment = {_text(table.serves)}"
    )


def add_column(table: Table, column: str) -> str:
    return f"ALTER TABLE {table.full_name} ADD {column} {table.columns[column]}"


def alter_option(table: Table, option: str) -> str:
    return f"ALTER TABLE {table.full_name} WITH {options(table)[option]}"


def options(table: Table) -> dict[str, str]:
    """The table's options that are compared, as CQL assignments, by their names in system_schema.tables."""
    return {
        "default_time_to_live": f"default_time_to_live = {ttl_seconds(table)}",
        "compaction": f"compaction = {_map(table.compaction)}",
        "read_repair": f"read_repair = {_text(table.read_repair)}",
    }


def ttl_seconds(table: Table) -> int:
    """How long rows live; 0: for ever."""
    return int(table.ttl.total_seconds()) if table.ttl else 0


def _replication(factors: Factors) -> str:
    return _map(
        {"class": "NetworkTopologyStrategy", **{centre: str(factor) for centre, factor in sorted(factors.items())}}
    )


def _map(values: Mapping[str, str]) -> str:
    return "{" + ", ".join(f"{_text(key)}: {_text(value)}" for key, value in values.items()) + "}"


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"
