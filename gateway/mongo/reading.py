"""Reads are values: a frozen description of one read, and a runner for each colour of code that executes it."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from pymongo.read_preferences import Primary

from gateway.mongo.client import Document, async_database, client, database, orm_connection
from gateway.mongo.lag import LAG
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

    def find_arguments(self) -> dict[str, Any]:
        return {
            "filter": self.where,
            "projection": list(self.fields) if self.fields is not None else None,
            "sort": list(self.sort) or None,
            "limit": self.limit,
            # Seen in the profiler and in currentOp, so that an operator knows what a slow query is for.
            "comment": self.policy.name,
        }


def run(read: Read[T]) -> T:
    """For the admin, Celery and commands."""
    if LAG.is_old():
        _refresh()
    preference = _preference(read)
    collection = database().get_collection(read.collection, read_preference=preference)
    # A read that must see the primary also sees what the running transaction has written.
    session = orm_connection().session if isinstance(preference, Primary) else None
    with under(read.policy):
        documents = list(collection.find(**read.find_arguments(), session=session))
    return read.result(documents)


async def run_async(read: Read[T]) -> T:
    """For GraphQL."""
    if LAG.is_old():
        await asyncio.to_thread(_refresh)
    preference = _preference(read)
    collection = async_database().get_collection(read.collection, read_preference=preference)
    with under(read.policy):
        documents = await collection.find(**read.find_arguments()).to_list()
    return read.result(documents)


def _refresh() -> None:
    LAG.refresh()
    ROUTING.refresh_soon(client(), database().name)


def _preference(read: Read[Any]) -> Preference:
    return read.policy.preference_at(LAG.worst(ROUTING.shards_reached(read.collection, read.where)))
