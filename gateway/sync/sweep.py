"""The promise behind the sync: whatever is marked and due is found again, oldest first, until it has been copied.

Each shard walks its own small index of what is owed (gateway/outbox.py).
"""

import time
from datetime import UTC, datetime, timedelta

import structlog
from django.conf import settings
from redis.exceptions import LockError, RedisError

from gateway import outbox
from gateway.cassandra.errors import CassandraError
from gateway.mongo.client import Document
from gateway.mongo.policies import SYNC, under
from gateway.redis.clients import redis_client
from gateway.sync.copy import copy_documents
from gateway.sync.declarations import Synced, declared
from gateway.sync.majority import committed
from gateway.sync.marks import DUE

log = structlog.get_logger(__name__)

# The change's own task copies within a second or two: what it is about to do is left to it.
GRACE = timedelta(seconds=5)
BATCH = 200
# A run ends before the next one but one is sent; what is left is the next one's.
LONGEST_SECONDS = 50.0
LOCK = "sync:sweep"


def sweep(*, grace: timedelta = GRACE) -> int:
    """Copy all that is due; returns how many documents. One at a time, as far as Redis can tell."""
    if not settings.CASSANDRA_CONTACT_POINTS:
        return 0
    lock = redis_client().lock(LOCK, timeout=LONGEST_SECONDS + 30, blocking=False)
    try:
        if not lock.acquire():
            return 0
    except RedisError:
        # Two sweeps do the same work twice, and no harm.
        return sweep_all(grace=grace)
    try:
        return sweep_all(grace=grace)
    finally:
        try:
            lock.release()
        except (LockError, RedisError) as error:
            log.info("sync.lock_not_released", error=type(error).__name__)


def sweep_all(*, grace: timedelta = GRACE) -> int:
    ends = time.monotonic() + LONGEST_SECONDS
    try:
        copied = sum(_sweep(synced, grace, ends) for synced in declared())
    except CassandraError as error:
        log.info("sync.waits_for_cassandra", error=type(error).__name__)
        return 0
    if copied:
        log.info("sync.swept", documents=copied)
    return copied


def _sweep(synced: Synced, grace: timedelta, ends: float) -> int:
    total = 0
    while time.monotonic() < ends:
        documents = due(synced, before=datetime.now(UTC) - grace)
        copied = copy_documents(synced, documents) if documents else 0
        total += copied
        if len(documents) < BATCH or not copied:
            break
    return total


def due(synced: Synced, *, before: datetime) -> list[Document]:
    """What has been due since before this moment, oldest first, a batch of it; of the shards that answer."""
    with under(SYNC):
        return outbox.due(committed(synced.collection), DUE, before=before, limit=BATCH)
