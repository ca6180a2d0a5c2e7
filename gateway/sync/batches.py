"""Walking a collection of any size in batches; each is a read of its own, so that nothing is held open meanwhile.

What is inserted or changed behind the walk is not seen by it. From the primary: what is compared must be the newest.
The documents are of the type that the collection holds, which the caller knows.
"""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from gateway.mongo.client import Expression
from gateway.mongo.policies import SYNC, under
from gateway.sync.majority import committed

# Whole documents with all their rows beside them: a few megabytes.
BATCH = 500

BY_ID = "_id_"
BY_TIME = "created_at_1__id_1"


def by_id(
    collection: str, *, after: Any = None, to: Any = None, fields: Expression | None = None
) -> Iterator[list[Any]]:
    """All documents in the order of their ids; with `after`, those whose ids are greater; with `to`, none beyond.

    `fields`: the projection that they are read by.
    """
    while documents := _batch(collection, _between(after, to), BY_ID, fields):
        yield documents
        after = documents[-1]["_id"]


def ids(collection: str, *, after: Any = None) -> Iterator[list[Any]]:
    """The ids of the same batches, without their documents."""
    while documents := _batch(collection, _between(after, None), BY_ID, {"_id": True}):
        yield [document["_id"] for document in documents]
        after = documents[-1]["_id"]


def by_time(
    collection: str, until: datetime, *, since: datetime | None = None, also: Expression | None = None
) -> Iterator[list[Any]]:
    """The documents made before `until` (and not before `since`) that match the filter `also`, oldest first."""
    wanted = also or {}
    where: Expression = {"created_at": {"$lt": until, **({"$gte": since} if since else {})}}
    while documents := _batch(collection, {**wanted, **where}, BY_TIME):
        yield documents
        last = documents[-1]
        # One range of the index from the last one on; the condition passes over those of its moment that were seen.
        where = {
            "created_at": {"$gte": last["created_at"], "$lt": until},
            "$or": [{"created_at": {"$gt": last["created_at"]}}, {"_id": {"$gt": last["_id"]}}],
        }


def _between(after: Any, to: Any) -> Expression:
    bounds = {**({} if after is None else {"$gt": after}), **({} if to is None else {"$lte": to})}
    return {"_id": bounds} if bounds else {}


def _batch(collection: str, where: Expression, index: str, fields: Expression | None = None) -> list[Any]:
    sort = [("_id", 1)] if index == BY_ID else [("created_at", 1), ("_id", 1)]
    with under(SYNC):
        return list(committed(collection).find(where, fields, sort=sort, limit=BATCH, hint=index))
