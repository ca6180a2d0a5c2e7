"""Reads are values: a frozen description of one read, and a runner for each colour of code that executes it."""

import asyncio
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from pymongo.read_preferences import Primary

from gateway.deadline import remaining_ms
from gateway.mongo.client import Document, async_database, client, database, orm_connection
from gateway.mongo.lag import LAG
from gateway.mongo.outage import asking
from gateway.mongo.policies import Policy, Preference, under
from gateway.mongo.routing import ROUTING

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Read(Generic[T]):
    """One find: what to ask, how fresh it must be, and how the documents become the typed result."""

    collection: str
    policy: Policy
    result: Callable[[Sequence[Document]], T]
    where: Mapping[str, Any]
    fields: tuple[str, ...] | None = None
    """None: whole documents."""
    sort: tuple[tuple[str, int], ...] = ()
    limit: int = 0
    hint: str | None = None
    """Name of the index to walk, where the planner's choice would depend on which query it happened to see first."""

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
    """One aggregation: a read whose documents the shards make from the matching ones."""

    collection: str
    policy: Policy
    result: Callable[[Sequence[Document]], T]
    where: Mapping[str, Any]
    """The first stage, which also tells the shards to ask."""
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


def count_up_to(limit: int, read: Read[Any]) -> Aggregation[int | None]:
    """How many documents the read would find without its own limit; None when there are more than this many."""

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
    """For the admin, Celery and commands."""
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
    """For GraphQL. Raises MongoUnavailable, at once while MongoDB is known to be away."""
    with asking():
        if LAG.is_old():
            await asyncio.to_thread(_refresh)
        collection = async_database().get_collection(read.collection, read_preference=_preference(read))
        with under(read.policy):
            if isinstance(read, Aggregation):
                documents = await (await collection.aggregate(**read.aggregate_arguments())).to_list()
            else:
                documents = await collection.find(**read.find_arguments()).to_list()
    return read.result(documents)


Steps = Generator[Read[Any] | Aggregation[Any], Any, T]
"""A read whose next question depends on the last answer: yields descriptions, is sent their results, returns its."""


def run_steps(steps: Steps[T]) -> T:
    answer = None
    while True:
        try:
            read = steps.send(answer)
        except StopIteration as end:
            result: T = end.value
            return result
        answer = run(read)


async def run_steps_async(steps: Steps[T]) -> T:
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
