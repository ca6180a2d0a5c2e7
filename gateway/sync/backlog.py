"""What Cassandra has still to be told of: how much, for how long, and what keeps failing."""

from datetime import UTC, datetime
from typing import NamedTuple

from gateway.mongo.client import database
from gateway.mongo.policies import SYNC, under
from gateway.sync.declarations import Synced, declared
from gateway.sync.marks import UNSYNCED
from gateway.sync.sweep import INDEX

# Beyond it the number says nothing more: the backlog is long.
COUNTED = 10_000


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
        documents = collection.count_documents(UNSYNCED, limit=COUNTED, hint=INDEX)
        # What keeps failing is put off, and so comes last: it is counted apart and does not hide how the others fare.
        oldest = next(
            iter(collection.find(UNSYNCED, ["unsynced"], sort=[("unsynced.due", 1)], limit=1, hint=INDEX)), None
        )
        failing = collection.count_documents({**UNSYNCED, "unsynced.failures": {"$gt": 0}}, limit=COUNTED, hint=INDEX)
    waited = None
    if oldest:
        waited = max(0.0, (datetime.now(UTC) - oldest["unsynced"]["since"].replace(tzinfo=UTC)).total_seconds())
    return Backlog(synced.collection, documents, waited, failing)


def backlogs() -> list[Backlog]:
    return [backlog(synced) for synced in declared()]


def failing(*, limit: int = 100) -> list[Failing]:
    """Those that failed most often first."""
    found = []
    for synced in declared():
        with under(SYNC):
            documents = list(
                database()[synced.collection].find(
                    {**UNSYNCED, "unsynced.failures": {"$gt": 0}},
                    ["unsynced"],
                    sort=[("unsynced.failures", -1)],
                    limit=limit,
                    hint=INDEX,
                )
            )
        for document in documents:
            mark = document["unsynced"]
            found.append(Failing(synced.collection, document["_id"], mark["failures"], mark["error"], mark["due"]))
    return sorted(found, key=lambda each: -each.failures)[:limit]
