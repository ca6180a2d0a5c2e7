"""Keyspaces: one per kind of data, because replication belongs to a keyspace and each kind has its own."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from django.conf import settings

KeyspaceKind = Literal["orders", "carts", "catalog", "history"]
Factors = Mapping[str, int]
"""The number of replicas in each data centre."""


def keyspace_name(kind: KeyspaceKind) -> str:
    return f"{settings.CASSANDRA_KEYSPACE_PREFIX}_{kind}"


@dataclass(frozen=True, slots=True)
class Replication:
    """The replication that the settings declare, and the one that today's nodes allow."""

    declared: Factors
    effective: Factors

    @property
    def capped(self) -> bool:
        return self.effective != self.declared

    def accepts(self, found: Factors) -> bool:
        """Whether a keyspace may stay as found: at least the replicas possible today, at most those declared."""
        centres = self.declared.keys() | self.effective.keys() | found.keys()
        return all(
            self.effective.get(centre, 0)
            <= found.get(centre, 0)
            <= max(self.declared.get(centre, 0), self.effective.get(centre, 0))
            for centre in centres
        )


def replication(kind: KeyspaceKind, nodes: Factors) -> Replication:
    """The replication for this kind of data; `nodes`: how many are up in each data centre."""
    declared: Factors = settings.CASSANDRA_REPLICATION[kind]
    if not settings.CASSANDRA_CAP_REPLICATION:
        return Replication(declared, declared)
    capped = {centre: min(factor, nodes.get(centre, 0)) for centre, factor in declared.items()}
    effective = {centre: factor for centre, factor in capped.items() if factor}
    # Requests go to the local data centre: without a replica there they could not be served at all.
    effective.setdefault(settings.CASSANDRA_LOCAL_DC, 1)
    return Replication(declared, effective)
