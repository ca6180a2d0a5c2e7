"""Requests as values: what a table's `select`, `upsert` and `delete` make, and the runners execute."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

Row = dict[str, Any]


class Consistency(StrEnum):
    """How many replicas must answer. LOCAL_ means those of our own data centre, so that the other may be cut off."""

    ANY = "ANY"
    """For writes only: a hint kept by the coordinator is enough, no replica needs to be up."""
    ONE = "ONE"
    LOCAL_ONE = "LOCAL_ONE"
    LOCAL_QUORUM = "LOCAL_QUORUM"


@dataclass(frozen=True, slots=True)
class Select:
    cql: str
    params: tuple[Any, ...]
    consistency: Consistency
    page_size: int
    """Rows per round trip."""


@dataclass(frozen=True, slots=True)
class Write:
    """An upsert or a delete: the same again changes nothing, so it may be repeated at will."""

    cql: str
    params: tuple[Any, ...]
    consistency: Consistency
    partition: tuple[Any, ...]
    """Equal for writes to one partition of one table: the table's full name and the values of the partition key."""

    @property
    def mutation(self) -> tuple[Any, ...]:
        """Equal for writes that Cassandra applies as one, and that may therefore travel together.

        A key has the same replicas in every table of its keyspace.
        """
        keyspace, _, _ = self.partition[0].partition(".")
        return (keyspace, self.consistency, *self.partition[1:])
