"""What Cassandra has still to be told of: how much, for how long, and what keeps failing."""

from datetime import UTC, datetime
from typing import NamedTuple

from gateway.mongo.client import Document, database
from gateway.mongo.policies import SYNC, under
from gateway.outbox import COUNTED, depth_of, index_of
from gateway.sync.declarations import Synced, declared
from gateway.sync.marks import DUE, UNSYNCED

INDEX = index_of(DUE)
FAILING = {**UNSYNCED, "unsynced.failures": {"$gt": 0}}


class Failing(NamedTuple):
    """A document whose copying failed; it is tried again at `due`."""

    collection: str
    id: str
    failures: int
    error: str
    due: datetime


class Backlog(NamedTuple):
    collection: str
    documents: int
    """Up to COUNTED."""
    oldest_seconds: float | None
    """For how long the oldest has waited; None: nothing waits."""
    failing: int


def backlog(synced: Synced) -> Backlog:
    collection = database()[synced.collection]
    with under(SYNC):
        depth = depth_of(collection, DUE, _owes_since)
        # What keeps failing is put off, and so comes last: it is counted apart.
        failing = collection.count_documents(FAILING, limit=COUNTED, hint=INDEX)
    return Backlog(synced.collection, depth.documents, depth.oldest_seconds, failing)


def backlogs() -> list[Backlog]:
    return [backlog(synced) for synced in declared()]


def failing(*, limit: int = 100) -> list[Failing]:
    """Documents whose copying failed, those that failed most often first."""
    found = []
    for synced in declared():
        collection = database()[synced.collection]
        with under(SYNC):
            documents = list(
                collection.find(FAILING, ["unsynced"], sort=[("unsynced.failures", -1)], limit=limit, hint=INDEX)
            )
        for document in documents:
            mark = document["unsynced"]
            found.append(Failing(synced.collection, document["_id"], mark["failures"], mark["error"], mark["due"]))
    return sorted(found, key=lambda each: -each.failures)[:limit]


def _owes_since(document: Document) -> datetime:
    since: datetime = document["unsynced"]["since"]
    return since.replace(tzinfo=UTC)
