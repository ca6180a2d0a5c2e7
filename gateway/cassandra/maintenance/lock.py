"""Locks: two changes of the schema at once can leave nodes that never agree; two repairs do the same work twice."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress

from redis.exceptions import LockError, RedisError
from redis.lock import Lock

from gateway.redis.clients import redis_client

NAME = "cassandra:schema"
REPAIR_NAME = "cassandra:repair"
# A holder that died lets go after this time; a living one renews it before each statement, which is shorter.
LEASE_SECONDS = 120.0
# Longer than a whole first apply, which takes seconds; and than the lease, so that work of the dead is taken over.
WAIT_SECONDS = 180.0

Say = Callable[[str], None]
Renew = Callable[[], None]


class Locked(Exception):
    """Another process held the lock all the time, or took it over because we were slow."""


def schema_lock(say: Say) -> AbstractContextManager[Renew]:
    """Hold the lock for changes of the schema; yields a function that renews it. Without Redis it warns and goes on."""
    return _only_one(NAME, who="apply", what="the schema", say=say)


def repair_lock(say: Say) -> AbstractContextManager[Renew]:
    """Like `schema_lock`, for repairs."""
    return _only_one(REPAIR_NAME, who="repair", what="the lock", say=say)


@contextmanager
def _only_one(name: str, *, who: str, what: str, say: Say) -> Iterator[Renew]:
    lock = redis_client().lock(name, timeout=LEASE_SECONDS, blocking_timeout=WAIT_SECONDS)
    try:
        acquired = lock.acquire()
    except RedisError:
        say(f"Redis is away: make sure that no other {who} runs at the same time")
        yield lambda: None
        return
    if not acquired:
        raise Locked(f"another {who} has held {what} for {WAIT_SECONDS:.0f} s")
    try:
        yield lambda: _renew(lock, who)
    finally:
        with suppress(RedisError):
            lock.release()


def _renew(lock: Lock, who: str) -> None:
    try:
        lock.reacquire()
    except LockError as error:
        raise Locked(f"another {who} has taken over: run this one again") from error
    except RedisError:
        # Redis died on the way; the lease we had is the best protection left.
        return
