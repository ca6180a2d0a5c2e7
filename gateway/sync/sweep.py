"""The promise behind the sync: whatever is marked and due is found again, oldest first, until it has been copied.

Each shard walks its own small index of what is owed (gateway/outbox.py).
"""

import time
from datetime import UTC, datetime, timedelta

import structlog
from django.conf import settings
from redis.exceptions import RedisError

from gateway import outbox
from gateway.cassandra.errors import CassandraError
from gateway.mongo.client import Document
from gateway.mongo.policies import SYNC, under
from gateway.sync import shares
from gateway.sync.copy import copy_documents
from gateway.sync.declarations import Synced, in_turn
from gateway.sync.majority import committed
from gateway.sync.marks import DUE

log = structlog.get_logger(__name__)

# The change's own task copies within a second or two: what it is about to do is left to it.
GRACE = timedelta(seconds=5)
BATCH = 500
# A run ends before the next one but one is sent; what is left is the next one's.
LONGEST_SECONDS = 50.0


def sweep(*, grace: timedelta = GRACE) -> None:
    """Have workers copy all that is due. Without Redis there is nothing to share by: then this process copies it."""
    if not settings.CASSANDRA_CONTACT_POINTS:
        return
    try:
        shares.start(shares.deal_all(grace=grace))
    except RedisError as error:
        log.info("sync.swept_alone", error=type(error).__name__)
        sweep_all(grace=grace)


def work(hand: int, holder: str) -> int:
    """Copy a share of what is due, see `gateway.sync.shares.work`."""
    try:
        return shares.work(hand, holder, grace=GRACE)
    except CassandraError as error:
        log.info("sync.waits_for_cassandra", error=type(error).__name__)
    except RedisError as error:
        log.info("sync.share_left", error=type(error).__name__)
    return 0


def sweep_all(*, grace: timedelta = GRACE) -> int:
    """Copy all that is due, in this process alone, whoever else does; returns how many documents."""
    ends = time.monotonic() + LONGEST_SECONDS
    try:
        copied = sum(_sweep(synced, grace, ends) for synced in in_turn())
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
        # Neighbours by their key have rows that travel together.
        copied = copy_documents(synced, sorted(documents, key=synced.key_of)) if documents else 0
        total += copied
        if len(documents) < BATCH or not copied:
            break
    return total


def due(synced: Synced, *, before: datetime) -> list[Document]:
    """What has been due since before this moment, oldest first, a batch of it; of the shards that answer."""
    with under(SYNC):
        return outbox.due(committed(synced.collection), DUE, before=before, limit=BATCH)
