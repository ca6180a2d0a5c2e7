"""The live schema, read from Cassandra's own tables rather than from what the driver remembers."""

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from cassandra.cluster import Session

from gateway.cassandra.driver.session import SCHEMA
from gateway.cassandra.schema.keyspaces import Factors


@dataclass(frozen=True, slots=True)
class LiveTable:
    columns: Mapping[str, str]
    partition_key: tuple[str, ...]
    clustering: Mapping[str, str]
    """The clustering columns in order, each with ASC or DESC."""
    options: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class LiveSchema:
    """What Cassandra has now, in the keyspaces asked for."""

    nodes: Factors
    """How many nodes of each data centre are not known to be down."""
    replication: Mapping[str, Factors]
    """The factors of each keyspace, by its name."""
    types: Mapping[str, Mapping[str, str]]
    """Each type's fields with their types, by the type's full name."""
    tables: Mapping[str, LiveTable]
    """Each table by its full name."""


def find(session: Session, keyspaces: Collection[str]) -> LiveSchema:
    def rows(table: str) -> list[dict[str, Any]]:
        cql = f"SELECT * FROM system_schema.{table}"  # noqa: S608 names of our own
        found = session.execute(cql, execution_profile=SCHEMA)
        return [row for row in found if row["keyspace_name"] in keyspaces]

    columns = rows("columns")
    return LiveSchema(
        nodes=Counter(host.datacenter for host in session.cluster.metadata.all_hosts() if host.is_up is not False),
        replication={row["keyspace_name"]: _factors(row["replication"]) for row in rows("keyspaces")},
        types={
            f"{row['keyspace_name']}.{row['type_name']}": dict(zip(row["field_names"], row["field_types"], strict=True))
            for row in rows("types")
        },
        tables={
            f"{row['keyspace_name']}.{row['table_name']}": _table(
                row,
                [
                    column
                    for column in columns
                    if (column["keyspace_name"], column["table_name"]) == (row["keyspace_name"], row["table_name"])
                ],
            )
            for row in rows("tables")
        },
    )


def _table(options: Mapping[str, Any], columns: list[dict[str, Any]]) -> LiveTable:
    columns = sorted(columns, key=lambda column: column["position"])
    return LiveTable(
        columns={column["column_name"]: column["type"] for column in columns},
        partition_key=tuple(column["column_name"] for column in columns if column["kind"] == "partition_key"),
        clustering={
            column["column_name"]: column["clustering_order"].upper()
            for column in columns
            if column["kind"] == "clustering"
        },
        options=options,
    )


def _factors(replication: Mapping[str, str]) -> Factors:
    """Replicas by data centre; empty for a strategy without data centres, which agrees with no declaration."""
    if not replication["class"].endswith("NetworkTopologyStrategy"):
        return {}
    return {centre: int(factor) for centre, factor in replication.items() if centre != "class"}
