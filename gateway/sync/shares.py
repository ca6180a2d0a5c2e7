"""What is due, dealt out in shares, which workers copy side by side; orders before products.

A share is a range of neighbours by their shard key: their rows travel together, and their marks go to one shard. A
worker holds one share at a time, in a hand: a place in Redis that names its holder and what is being copied, for no
longer than a lease. There are so many hands, so that a backlog leaves processes to the buyers' own tasks. Whoever dies
loses his hand with the lease, and what it held is dealt again. Redis may lose all of it: MongoDB knows what is owed.
"""

import json
import uuid
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

import structlog
from celery import current_app
from django.conf import settings
from kombu.exceptions import OperationalError

from gateway import outbox
from gateway.mongo.policies import SYNC, under
from gateway.redis.clients import redis_client
from gateway.sync.copy import copy_documents
from gateway.sync.declarations import Synced, in_turn
from gateway.sync.documents import is_waiting
from gateway.sync.majority import committed
from gateway.sync.marks import DUE
from gateway.sync.queue import copy_queued

log = structlog.get_logger(__name__)

TASK = "gateway.tasks.sync_share"
# Less than a second's work, after which other tasks have their turn.
SHARE = 250
# So many at a time while orders keep coming: a tenth of a second's work, which is what they wait for it.
STEP = 50
# Some seconds' work of all hands; what falls due meanwhile is dealt next.
DEALT = 5_000
# A share takes a second, and one whose documents fail one by one some more. Copied twice it does no harm.
LEASE_SECONDS = 30
# What nobody has taken by then is no longer what is due.
KEPT_SECONDS = 60
# Reading the keys of what is dealt.
DEALING_SECONDS = 10

Key = tuple[str, ...]


class Share(NamedTuple):
    """Documents to be copied together by one worker."""

    synced: Synced
    keys: list[Key]


def deal_all(*, grace: timedelta) -> int:
    """Deal what has been due for longer than `grace`, of every collection; returns how many shares wait."""
    return sum(_deal(synced, grace) for synced in in_turn())


def start(shares: int) -> None:
    """Send a worker for each free hand that finds a share."""
    for number in range(min(shares, settings.SYNC_HANDS)):
        holder = _new_holder()
        if redis_client().set(_hand(number), _held(holder), nx=True, ex=LEASE_SECONDS):
            _send(number, holder)


def work(number: int, holder: str, *, grace: timedelta) -> int:
    """Copy a share and send the next worker for this hand; returns how many documents.

    Whoever comes late and finds another holder does nothing. Raises CassandraError, and then the sweep sends the next.
    """
    if not _is_held(number, holder):
        return 0
    share = _next_share(grace)
    if share is None:
        redis_client().delete(_hand(number))
        return 0
    redis_client().set(_hand(number), _held(holder, share), ex=LEASE_SECONDS)
    copied, goes_on = 0, False
    try:
        # As they are found, those of several shards come in no order.
        found = sorted(share.synced.find(share.keys), key=share.synced.key_of)
        documents = [each for each in found if is_waiting(each)]
        copied = _copy(share.synced, documents)
        # Without any success the next share would be the same one.
        goes_on = bool(copied) or not documents
    finally:
        _pass_on(number, holder, goes_on=goes_on)
    return copied


def _pass_on(number: int, holder: str, *, goes_on: bool) -> None:
    """Let the next worker have the hand, or open it. Not when the lease has ended: then it is another's."""
    if not _is_held(number, holder):
        return
    if not goes_on:
        redis_client().delete(_hand(number))
        return
    following = _new_holder()
    redis_client().set(_hand(number), _held(following), ex=LEASE_SECONDS)
    _send(number, following)


def _copy(synced: Synced, documents: Sequence[Mapping[str, Any]]) -> int:
    """Copy a share's documents; while the shop sells, in small steps with the orders of that moment before each."""
    copied, left = 0, documents
    while left:
        step = STEP if _copy_urgent() else len(left)
        copied += copy_documents(synced, left[:step])
        left = left[step:]
    return copied


def _copy_urgent() -> int:
    """Copy queued documents of the collections that go first: their own task may be waiting for a process."""
    return sum(copy_queued(synced) for synced in in_turn() if synced.goes_first)


def _next_share(grace: timedelta) -> Share | None:
    """A share of the first collection that has any; dealt anew when all have been taken."""
    for synced in in_turn():
        if share := _take(synced):
            return share
    return next(filter(None, (_take(synced) for synced in in_turn() if _deal(synced, grace))), None)


def _take(synced: Synced) -> Share | None:
    taken = redis_client().lpop(_shares(synced))
    return Share(synced, _keys(json.loads(str(taken)))) if taken else None


def _deal(synced: Synced, grace: timedelta) -> int:
    """How many shares of the collection wait, dealt if there are none."""
    name = f"sync:deal:{synced.collection}"
    with redis_client().lock(name, timeout=DEALING_SECONDS, blocking_timeout=DEALING_SECONDS):
        if waiting := redis_client().llen(_shares(synced)):
            return int(waiting)
        in_hand = set(_in_hands(synced))
        keys = [key for key in _due(synced, datetime.now(UTC) - grace, DEALT + len(in_hand)) if key not in in_hand]
        shares = _divided(sorted(keys))
        if shares:
            redis_client().rpush(_shares(synced), *map(json.dumps, shares))
            redis_client().expire(_shares(synced), KEPT_SECONDS)
        return len(shares)


def _due(synced: Synced, before: datetime, limit: int) -> list[Key]:
    with under(SYNC):
        found = outbox.due(committed(synced.collection), DUE, before=before, limit=limit, fields=synced.key)
    return [synced.key_of(document) for document in found]


def _divided(keys: Sequence[Key]) -> list[Sequence[Key]]:
    return [keys[begin : begin + SHARE] for begin in range(0, len(keys), SHARE)]


def _in_hands(synced: Synced) -> Iterator[Key]:
    """The documents of the collection that are being copied at this moment."""
    for held in redis_client().mget([_hand(number) for number in range(settings.SYNC_HANDS)]):
        if held:
            found = json.loads(str(held))
            if found["collection"] == synced.collection:
                yield from _keys(found["keys"])


def _send(number: int, holder: str) -> None:
    try:
        current_app.send_task(TASK, (number, holder), expires=LEASE_SECONDS, retry=False)
    except OperationalError as error:
        log.warning("sync.share_not_sent", error=type(error).__name__)


def _is_held(number: int, holder: str) -> bool:
    held = redis_client().get(_hand(number))
    return held is not None and json.loads(str(held))["holder"] == holder


def _held(holder: str, share: Share | None = None) -> str:
    return json.dumps(
        {"holder": holder, "collection": share and share.synced.collection, "keys": share.keys if share else []}
    )


def _keys(lists: Sequence[Sequence[str]]) -> list[Key]:
    return [tuple(each) for each in lists]


def _new_holder() -> str:
    return uuid.uuid4().hex


def _hand(number: int) -> str:
    return f"sync:hand:{number}"


def _shares(synced: Synced) -> str:
    return f"sync:shares:{synced.collection}"
