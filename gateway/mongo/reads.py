"""Reads as values: a frozen description of one read, and a runner each for synchronous and asynchronous code.

A `Read` is shown to people, stays on one shard, or finds candidates that a conditional write asks for again. A read by
which something is decided, over documents that can move between shards, is `Evidence`: another type, which `run` does
not take. Only a snapshot shows it, so that nobody can forget to open one.
"""

import asyncio
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from pymongo.client_session import ClientSession
from pymongo.errors import OperationFailure
from pymongo.read_preferences import Primary, Secondary

from gateway.deadline import remaining_ms
from gateway.mongo.client import Document, async_database, client, database, orm_connection
from gateway.mongo.commands import COMMANDS
from gateway.mongo.fast_reads import FAST_READS
from gateway.mongo.lag import LAG
from gateway.mongo.outage import MONGODB, asking
from gateway.mongo.policies import Policy, Preference, under
from gateway.mongo.routing import ROUTING, Shards

T = TypeVar("T")

# SnapshotUnavailable and SnapshotTooOld: a shard cannot show that moment (any more), after an election for one. Another
# moment is as good.
_ANOTHER_MOMENT = {239, 246}
MOMENTS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Read(Generic[T]):
    """One find: what to ask, how fresh it must be, and how the documents become the typed result."""

    collection: str
    policy: Policy
    result: Callable[[Sequence[Any]], T]
    """Takes documents of the type that the collection holds, e.g. `OrderDocument`."""
    where: Mapping[str, Any]
    fields: tuple[str, ...] | None = None
    """The fields to read; None: whole documents."""
    sort: tuple[tuple[str, int], ...] = ()
    limit: int = 0
    hint: str | None = None
    """The name of the index to walk, where the planner's choice would depend on which query it saw first."""

    def fast_options(self) -> dict[str, Any]:
        """What `find_arguments` has besides the filter, as the other driver names it."""
        options: dict[str, Any] = {"comment": self.policy.name}
        if self.fields is not None:
            options["projection"] = dict.fromkeys(self.fields, 1)
        if self.sort:
            options["sort"] = dict(self.sort)
        if self.limit:
            options["limit"] = self.limit
        if self.hint:
            options["hint"] = self.hint
        if (milliseconds := remaining_ms()) is not None:
            options["max_time_ms"] = milliseconds
        return options

    def find_arguments(self) -> dict[str, Any]:
        return {
            "filter": self.where,
            "projection": list(self.fields) if self.fields is not None else None,
            "sort": list(self.sort) or None,
            "limit": self.limit,
            "hint": self.hint,
            # Seen in the profiler and in currentOp, so that an operator knows what a slow query is for.
            "comment": self.policy.name,
            "max_time_ms": remaining_ms(),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Aggregation(Generic[T]):
    """One aggregation: a read of documents that the shards compute from the matching ones."""

    collection: str
    policy: Policy
    result: Callable[[Sequence[Any]], T]
    where: Mapping[str, Any]
    """The filter of the first stage, which also decides which shards are asked."""
    stages: tuple[Mapping[str, Any], ...]
    hint: str | None = None

    def aggregate_arguments(self) -> dict[str, Any]:
        arguments: dict[str, Any] = {
            "pipeline": [{"$match": self.where}, *self.stages],
            "comment": self.policy.name,
        }
        if self.hint:
            arguments["hint"] = self.hint
        if (milliseconds := remaining_ms()) is not None:
            arguments["maxTimeMS"] = milliseconds
        return arguments


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence(Generic[T]):
    """A find by whose answer something is decided, over documents that can move from one shard to another.

    Shards that are asked one after the other may both miss such a document, or both have it: the order of a guest who
    is just signing in, the product that is just changing its category. As of one moment they agree.
    """

    collection: str
    policy: Policy
    """The name under which the command is counted; the primaries are asked, whatever it allows."""
    result: Callable[[Sequence[Any]], T]
    where: Mapping[str, Any]
    fields: tuple[str, ...] | None = None
    """The fields to read; None: whole documents."""
    hint: str | None = None


class Snapshot:
    """Every shard as of one and the same moment, that of the first read. Made by `snapshot` only."""

    def __init__(self, session: ClientSession) -> None:
        self._session = session

    def run(self, evidence: Evidence[T]) -> T:
        with under(evidence.policy):
            documents = list(
                database()[evidence.collection].find(
                    evidence.where,
                    list(evidence.fields) if evidence.fields is not None else None,
                    hint=evidence.hint,
                    comment=evidence.policy.name,
                    max_time_ms=remaining_ms(),
                    session=self._session,
                )
            )
        return evidence.result(documents)


@contextmanager
def snapshot() -> Iterator[Snapshot]:
    """Open a snapshot, for decisions that need several reads as of one moment.

    The last read must come within minSnapshotHistoryWindowInSeconds (five minutes unless an operator has changed it) of
    the first, or the server refuses it with SnapshotTooOld.
    """
    with client().start_session(snapshot=True) as session:
        yield Snapshot(session)


def decide(decision: Callable[[Snapshot], T]) -> T:
    """Make the decision on a snapshot; returns what it returns.

    Tried again on a later one when a shard cannot show it.
    """
    for _ in range(MOMENTS - 1):
        try:
            with snapshot() as moment:
                return decision(moment)
        except OperationFailure as error:
            if error.code not in _ANOTHER_MOMENT:
                raise
    with snapshot() as moment:
        return decision(moment)


def count_up_to(limit: int, read: Read[Any]) -> Aggregation[int | None]:
    """A read of how many documents `read` matches, whatever its own limit; None when they are more than `limit`."""

    def counted(documents: Sequence[Document]) -> int | None:
        count: int = documents[0]["count"] if documents else 0
        return count if count <= limit else None

    return Aggregation(
        collection=read.collection,
        policy=read.policy,
        where=read.where,
        stages=({"$limit": limit + 1}, {"$count": "count"}),
        hint=read.hint,
        result=counted,
    )


def run(read: Read[T] | Aggregation[T]) -> T:
    """Run the read in synchronous code: the admin, Celery, commands."""
    if LAG.is_old():
        _refresh()
    preference = _preference(read)
    collection = database().get_collection(read.collection, read_preference=preference)
    # A read that must see the primary also sees what the running transaction has written.
    session = orm_connection().session if isinstance(preference, Primary) else None
    with under(read.policy):
        if isinstance(read, Aggregation):
            documents = list(collection.aggregate(**read.aggregate_arguments(), session=session))
        else:
            documents = list(collection.find(**read.find_arguments(), session=session))
    return read.result(documents)


async def run_async(read: Read[T] | Aggregation[T]) -> T:
    """Run the read for GraphQL. Raises MongoUnavailable, at once while MongoDB is known to be away."""
    with asking():
        if LAG.is_old():
            await asyncio.to_thread(_refresh)
        shards = ROUTING.shards_reached(read.collection, read.where)
        preference = read.policy.preference_at(LAG.worst(shards))
        with under(read.policy):
            documents = await _find_fast(read, preference, shards) if isinstance(read, Read) else None
            if documents is None:
                documents = await _ask_pymongo(read, preference)
    return read.result(documents)


async def _find_fast(read: Read[Any], preference: Preference, shards: Shards | None) -> list[Any] | None:
    """The documents; None where PyMongo is to be asked."""
    collection = await FAST_READS.collection(read.collection, preference)
    if collection is None:
        return None
    COMMANDS.note_find(read.collection, shards, secondaries_only=isinstance(preference, Secondary))
    documents = await FAST_READS.find(collection, read.where, read.fast_options())
    if documents is not None:
        MONGODB.note_answer()
    return documents


async def _ask_pymongo(read: Read[Any] | Aggregation[Any], preference: Preference) -> list[Any]:
    collection = async_database().get_collection(read.collection, read_preference=preference)
    if isinstance(read, Aggregation):
        return await (await collection.aggregate(**read.aggregate_arguments())).to_list()
    return await collection.find(**read.find_arguments()).to_list()


Steps = Generator[Read[Any] | Aggregation[Any], Any, T]
"""Reads that depend on earlier answers: a generator that yields reads, is sent their results and returns its own."""


def run_steps(steps: Steps[T]) -> T:
    """Run the reads one after the other in synchronous code; returns the generator's result."""
    answer = None
    while True:
        try:
            read = steps.send(answer)
        except StopIteration as end:
            result: T = end.value
            return result
        answer = run(read)


async def run_steps_async(steps: Steps[T]) -> T:
    """Run the reads one after the other for GraphQL; returns the generator's result."""
    answer = None
    while True:
        try:
            read = steps.send(answer)
        except StopIteration as end:
            result: T = end.value
            return result
        answer = await run_async(read)


def _refresh() -> None:
    LAG.refresh()
    ROUTING.refresh_soon(client(), database().name)


def _preference(read: Read[Any] | Aggregation[Any]) -> Preference:
    return read.policy.preference_at(LAG.worst(ROUTING.shards_reached(read.collection, read.where)))
