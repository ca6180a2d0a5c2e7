"""Requests of one session that happen at once, with real threads."""

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.sessions.backends.base import UpdateError
from pymongo.database import Database
from pytest_django import Settings

from gateway.accounts.models import User
from gateway.accounts.sessions.devices import devices_of
from gateway.accounts.sessions.engine import SessionStore
from gateway.accounts.sign_out import sign_out_everywhere
from gateway.accounts.tests.sessions import in_cassandra, in_redis, is_alive, key_of, signed_in
from gateway.domain.errors import NotSignedIn
from gateway.mongo.client import Document
from gateway.tests.races import at_once

pytestmark = pytest.mark.usefixtures("database", "fresh")

ROUNDS = 10


@pytest.fixture
def user(database: Database[Document]) -> User:
    return User.objects.create_user("ivan@example.com", "correct horse")


def together(*works: Callable[[], Any]) -> list[Any]:
    """What each gave when all ran at the same moment, or the kind of its refusal."""
    outcomes = at_once(*works, expected=(UpdateError, NotSignedIn))
    return [type(outcome) if isinstance(outcome, Exception) else outcome for outcome in outcomes]


def test_saves_racing_with_the_end_never_revive_the_session(user: User, settings: Settings) -> None:
    for _ in range(ROUNDS):
        key = key_of(signed_in(user))
        savers = [SessionStore(key) for _ in range(4)]
        for number, saver in enumerate(savers):
            saver["number"] = number
        session_id = savers[0].session_id or ""

        together(*(saver.save for saver in savers), SessionStore(key).delete, *(lambda: is_alive(key) for _ in "ab"))  # noqa: B023

        assert not is_alive(key)
        assert (in_redis(session_id), in_cassandra(session_id)) == (None, None)
    settings.SESSION_CACHE_SECONDS = 0
    assert devices_of(user) == []


def test_racing_saves_leave_both_servers_with_the_same(user: User) -> None:
    for _ in range(ROUNDS):
        key = key_of(signed_in(user))
        savers = [SessionStore(key) for _ in range(4)]
        for number, saver in enumerate(savers):
            saver["number"] = number
        session_id = savers[0].session_id or ""

        together(*(saver.save for saver in savers))

        assert in_redis(session_id) == in_cassandra(session_id) is not None


def test_of_two_devices_that_sign_out_everywhere_at_once_one_stays(user: User) -> None:
    for _ in range(ROUNDS):
        user = User.objects.get(pk=user.pk)
        sessions = [signed_in(user, device=name) for name in ("phone", "laptop")]

        def sign_out(session: SessionStore) -> Callable[[], str]:
            seen = User.objects.get(pk=user.pk)  # noqa: B023
            return lambda: str(sign_out_everywhere(seen, session).session_generation)

        outcomes = together(*map(sign_out, sessions))

        assert outcomes.count(NotSignedIn) == 1
        winner = sessions[1 - outcomes.index(NotSignedIn)]
        now = User.objects.get(pk=user.pk)
        assert [device.session_id for device in devices_of(now)] == [winner.session_id]
        assert now.session_generation == user.session_generation + 1


def test_sign_out_everywhere_that_a_change_of_password_overtook_is_refused(user: User) -> None:
    session = signed_in(user)
    thief = User.objects.get(pk=user.pk)
    user.set_password("another horse")
    user.save()

    with pytest.raises(NotSignedIn):
        sign_out_everywhere(thief, session)

    assert User.objects.get(pk=user.pk).session_generation == 0
    assert devices_of(User.objects.get(pk=user.pk)) == []


def test_session_ended_elsewhere_meanwhile_is_not_signed_in_again_by_signing_out_everywhere(user: User) -> None:
    key = key_of(signed_in(user))
    session = SessionStore(key)
    session.items()
    SessionStore(key).delete()

    with pytest.raises(NotSignedIn):
        sign_out_everywhere(user, session)

    assert not is_alive(key)
