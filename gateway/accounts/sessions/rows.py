"""Sessions in Cassandra. Everything here raises CassandraError when there is no answer."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from django.conf import settings

from gateway.accounts.cassandra.tables import SESSIONS_BY_USER, USER_SESSIONS
from gateway.accounts.sessions.records import Device, SessionRecord
from gateway.cassandra.reads import first, read
from gateway.cassandra.statements import Consistency, Row, Write
from gateway.cassandra.writes import write

# The timestamp of a deletion: above that of any save, however late it comes, so that no save revives what has ended.
# Not the largest number there is, which leaves no room for a server that adds one.
END_OF_TIME = int(datetime(9999, 12, 31, tzinfo=UTC).timestamp()) * 1_000_000
# Nobody looks through more; the oldest expire by themselves.
DEVICES = 200


def configured() -> bool:
    return bool(settings.CASSANDRA_CONTACT_POINTS)


def find(session_id: str) -> SessionRecord | None:
    row = first(USER_SESSIONS.select("session_id = ?", session_id))
    return _record(row) if row else None


def find_for_certain(session_id: str) -> SessionRecord | None:
    """The session as a quorum knows it, for certainty: the one replica that `find` asks may have missed it."""
    request = USER_SESSIONS.select("session_id = ?", session_id)
    row = first(replace(request, consistency=Consistency.LOCAL_QUORUM))
    return _record(row) if row else None


def of_user(user_id: str) -> list[Device]:
    rows = read(SESSIONS_BY_USER.select("user_id = ?", user_id, limit=DEVICES))
    return [Device(**{**row, **_times(row, "created_at", "last_active_at")}) for row in rows]


def save(record: SessionRecord) -> None:
    write(saving(record))


def end(session_id: str, device: Device | None) -> None:
    write(ending(session_id, device))


def saving(record: SessionRecord) -> Iterator[Write]:
    """The writes that save the session; none for a session that is over."""
    if record.is_over():
        return
    ttl = timedelta(seconds=record.seconds_left())
    row = {name: getattr(record, name) for name in USER_SESSIONS.columns}
    yield USER_SESSIONS.upsert(row, timestamp=record.written_at, ttl=ttl)
    if device := record.as_device():
        yield SESSIONS_BY_USER.upsert(device._asdict(), timestamp=record.written_at, ttl=ttl)


def ending(session_id: str, device: Device | None) -> Iterator[Write]:
    """The deletions that end the session; `device`: its line in the owner's list, None for a guest's."""
    yield USER_SESSIONS.delete({"session_id": session_id}, timestamp=END_OF_TIME)
    if device:
        key = {"user_id": device.user_id, "created_at": device.created_at, "session_id": session_id}
        yield SESSIONS_BY_USER.delete(key, timestamp=END_OF_TIME)


def _record(row: Row) -> SessionRecord:
    return SessionRecord(**{**row, **_times(row, "created_at", "last_active_at", "expires_at")})


def _times(row: Row, *names: str) -> dict[str, Any]:
    return {name: row[name].replace(tzinfo=UTC) for name in names}
