"""The session engine with both its servers up."""

import logging
import re
from datetime import timedelta

import pytest
from django.contrib.sessions.backends.base import UpdateError
from pymongo.database import Database
from pytest_django import Settings
from structlog.testing import capture_logs

from gateway.accounts.cassandra.tables import SESSIONS_BY_USER, USER_SESSIONS
from gateway.accounts.models import User
from gateway.accounts.owners import session_hash
from gateway.accounts.sessions import cache, engine, rows, store
from gateway.accounts.sessions.engine import SessionStore
from gateway.accounts.sessions.records import DEVICE_LENGTH
from gateway.accounts.tests.sessions import id_of, in_cassandra, in_redis, is_alive, key_of, signed_in
from gateway.cassandra.driver.session import CONNECTOR
from gateway.cassandra.reads import read
from gateway.mongo.client import Document
from gateway.redis.clients import redis_client

pytestmark = pytest.mark.usefixtures("database", "fresh")


@pytest.fixture
def user(database: Database[Document]) -> User:
    return User.objects.create_user("ivan@example.com", "correct horse")


def test_what_is_put_into_a_session_is_found_by_its_key() -> None:
    session = SessionStore()
    session["colour"] = "red"
    session.save()

    assert SessionStore(key_of(session))["colour"] == "red"


def test_key_is_128_random_bits() -> None:
    keys = set()
    for _ in range(20):
        session = SessionStore()
        session.create()
        keys.add(key_of(session))

    assert len(keys) == 20
    assert all(re.fullmatch(r"[A-Za-z0-9_-]{22}", key) for key in keys)


def test_both_servers_hold_the_session_and_neither_holds_its_key(user: User) -> None:
    session = signed_in(user)

    assert in_redis(id_of(session)) == in_cassandra(id_of(session))
    assert id_of(session) == session_hash(key_of(session))
    redis = redis_client()
    kept = [key for key in redis.scan_iter("*") if redis.type(key) == "hash"]
    assert any(id_of(session) in key for key in kept)
    assert not any(key_of(session) in key or key_of(session) in str(redis.hgetall(key)) for key in kept)
    tables = [
        list(CONNECTOR.connection().session.execute(f"SELECT * FROM {table.full_name}"))  # noqa: S608
        for table in (USER_SESSIONS, SESSIONS_BY_USER)
    ]
    assert id_of(session) in str(tables[0])
    assert id_of(session) in str(tables[1])
    assert key_of(session) not in str(tables)


def test_rows_expire_with_the_session(user: User, settings: Settings) -> None:
    session = signed_in(user)

    cql = f"SELECT TTL(data) AS left FROM {USER_SESSIONS.full_name} WHERE session_id = '{id_of(session)}'"  # noqa: S608
    (row,) = CONNECTOR.connection().session.execute(cql)
    assert timedelta(days=29) < timedelta(seconds=row["left"]) <= timedelta(days=30)
    assert 0 < redis_client().ttl(f"session:{id_of(session)}") <= cache.SYNCED_SECONDS


def test_owner_device_and_address_are_kept(user: User) -> None:
    session = signed_in(user, device="Mozilla/5.0 " + "x" * 1000, ip_address="2001:db8::1")

    record = in_cassandra(id_of(session))

    assert record is not None
    assert (record.user_id, record.auth) == (str(user.pk), user.get_session_auth_hash())
    assert (len(record.device), record.ip_address) == (DEVICE_LENGTH, "2001:db8::1")
    (row,) = read(SESSIONS_BY_USER.select("user_id = ?", str(user.pk)))
    assert row["session_id"] == id_of(session)


def test_guest_is_on_nobodys_list() -> None:
    session = SessionStore()
    session.create()

    record = in_cassandra(id_of(session))
    assert record is not None
    assert (record.user_id, record.as_device()) == (None, None)


@pytest.mark.parametrize("key", ["", "short", "x" * 22, "../../etc/passwd", "y" * 5000, "ключ-ключ-ключ-ключ-ключ"])
def test_unknown_key_is_an_empty_session_and_is_never_taken_over(key: str) -> None:
    session = SessionStore(key)
    session["colour"] = "red"
    session.save()

    assert session.session_key != key
    assert not is_alive(key)


def test_fresh_copy_is_believed_without_asking_cassandra() -> None:
    session = SessionStore()
    session.create()
    rows.end(id_of(session), None)

    assert is_alive(key_of(session))


