"""Sessions while Cassandra or Redis is away, and once it is back."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from pymongo.database import Database
from pytest_django import Settings

from deploy.local.start.stack import Stack
from gateway.accounts.cassandra.tables import SESSIONS_BY_USER
from gateway.accounts.models import User
from gateway.accounts.sessions import cache, catch_up, rows, store
from gateway.accounts.sessions.devices import devices_of
from gateway.accounts.sessions.engine import SessionStore
from gateway.accounts.sessions.errors import SessionsUnavailable
from gateway.accounts.tests.sessions import id_of, in_cassandra, in_redis, is_alive, key_of, signed_in
from gateway.cassandra.driver.session import CONNECTOR
from gateway.cassandra.reads import read
from gateway.cassandra.tests.link import Link
from gateway.cassandra.tests.node import answers
from gateway.mongo.client import Document
from gateway.redis.clients import redis_client
from gateway.tests.eventually import eventually

pytestmark = [pytest.mark.usefixtures("database"), pytest.mark.timeout(170)]


@pytest.fixture
def user(database: Database[Document]) -> User:
    return User.objects.create_user("ivan@example.com", "correct horse")


@contextmanager
def redis_killed(stack: Stack) -> Iterator[None]:
    stack.kill("redis")
    try:
        yield
    finally:
        stack.start("redis")


def back_again(link: Link) -> None:
    link.mend()
    eventually(answers, within=60)


# ---------------------------------------------------------------- Cassandra away


@pytest.mark.usefixtures("never_fresh")
def test_session_made_without_cassandra_serves_from_redis_and_reaches_cassandra_later(user: User, link: Link) -> None:
    link.cut()
    session = signed_in(user)

    assert is_alive(key_of(session))
    assert [device.session_id for device in devices_of(user)] == [id_of(session)]
    assert id_of(session) in cache.unsynced(1000)
    assert redis_client().ttl(f"session:{id_of(session)}") > cache.SYNCED_SECONDS

    back_again(link)
    assert in_cassandra(id_of(session)) is None
    catch_up.catch_up()

    assert in_cassandra(id_of(session)) == in_redis(id_of(session)) is not None
    assert [row["session_id"] for row in read(SESSIONS_BY_USER.select("user_id = ?", str(user.pk)))] == [id_of(session)]
    assert id_of(session) not in cache.unsynced(1000)
    assert redis_client().ttl(f"session:{id_of(session)}") <= cache.SYNCED_SECONDS


@pytest.mark.usefixtures("never_fresh")
def test_session_made_without_cassandra_reaches_it_by_being_used(user: User, link: Link) -> None:
    link.cut()
    session = signed_in(user)
    back_again(link)

    assert is_alive(key_of(session))

    assert in_cassandra(id_of(session)) is not None


@pytest.mark.usefixtures("never_fresh")
def test_people_stay_signed_in_through_an_outage_of_cassandra(user: User, link: Link) -> None:
    session = signed_in(user)

    link.cut()

    assert is_alive(key_of(session))


def test_session_that_only_cassandra_knows_is_not_unknown_while_it_is_away(user: User, link: Link) -> None:
    session = signed_in(user)
    redis_client().delete(f"session:{id_of(session)}")
    link.cut()

    with pytest.raises(SessionsUnavailable):
        is_alive(key_of(session))

    back_again(link)
    assert is_alive(key_of(session))


def test_sign_out_without_cassandra_holds_at_once_and_reaches_cassandra_later(user: User, link: Link) -> None:
    session = signed_in(user)
    key, session_id = key_of(session), id_of(session)
    link.cut()

    session.flush()

    assert not is_alive(key)
    back_again(link)
    assert in_cassandra(session_id) is not None
    assert not is_alive(key)
    assert devices_of(user) == []
    catch_up.catch_up()
    assert in_cassandra(session_id) is None
    assert read(SESSIONS_BY_USER.select("user_id = ?", str(user.pk))) == []
    assert session_id not in cache.unsynced(1000)


def test_sign_out_of_a_session_of_which_redis_knew_nothing_cleans_the_owners_list_too(user: User, link: Link) -> None:
    session = signed_in(user)
    session_id = id_of(session)
    redis_client().delete(f"session:{session_id}")
    link.cut()
    session.delete()
    back_again(link)

    catch_up.catch_up()

    assert in_cassandra(session_id) is None
    assert read(SESSIONS_BY_USER.select("user_id = ?", str(user.pk))) == []


def test_catching_up_does_not_forget_a_change_made_meanwhile(
    user: User, link: Link, monkeypatch: pytest.MonkeyPatch
) -> None:
    link.cut()
    session = signed_in(user)
    back_again(link)

    def changed_just_before(record: object) -> bool:
        link.cut()
        session["colour"] = "red"
        session.save()
        back_again(link)
        return told(record)

    told: Callable[[object], bool] = cache.mark_synced  # type: ignore[assignment]
    monkeypatch.setattr(cache, "mark_synced", changed_just_before)
    catch_up.catch_up()
    monkeypatch.undo()

    assert id_of(session) in cache.unsynced(1000)
    catch_up.catch_up()
    assert in_cassandra(id_of(session)) == in_redis(id_of(session))


def test_catching_up_waits_while_cassandra_is_away(user: User, link: Link) -> None:
    link.cut()
    session = signed_in(user)

    assert catch_up.catch_up() == 0

    assert id_of(session) in cache.unsynced(1000)


# ---------------------------------------------------------------- Redis away


def test_without_redis_cassandra_serves_alone(user: User, fresh: Settings, stack: Stack) -> None:
    before = signed_in(user)
    with redis_killed(stack):
        during = signed_in(user, device="Safari")

        assert is_alive(key_of(before))
        assert is_alive(key_of(during))
        assert {device.session_id for device in devices_of(user)} == {id_of(before), id_of(during)}
        before_key = key_of(before)
        before.flush()
        assert not is_alive(before_key)

    assert is_alive(key_of(during))


def test_sign_out_made_without_redis_holds_once_the_copy_is_no_longer_fresh(
    user: User, fresh: Settings, stack: Stack
) -> None:
    session = signed_in(user)
    key, session_id = key_of(session), id_of(session)
    with redis_killed(stack):
        session.flush()
    assert in_redis(session_id) is not None

    fresh.SESSION_CACHE_SECONDS = 0

    assert not is_alive(key)
    assert devices_of(user) == []


def test_sign_out_made_without_redis_ends_a_session_that_cassandra_had_not_got_yet(
    user: User, link: Link, stack: Stack, settings: Settings
) -> None:
    """Redis comes back with a copy that still waits for Cassandra: writing it there must not revive it."""
    link.cut()
    session = signed_in(user)
    key, session_id = key_of(session), id_of(session)
    back_again(link)
    with redis_killed(stack):
        store.end(session_id)
    settings.SESSION_CACHE_SECONDS = 0

    assert not is_alive(key)
    catch_up.catch_up()
    assert in_cassandra(session_id) is None


def test_with_both_away_nothing_is_said_of_a_session(user: User, link: Link, stack: Stack) -> None:
    session = signed_in(user)
    key = key_of(session)
    link.cut()
    with redis_killed(stack):
        with pytest.raises(SessionsUnavailable):
            is_alive(key)
        with pytest.raises(SessionsUnavailable):
            signed_in(user)
        with pytest.raises(SessionsUnavailable):
            SessionStore(key).delete()
        with pytest.raises(SessionsUnavailable):
            devices_of(user)

    assert is_alive(key)


# ---------------------------------------------------------------- Cassandra not configured


@pytest.fixture
def redis_alone(fresh: Settings) -> Settings:
    CONNECTOR.close()
    fresh.CASSANDRA_CONTACT_POINTS = []
    return fresh


@pytest.mark.usefixtures("never_fresh", "redis_alone")
def test_without_cassandra_configured_redis_keeps_sessions_for_their_whole_life(user: User) -> None:
    session = signed_in(user)
    key, session_id = key_of(session), id_of(session)

    assert is_alive(key)
    assert [device.session_id for device in devices_of(user)] == [session_id]
    assert session_id not in cache.unsynced(1000)
    assert redis_client().ttl(f"session:{session_id}") > cache.SYNCED_SECONDS
    assert catch_up.catch_up() == 0
    session.flush()
    assert not is_alive(key)
    assert devices_of(user) == []


def test_sessions_survive_that_cassandra_is_configured_later(user: User, fresh: Settings) -> None:
    contact_points = fresh.CASSANDRA_CONTACT_POINTS
    fresh.CASSANDRA_CONTACT_POINTS = []
    session = signed_in(user)

    fresh.CASSANDRA_CONTACT_POINTS = contact_points
    fresh.SESSION_CACHE_SECONDS = 0

    assert is_alive(key_of(session))
    assert rows.find(id_of(session)) is not None
