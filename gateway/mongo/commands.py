"""Counts every command sent to MongoDB: what, on which collection, under which policy, to how many shards.

What comes back tells the circuit that MongoDB is there.
"""

import threading
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

from pymongo.monitoring import CommandFailedEvent, CommandListener, CommandStartedEvent, CommandSucceededEvent

from gateway.mongo.outage import MONGODB
from gateway.mongo.policies import current_scope
from gateway.mongo.routing import ROUTING, Shards

# A mongos answers for these alone, also when every shard behind it is gone.
_WITHOUT_SHARDS = {"admin", "config"}


class Sent(NamedTuple):
    """One kind of command. `shards`: how many it reached, None while unknown; `policy`: "" outside of any."""

    command: str
    collection: str
    policy: str
    shards: int | None


class CommandCounter(CommandListener):
    def __init__(self) -> None:
        self._counts: Counter[Sent] = Counter()
        self._lock = threading.Lock()

    def started(self, event: CommandStartedEvent) -> None:
        queries = _queries(event.command_name, event.command)
        if queries is None or event.database_name == "config":  # where routing reads the chunk tables, at its own times
            return
        collection = event.command[event.command_name]
        reached = [ROUTING.shards_reached(collection, query) for query in queries]
        shards = None if None in reached else len(frozenset().union(*reached))  # type: ignore[arg-type]
        mode = event.command.get("$readPreference", {}).get("mode", "primary")
        self._count(event.command_name, collection, shards, secondaries_only=mode == "secondary")

    def note_find(self, collection: str, shards: Shards | None, *, secondaries_only: bool) -> None:
        """Count a find that is about to be sent without PyMongo, which tells of its own commands."""
        self._count("find", collection, None if shards is None else len(shards), secondaries_only=secondaries_only)

    def succeeded(self, event: CommandSucceededEvent) -> None:
        if event.database_name not in _WITHOUT_SHARDS:
            MONGODB.note_answer()

    def failed(self, event: CommandFailedEvent) -> None:
        """Nothing to do: a command is counted when it is sent."""

    def _count(self, command: str, collection: str, shards: int | None, *, secondaries_only: bool) -> None:
        scope = current_scope()
        if scope and not secondaries_only:
            scope.note_primary(f"{command} on {collection}")
        sent = Sent(command, collection, scope.policy.name if scope else "", shards)
        with self._lock:
            self._counts[sent] += 1

    def totals(self) -> Counter[Sent]:
        with self._lock:
            return self._counts.copy()

    @contextmanager
    def counted(self) -> Iterator[Counter[Sent]]:
        """Yields a counter that holds, once the block has ended, what this process sent during it."""
        before = self.totals()
        during: Counter[Sent] = Counter()
        yield during
        during.update(self.totals() - before)


def _queries(command_name: str, command: Mapping[str, Any]) -> Iterable[Mapping[str, Any]] | None:
    """The filters by which mongos chooses shards; None for a command that concerns no documents of ours."""
    match command_name:
        case "find":
            return [command.get("filter", {})]
        case "count" | "distinct" | "findAndModify":
            return [command.get("query", {})]
        case "aggregate" if isinstance(command["aggregate"], str):
            first: Mapping[str, Any] = next(iter(command["pipeline"]), {})
            return [first.get("$match", {})]
        case "insert":
            return command["documents"]  # type: ignore[no-any-return]
        case "update":
            return [update["q"] for update in command["updates"]]
        case "delete":
            return [delete["q"] for delete in command["deletes"]]
    return None


COMMANDS = CommandCounter()
