"""Sessions for the tests, and a look at what is stored of them."""

from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY

from gateway.accounts.models import User
from gateway.accounts.sessions import cache, rows
from gateway.accounts.sessions.engine import SessionStore
from gateway.accounts.sessions.records import SessionRecord
from gateway.redis.clients import cache_client

BACKEND = "django.contrib.auth.backends.ModelBackend"


def signed_in(user: User, *, device: str = "Firefox", ip_address: str = "192.0.2.7") -> SessionStore:
    session = SessionStore(device=device, ip_address=ip_address)
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = BACKEND
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.save()
    return session


def key_of(session: SessionStore) -> str:
    assert session.session_key is not None
    return session.session_key


def id_of(session: SessionStore) -> str:
    assert session.session_id is not None
    return session.session_id


def is_alive(key: str) -> bool:
    return SessionStore().exists(key)


def in_redis(session_id: str) -> SessionRecord | None:
    copy = cache.find(session_id)
    return copy.record if copy and not copy.ended else None


def in_cassandra(session_id: str) -> SessionRecord | None:
    return rows.find(session_id)


def forget_attempts() -> None:
    """To sign in, and where from, which Redis keeps by account and network: all tests share them."""
    for pattern in ("attempts:*", "known-networks:*"):
        # In one round trip, however many keys other tests have left.
        if keys := list(cache_client().scan_iter(pattern, count=100_000)):
            cache_client().delete(*keys)
