"""Telling Cassandra, once it is back, what happened to sessions while it was away."""

import structlog
from redis.exceptions import RedisError

from gateway.accounts.sessions import cache, rows
from gateway.accounts.sessions.cache import CachedSession
from gateway.cassandra.errors import CassandraError
from gateway.cassandra.statements import Write
from gateway.cassandra.writes import write

log = structlog.get_logger(__name__)

# One round is about 200 rows, a fraction of a second; a run ends within the 10 s after which the next is sent.
BATCH = 100
ROUNDS = 20


def catch_up() -> int:
    """Write up to BATCH × ROUNDS waiting sessions to Cassandra; returns how many. Runs may overlap."""
    done = 0
    if not rows.configured():
        return done
    try:
        for _ in range(ROUNDS):
            told = _round()
            done += told
            if not told:
                break
    except (CassandraError, RedisError) as error:
        log.info("sessions.catch_up_waits", error=type(error).__name__)
    if done:
        log.info("sessions.caught_up", sessions=done)
    return done


def _round() -> int:
    found = {session_id: cache.find(session_id) for session_id in cache.unsynced(BATCH)}
    write(one for session_id, cached in found.items() for one in _writes(session_id, cached))
    return sum(_mark_told(session_id, cached) for session_id, cached in found.items())


def _writes(session_id: str, cached: CachedSession | None) -> list[Write]:
    if cached is None:
        return []
    if not cached.ended:
        return list(rows.saving(cached.record)) if cached.record else []
    record = cached.record or rows.find(session_id)
    return list(rows.ending(session_id, record.as_device() if record else None))


def _mark_told(session_id: str, cached: CachedSession | None) -> bool:
    """Note that Cassandra knows. False: the session has changed meanwhile and is left for the next round."""
    if cached and cached.record and not cached.ended:
        return cache.mark_synced(cached.record)
    return cache.mark_end_synced(session_id)
