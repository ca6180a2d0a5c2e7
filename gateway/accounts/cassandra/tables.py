"""Cassandra's tables of sessions. They copy nothing: sessions live here, and Redis caches them."""

from datetime import timedelta

from django.conf import settings

from gateway.cassandra.statements import Consistency
from gateway.cassandra.table import LEVELLED, Table

_LIFE = timedelta(seconds=settings.SESSION_COOKIE_AGE)

USER_SESSIONS = Table(
    name="user_sessions",
    kind="carts",
    serves="a session by the hash of its key",
    columns={
        "session_id": "text",
        "user_id": "text",
        "auth": "text",
        "data": "text",
        "created_at": "timestamp",
        "last_active_at": "timestamp",
        "expires_at": "timestamp",
        "device": "text",
        "ip_address": "text",
        "written_at": "bigint",
    },
    partition_key=("session_id",),
    ttl=_LIFE,
    compaction=LEVELLED,
    write_at=Consistency.LOCAL_QUORUM,
    read_at=Consistency.LOCAL_ONE,
    read_repair="NONE",
    repaired_nightly=False,
    versioned=True,
)

SESSIONS_BY_USER = Table(
    name="sessions_by_user",
    kind="carts",
    serves="where an account is signed in, newest first",
    columns={
        "user_id": "text",
        "created_at": "timestamp",
        "session_id": "text",
        "auth": "text",
        "last_active_at": "timestamp",
        "device": "text",
        "ip_address": "text",
    },
    partition_key=("user_id",),
    clustering={"created_at": "DESC", "session_id": "ASC"},
    ttl=_LIFE,
    compaction=LEVELLED,
    write_at=Consistency.LOCAL_QUORUM,
    read_at=Consistency.LOCAL_ONE,
    read_repair="NONE",
    repaired_nightly=False,
    versioned=True,
)

TABLES = (USER_SESSIONS, SESSIONS_BY_USER)
