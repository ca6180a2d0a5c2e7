"""Carts that nobody touched for as long as their tier allows become abandoned.

The query for the overdue is the only memory of a sweep: what it marked is no longer found, so one that was killed is
taken up by the next, and any number may run at once. Whoever touches a cart moves its `expires_at` and `version`, and
the mark asks for both: a buyer who comes between the look and the mark keeps the cart.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import TypedDict

import structlog
from bson import ObjectId
from django.utils import timezone
from pymongo import UpdateOne

from cart.documents import CartDocument
from cart.lifetimes import kept_until_expression
from cart.models import Cart, CartStatus
from gateway.mongo.client import Pipeline, collection_of
from gateway.mongo.policies import CART_ACTIVE
from gateway.mongo.reads import Read, run

log = structlog.get_logger(__name__)

CARTS = Cart._meta.db_table

# A tenth of a second of work for a shard, so that buyers do not notice the sweep.
BATCH = 500
# 100 000 carts a run: far more than expire in the five minutes between two runs, and still an end.
BATCHES = 200


class OverdueCart(TypedDict):
    _id: ObjectId
    owner: str
    version: int


def abandon_expired(*, batch: int = BATCH, batches: int = BATCHES) -> int:
    """Mark the overdue carts, oldest first, at most this many batches; returns how many it marked."""
    marked = 0
    for _ in range(batches):
        found = run(overdue(timezone.now(), limit=batch))
        marked += mark_abandoned(found)
        if len(found) < batch:
            break
    if marked:
        log.info("carts_abandoned", carts=marked)
    return marked


def overdue(moment: datetime, *, limit: int) -> Read[Sequence[OverdueCart]]:
    """Carts that nobody touched until `moment`, in UTC, oldest first. Asks every shard, each on its own index."""
    return Read(
        collection=CARTS,
        policy=CART_ACTIVE,
        where={"status": CartStatus.ACTIVE.value, "expires_at": {"$lte": moment}},
        fields=("owner", "version"),
        sort=(("expires_at", 1),),
        limit=limit,
        result=lambda documents: documents,
    )


def mark_abandoned(found: Sequence[OverdueCart]) -> int:
    """Mark those that are still as found; returns how many. Their copies in Cassandra have expired long ago."""
    if not found:
        return 0
    now = timezone.now()
    mark: Pipeline = [
        {
            "$set": {
                "status": CartStatus.ABANDONED.value,
                "abandoned_at": "$$NOW",
                "updated_at": "$$NOW",
                "expires_at": kept_until_expression(),
                "version": {"$add": ["$version", 1]},
            }
        }
    ]
    # With the owner each mark goes to one shard, and the driver repeats it after a failover.
    marks = [
        UpdateOne(
            {
                "owner": cart["owner"],
                "_id": cart["_id"],
                "status": CartStatus.ACTIVE.value,
                "version": cart["version"],
                "expires_at": {"$lte": now},
            },
            mark,
        )
        for cart in found
    ]
    return collection_of(CARTS, CartDocument).bulk_write(marks, ordered=False).modified_count