@pytest.mark.usefixtures("never_fresh")
def test_older_copy_is_confirmed_by_cassandra_and_ends_with_its_row(user: User) -> None:
    session = signed_in(user)
    assert is_alive(key_of(session))

    rows.end(id_of(session), None)

    assert not is_alive(key_of(session))
    copy = cache.find(id_of(session))
    assert copy is not None
    assert copy.ended


def test_session_that_redis_forgot_comes_from_cassandra_and_is_copied_again(user: User) -> None:
    session = signed_in(user)
    redis_client().delete(f"session:{id_of(session)}", f"sessions-of:{user.pk}")

    assert is_alive(key_of(session))
    assert in_redis(id_of(session)) == in_cassandra(id_of(session))
    assert cache.listed(str(user.pk)) == [id_of(session)]


def test_ended_session_is_gone_from_both(user: User) -> None:
    session = signed_in(user)
    key, session_id = key_of(session), id_of(session)

    session.flush()

    assert session.session_key is None
    assert not is_alive(key)
    assert (in_redis(session_id), in_cassandra(session_id)) == (None, None)
    assert read(SESSIONS_BY_USER.select("user_id = ?", str(user.pk))) == []
    assert cache.listed(str(user.pk)) == []
    assert session_id not in cache.unsynced(1000)


def test_rotated_session_keeps_its_data_under_a_new_key_only() -> None:
    session = SessionStore()
    session["colour"] = "red"
    session.save()
    before = key_of(session)

    session.cycle_key()
    session.save()

    assert key_of(session) != before
    assert SessionStore(key_of(session))["colour"] == "red"
    assert not is_alive(before)


def test_expired_session_is_over() -> None:
    session = SessionStore()
    session.create()
    session.set_expiry(-1)
    session.save()

    assert not is_alive(key_of(session))


def test_use_is_noted_once_in_a_while_and_prolongs_the_life(user: User, monkeypatch: pytest.MonkeyPatch) -> None:
    key = key_of(signed_in(user))
    session = SessionStore(key)
    session.items()
    before = in_cassandra(id_of(session))

    assert not session.touch()
    assert in_cassandra(id_of(session)) == before

    monkeypatch.setattr(engine, "ACTIVE_SECONDS", 0)
    assert session.touch()
    after = in_cassandra(id_of(session))
    assert before is not None
    assert after is not None
    assert after.last_active_at >= before.last_active_at
    assert after.written_at == before.written_at + 1
    assert after.created_at == before.created_at


def test_note_of_use_never_undoes_a_change_made_meanwhile(user: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "ACTIVE_SECONDS", 0)
    key = key_of(signed_in(user))
    using, changing = SessionStore(key), SessionStore(key)
    using.items()
    changing["colour"] = "red"
    changing.save()

    using.touch()

    record = in_cassandra(id_of(using))
    assert record == in_redis(id_of(using))
    assert record is not None
    assert using.decode(record.data)["colour"] == "red"


def test_late_save_of_an_ended_session_is_refused_and_revives_nothing(user: User) -> None:
    key = key_of(signed_in(user))
    late = SessionStore(key)
    late["colour"] = "red"
    SessionStore(key).delete()

    with pytest.raises(UpdateError):
        late.save()

    assert not is_alive(key)
    assert (in_redis(id_of(late)), in_cassandra(id_of(late))) == (None, None)


def test_late_row_of_an_ended_session_stays_invisible(user: User) -> None:
    """As written by a process that did not see the tombstone in Redis."""
    session = signed_in(user)
    record = in_cassandra(id_of(session))
    assert record is not None
    store.end(id_of(session))

    rows.save(record)

    assert in_cassandra(id_of(session)) is None
    assert read(SESSIONS_BY_USER.select("user_id = ?", str(user.pk))) == []


def test_copy_made_by_a_reader_that_was_overtaken_by_the_end_is_refused(user: User) -> None:
    session = signed_in(user)
    read_before = in_cassandra(id_of(session))
    assert read_before is not None
    store.end(id_of(session))

    assert not cache.save(read_before, synced=True, queued=False)
    assert not is_alive(key_of(session))


def test_nothing_that_is_logged_or_shown_holds_the_key(user: User, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with capture_logs() as logged:
        session = signed_in(user)
        key = key_of(session)
        SessionStore(key).items()
        late = SessionStore(key)
        late["colour"] = "red"
        session.flush()
        with pytest.raises(UpdateError) as refused:
            late.save()

    record = SessionStore(key)
    shown = (repr(session), repr(late), repr(record), repr(in_redis(id_of(late))), repr(refused.value), caplog.text)
    assert key not in str((logged, shown))
