"""What a run would do and what it leaves alone, as plain data for a dry run, the command and the tests."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class TopologyStep:
    collection: str
    text: str
    command: Mapping[str, Any]
    """One MongoDB command, harmless when repeated."""
    on_admin: bool = False
    """Run on the admin database instead of the collection's own."""


@dataclass(frozen=True, slots=True)
class TopologyDrift:
    """The cluster differs from the declaration, and changing that is a person's decision."""

    collection: str
    subject: str
    declared: str
    found: str
    cure: str


@dataclass(frozen=True, slots=True)
class TopologyPlan:
    server: str
    """What answered at the address: `2 shards: shard1, shard2`, `replica set rs0`, `standalone`."""
    unsharded: tuple[str, ...]
    """Collections that declare a shard key and stay unsharded because the server is no sharded cluster."""
    steps: tuple[TopologyStep, ...] = ()
    drifts: tuple[TopologyDrift, ...] = ()
