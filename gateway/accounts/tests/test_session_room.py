"""Anybody may begin a session: how many from one address, and how many of them Redis keeps."""

from collections.abc import Iterator

import pytest
from pymongo.database import Database
from pytest_django import Settings

from gateway.accounts.models import User
from gateway.accounts.sessions import cache
from gateway.accounts.sessions.cache import GUESTS, UNSYNCED
from gateway.accounts.sessions.engine import SessionStore
from gateway.accounts.sessions.errors import SessionsUnavailable, TooManySessions
from gateway.accounts.tests.sessions import id_of, in_cassandra, in_redis, is_alive, key_of, signed_in
from gateway.cassandra.tests.link import Link
from gateway.mongo.client import Document
from gateway.redis.clients import cache_client, redis_client

pytestmark = pytest.mark.usefixtures("database", "fresh")


@pytest.fixture(autouse=True)
def room_for_three_guests(settings: Settings) -> Iterator[None]:
    settings.SESSION_GUEST_COPIES = 3
    redis_client().delete(GUESTS)
    yield
    redis_client().delete(GUESTS)


def guest(address: str = "") -> SessionStore:
    session = SessionStore(ip_address=address)
    session.create()
    return session


def last_used(session: SessionStore, moment: int) -> None:
    """Redis counts in seconds; a test has none to wait."""
    redis_client().zadd(GUESTS, {id_of(session): moment})


# ---------------------------------------------------------------- how many begin


def test_address_begins_so_many_sessions_and_another_its_own(settings: Settings) -> None:
    settings.SESSIONS_PER_CLIENT_HOUR = 3
    cache_client().delete("sessions:new:192.0.2.70", "sessions:new:192.0.2.71", "sessions:new:2001:db8:7::/64")
    begun = [guest("192.0.2.70") for _ in range(3)]

    with pytest.raises(TooManySessions) as refused:
        guest("192.0.2.70")

    assert refused.value.message("en") == "Too many sessions were begun from your address. Try again in 20 min."
    assert redis_client().zcard(GUESTS) == 3
    assert all(is_alive(key_of(session)) for session in begun)
    guest("192.0.2.71")
    for number in range(3):
        guest(f"2001:db8:7::{number}")
    with pytest.raises(TooManySessions):
        guest("2001:db8:7::ffff")


def test_what_our_own_code_begins_is_not_counted(settings: Settings) -> None:
    settings.SESSIONS_PER_CLIENT_HOUR = 1

    assert all(is_alive(key_of(guest())) for _ in range(3))


# ---------------------------------------------------------------- how many have a copy


def test_copies_of_guests_used_least_recently_are_left_to_cassandra() -> None:
    sessions = [guest() for _ in range(3)]
    for moment, session in zip((20, 10, 30), sessions, strict=True):
        last_used(session, moment)

    newest = guest()

    assert [in_redis(id_of(session)) is not None for session in (*sessions, newest)] == [True, False, True, True]
    assert redis_client().zcard(GUESTS) == 3
    assert all(in_cassandra(id_of(session)) for session in (*sessions, newest))
    assert all(is_alive(key_of(session)) for session in (*sessions, newest))


def test_any_number_of_guests_takes_no_more_room() -> None:
    sessions = [guest() for _ in range(20)]

    assert redis_client().zcard(GUESTS) == 3
    assert sum(in_redis(id_of(session)) is not None for session in sessions) == 3


def test_ended_session_keeps_its_place_until_it_makes_room() -> None:
    """Else beginning and ending would fill Redis with tombstones."""
    ended = [guest() for _ in range(3)]
    for session in ended:
        session.delete()

    guest()

    assert redis_client().zcard(GUESTS) == 3
    assert sum(cache.find(id_of(session)) is not None for session in ended) == 2
    assert not any(is_alive(key_of(session)) for session in ended)


def test_tombstone_of_a_session_without_a_copy_takes_a_place_too() -> None:
    sessions = [guest() for _ in range(10)]
    for session in sessions:
        session.delete()

    for _ in range(3):
        guest()

    assert redis_client().zcard(GUESTS) == 3
    assert sum(cache.find(id_of(session)) is not None for session in sessions) <= 2
    assert not any(is_alive(key_of(session)) for session in sessions)


def test_what_cassandra_lacks_makes_no_room(link: Link) -> None:
    link.cut()
    waiting = [guest() for _ in range(3)]
    before = redis_client().smembers(UNSYNCED)

    with pytest.raises(SessionsUnavailable):
        guest()

    assert redis_client().zcard(GUESTS) == 3
    assert redis_client().smembers(UNSYNCED) == before
    assert all(in_redis(id_of(session)) for session in waiting)


def test_guest_for_whom_redis_has_no_room_is_kept_by_cassandra() -> None:
    waiting = [guest() for _ in range(3)]
    for session in waiting:
        redis_client().hset(f"session:{id_of(session)}", "synced", "0")

    fourth = guest()

    assert in_redis(id_of(fourth)) is None
    assert is_alive(key_of(fourth))
    assert all(in_redis(id_of(session)) for session in waiting)


def test_without_cassandra_the_guest_used_least_recently_is_forgotten(settings: Settings) -> None:
    settings.CASSANDRA_CONTACT_POINTS = []
    sessions = [guest() for _ in range(3)]
    for moment, session in zip((20, 10, 30), sessions, strict=True):
        last_used(session, moment)

    newest = guest()

    assert [is_alive(key_of(session)) for session in (*sessions, newest)] == [True, False, True, True]


def test_account_has_so_many_copies_and_the_rest_are_left_to_cassandra(
    database: Database[Document], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache, "LISTED", 3)
    user = User.objects.create_user("ivan@example.com", "correct horse")

    sessions = [signed_in(user) for _ in range(5)]

    assert [in_redis(id_of(session)) is not None for session in sessions] == [False, False, True, True, True]
    assert all(is_alive(key_of(session)) for session in sessions)
