"""One change of the schema at a time: two at once can leave nodes that never agree, IF NOT EXISTS or not."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from redis.exceptions import LockError, RedisError
from redis.lock import Lock

from gateway.redis import redis_client

NAME = "cassandra:schema"
# A holder that died lets go after this time; a living one renews it before each statement, which is shorter.
LEASE_SECONDS = 120.0
# Longer than a whole first apply, which takes seconds.
WAIT_SECONDS = 180.0


class SchemaLocked(Exception):
    """Another process has been changing the schema all the time, or took over because we were slow."""


@contextmanager
def schema_lock(say: Callable[[str], None]) -> Iterator[Callable[[], None]]:
    """Hold the lock; gives a function that renews it. Without Redis goes on without it, and says so."""
    lock = redis_client().lock(NAME, timeout=LEASE_SECONDS, blocking_timeout=WAIT_SECONDS)
    try:
        acquired = lock.acquire()
    except RedisError:
        say("Redis is away: make sure that no other apply runs at the same time")
        yield lambda: None
        return
    if not acquired:
        raise SchemaLocked(f"another apply has held the schema for {WAIT_SECONDS:.0f} s")
    try:
        yield lambda: _renew(lock)
    finally:
        with suppress(RedisError):
            lock.release()


def _renew(lock: Lock) -> None:
    try:
        lock.reacquire()
    except LockError as error:
        raise SchemaLocked("another apply has taken over: run this one again") from error
    except RedisError:
        # Redis died on the way; the lease we had is the best protection left.
        return
