"""Copying soon after a change: documents wait in a Redis set, each once however often it changes, for one task.

For freshness only. Redis may lose the set, and a worker that dies loses what it took: the sweep finds all of it.
"""

import json
from collections.abc import Iterable
from typing import Any

import structlog
from django.conf import settings
from redis.exceptions import RedisError

from gateway.background import mark_begun, send_soon
from gateway.redis.clients import redis_client
from gateway.sync.copy import copy_documents
from gateway.sync.declarations import Synced, declared_as
from gateway.sync.documents import is_waiting

log = structlog.get_logger(__name__)

TASK = "gateway.tasks.sync_queued"
# A product that everybody buys is copied once in this time, not once per sale. Buyers wait for it.
DELAY_SECONDS = 0.5
# Rows of some 200 documents are a second's work; what is taken and lost with a worker waits for the sweep.
BATCH = 200
# Documents that wait, a hundred bytes each: more do so only while no worker comes. Any beyond are left to the sweep.
WAITING = 100_000


def sync_soon(collection: str, keys: Iterable[tuple[str, ...]]) -> None:
    """Queue changed documents, by their keys, to be copied soon. Call it after the commit; it never fails."""
    if not settings.CASSANDRA_CONTACT_POINTS:
        return
    members = [json.dumps(key) for key in keys]
    if not members:
        return
    try:
        pipeline = redis_client().pipeline(transaction=False)
        pipeline.sadd(_queue(collection), *members)
        pipeline.scard(_queue(collection))
        _, waiting = pipeline.execute()
        if waiting > WAITING:
            redis_client().spop(_queue(collection), waiting - WAITING)
    except RedisError as error:
        log.warning("sync.left_to_the_sweep", error=type(error).__name__)
    else:
        send_soon(TASK, collection, delay=DELAY_SECONDS)


def sync_queued(collection: str) -> int:
    """Copy what is queued; returns how many documents. Raises CassandraError.

    What is queued meanwhile has its own task, a delay later: else a shop that sells all the time would keep this one
    busy for ever, and each sale would be copied by itself.
    """
    mark_begun(TASK, collection)
    synced = declared_as(collection)
    copied, left = 0, redis_client().scard(_queue(collection))
    while left > 0 and (documents := _take(synced, min(BATCH, left))):
        left -= BATCH
        copied += copy_documents(synced, documents)
        if left > 0 and not synced.goes_first:
            # After a bulk change thousands wait: between two batches other tasks have their turn.
            send_soon(TASK, collection)
            break
    return copied


def copy_queued(synced: Synced) -> int:
    """Copy a batch of what is queued, before its own task does; returns how many documents. Raises CassandraError."""
    return copy_documents(synced, _take(synced, BATCH))


def _take(synced: Synced, number: int) -> list[Any]:
    """So many of the queued documents; without those that somebody has copied meanwhile."""
    members: Iterable[Any] = redis_client().spop(_queue(synced.collection), number) or ()
    documents = synced.find([tuple(json.loads(str(member))) for member in members])
    return [document for document in documents if is_waiting(document)]


def _queue(collection: str) -> str:
    return f"sync:{collection}"
