"""Who is asked for a session, Redis or Cassandra, and who is told.

A session that Redis cached a moment ago is believed. An older one is confirmed by Cassandra; while that is away, the
cached one serves. What Cassandra could not be told waits in Redis, see `catch_up`. While Redis is away, Cassandra
serves alone.
"""

from contextlib import suppress

from redis.exceptions import RedisError

from gateway.accounts.sessions import cache, rows
from gateway.accounts.sessions.errors import SessionsUnavailable
from gateway.accounts.sessions.records import SessionRecord
from gateway.cassandra.errors import CassandraError, CassandraNotConfigured


def find(session_id: str) -> SessionRecord | None:
    """The living session; None: unknown, expired or ended. Raises SessionsUnavailable when nobody can tell."""
    try:
        cached = cache.find(session_id)
    except RedisError as error:
        return _living(_from_cassandra_alone(session_id, error))
    if cached is None:
        return _living(_from_cassandra(session_id))
    if cached.ended or cached.record is None:
        return None
    if cached.fresh:
        return _living(cached.record)
    try:
        return _living(_confirmed(cached.record, synced=cached.synced))
    except CassandraError:
        return _living(cached.record)


def save(record: SessionRecord) -> bool:
    """Keep the record in at least one of the two stores. False: the session has ended meanwhile, nothing was kept."""
    kept = False
    with suppress(RedisError):
        # First, so that a crash on the way to Cassandra leaves word of what is to be done.
        if not cache.save(record, synced=False, queued=rows.configured()):
            return False
        kept = True
    try:
        rows.save(record)
    except CassandraError as error:
        if not kept:
            raise SessionsUnavailable("neither Redis nor Cassandra keeps the session") from error
        return True
    with suppress(RedisError):
        cache.mark_synced(record)
    return True


def create(record: SessionRecord) -> None:
    """Keep the record of a session that begins in at least one of the two stores.

    Nobody has its key yet, so a crash on the way costs nothing: Redis is told once, when Cassandra has answered.
    """
    try:
        rows.save(record)
    except CassandraError:
        synced = False
    else:
        synced = True
    try:
        cache.save(record, synced=synced, queued=not synced and rows.configured())
    except RedisError as error:
        if not synced:
            raise SessionsUnavailable("neither Redis nor Cassandra keeps the session") from error


def end(session_id: str, record: SessionRecord | None = None) -> None:
    """End the session for good: no save that comes later brings it back. `record`: if the caller has it."""
    kept = False
    with suppress(RedisError):
        record = cache.end(session_id, record, queued=rows.configured())
        kept = True
    try:
        record = record or rows.find(session_id)
        rows.end(session_id, record.as_device() if record else None)
    except CassandraError as error:
        if not kept:
            raise SessionsUnavailable("neither Redis nor Cassandra ends the session") from error
        return
    with suppress(RedisError):
        cache.mark_end_synced(session_id)


def _from_cassandra_alone(session_id: str, why: RedisError) -> SessionRecord | None:
    try:
        return rows.find(session_id)
    except CassandraError:
        raise SessionsUnavailable("neither Redis nor Cassandra answers") from why


def _from_cassandra(session_id: str) -> SessionRecord | None:
    try:
        record = rows.find(session_id)
    except CassandraNotConfigured:
        return None
    except CassandraError as error:
        raise SessionsUnavailable("Redis does not know the session, and Cassandra does not answer") from error
    if record is None:
        return None
    return record if _cache(record) else None


def _confirmed(cached: SessionRecord, *, synced: bool) -> SessionRecord | None:
    """The session as Cassandra knows it; the cached one is renewed, or ended with it."""
    if not synced:
        # Written once more it is there, unless it was ended while Redis was away: a deletion outranks any save.
        rows.save(cached)
    record = rows.find(cached.session_id) or rows.find_for_certain(cached.session_id)
    if record is None:
        with suppress(RedisError):
            cache.end(cached.session_id, cached, queued=False)
        return None
    newest = max(record, cached, key=lambda known: known.written_at)
    return newest if _cache(newest) else None


def _cache(record: SessionRecord) -> bool:
    """Keep in Redis what Cassandra has. False: the session was ended while Cassandra was asked."""
    with suppress(RedisError):
        return cache.save(record, synced=True, queued=False)
    return True


def _living(record: SessionRecord | None) -> SessionRecord | None:
    return None if record is None or record.is_over() else record
