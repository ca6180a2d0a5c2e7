"""A process goes by the viewer that it looked up a moment ago: in queries alone, and for a second."""

import asyncio
import time
from importlib import import_module

import pytest
from django.conf import settings as configured
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.auth.models import AnonymousUser
from pymongo.database import Database
from pytest_django import Settings

from gateway.accounts.models import User
from gateway.accounts.owners import session_hash
from gateway.accounts.sessions import remembered, store
from gateway.accounts.sessions.remembered import Remembered
from gateway.graphql.context import RequestContext
from gateway.mongo.client import Document
from gateway.mongo.commands import COMMANDS


@pytest.fixture
def key(database: Database[Document], settings: Settings) -> str:
    """The key of a session, in a process that remembers viewers for longer than a test takes."""
    settings.SESSION_REMEMBERED_SECONDS = 60.0
    user = User.objects.create_user("ivan@example.com", "secret")
    session = import_module(configured.SESSION_ENGINE).SessionStore()
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = configured.AUTHENTICATION_BACKENDS[0]
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.save()
    found: str = session.session_key
    return found


def request(key: str, *, reads_only: bool) -> RequestContext:
    scope = {"headers": [(b"authorization", f"Bearer {key}".encode())]}
    context = RequestContext(scope, request_id="r", language="ru", client="192.0.2.1")
    context.reads_only = reads_only
    return context


def email(context: RequestContext) -> str | None:
    user = asyncio.run(context.user())
    return None if isinstance(user, AnonymousUser) else user.email


def test_query_after_query_asks_nobody_and_is_personal(key: str) -> None:
    first, again = (request(key, reads_only=True) for _ in range(2))

    assert email(first) == "ivan@example.com"
    with COMMANDS.counted() as sent:
        assert email(again) == "ivan@example.com"

    assert sent == {}
    assert again.personal


def test_whoever_is_signed_out_elsewhere_changes_nothing_from_then_on(key: str) -> None:
    email(request(key, reads_only=True))

    store.end(session_hash(key))

    assert email(request(key, reads_only=False)) is None
    # As long as the setting says.
    assert email(request(key, reads_only=True)) == "ivan@example.com"


def test_second_is_over(key: str, settings: Settings) -> None:
    email(request(key, reads_only=True))
    store.end(session_hash(key))

    settings.SESSION_REMEMBERED_SECONDS = 0.0

    assert email(request(key, reads_only=True)) is None


def test_whoever_signs_out_here_is_forgotten_at_once(key: str) -> None:
    email(request(key, reads_only=True))
    store.end(session_hash(key))

    async def sign_out() -> None:
        request(key, reads_only=False).sign_out()

    asyncio.run(sign_out())

    assert email(request(key, reads_only=True)) is None


def test_changes_look_everybody_up_and_are_not_remembered(key: str) -> None:
    email(request(key, reads_only=False))

    with COMMANDS.counted() as sent:
        email(request(key, reads_only=True))

    assert {each.collection for each in sent} == {"accounts_user"}


def test_unknown_sessions_are_not_remembered(key: str) -> None:
    assert email(request("A" * 22, reads_only=True)) is None
    with COMMANDS.counted() as sent:
        assert email(request("A" * 22, reads_only=True)) is None

    assert sent == {}


def test_people_are_remembered_within_a_bound(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.SESSION_REMEMBERED_SECONDS = 60.0
    monkeypatch.setattr(remembered, "MOST", 3)
    people: Remembered[str] = Remembered()

    for name in ("a", "b", "c", "d"):
        people.keep(name, name, asked_at=time.monotonic())

    assert [people.find(name) for name in ("a", "b", "c", "d")] == [None, "b", "c", "d"]
