"""What resolvers know of their request, and what asking makes of the answer."""

import asyncio
from importlib import import_module

import pytest
from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.auth.models import AnonymousUser
from pymongo.database import Database
from pytest_django import Settings

from gateway.accounts.models import User
from gateway.accounts.owners import customer_owner, guest_owner, session_hash
from gateway.accounts.sessions import engine, store
from gateway.accounts.sessions.cookies import expiring_cookie, setting_cookie
from gateway.domain.texts import Language, accepted_language
from gateway.fallback import noting_degradation
from gateway.graphql.context import RequestContext
from gateway.mongo.client import Document
from gateway.mongo.outage import MongoUnavailable


def context(**headers: str) -> RequestContext:
    pairs = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    return RequestContext({"headers": pairs}, request_id="r", language="ru", client="192.0.2.1", address="2001:db8::1")


@pytest.fixture
def session_key(database: Database[Document]) -> str:
    """The session key of a merchandiser signed in to the admin."""
    user = User.objects.create_user("staff@example.com", "secret", is_staff=True)
    session = import_module(settings.SESSION_ENGINE).SessionStore()
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.save()
    key: str = session.session_key
    return key


def test_user_is_whoever_is_signed_in_to_the_admin(session_key: str) -> None:
    request = context(cookie=f"theme=dark; {settings.SESSION_COOKIE_NAME}={session_key}")

    async def twice() -> list[User | AnonymousUser]:
        return list(await asyncio.gather(request.user(), request.user()))

    first, second = asyncio.run(twice())

    assert isinstance(first, User)
    assert first.email == "staff@example.com"
    assert second is first
    assert request.personal


@pytest.mark.parametrize("cookie", ["sessionid=unknown", "sessionid=", "theme=dark", 'a="', "sessionid=$ne; a b c"])
def test_unknown_session_is_anonymous_and_still_personal(database: Database[Document], cookie: str) -> None:
    request = context(cookie=cookie)

    assert isinstance(asyncio.run(request.user()), AnonymousUser)
    assert request.personal


def test_user_who_changed_the_password_is_signed_out(session_key: str) -> None:
    user = User.objects.get(email="staff@example.com")
    user.set_password("another")
    user.save()

    assert isinstance(asyncio.run(context(cookie=f"sessionid={session_key}").user()), AnonymousUser)


def test_use_after_a_while_renews_the_cookie(session_key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    soon, later = (context(cookie=f"sessionid={session_key}") for _ in range(2))
    asyncio.run(soon.user())
    monkeypatch.setattr(engine, "ACTIVE_SECONDS", 0)
    asyncio.run(later.user())
    by_token = context(authorization=f"Bearer {session_key}")
    asyncio.run(by_token.user())

    assert soon.cookie_headers() == by_token.cookie_headers() == []
    (renewed,) = later.cookie_headers()
    assert renewed.startswith(f"sessionid={session_key}; ")
    assert later.new_token is None


def test_cookie_is_secure_where_the_setting_says_so(settings: Settings) -> None:
    assert "Secure" not in setting_cookie("x")
    settings.SESSION_COOKIE_SECURE = True

    assert "Secure" in setting_cookie("x")
    assert "Secure" in expiring_cookie()


def test_guest_who_writes_gets_a_session_with_device_and_address(database: Database[Document]) -> None:
    request = context(user_agent="Phone")

    async def write() -> tuple[str | None, str, str | None]:
        return await request.owner(), await request.owner_to_write(), await request.owner()

    before, owner, after = asyncio.run(write())

    assert before is None
    assert owner == after == guest_owner(session_hash(request.new_token or ""))
    record = store.find(session_hash(request.new_token or ""))
    assert record is not None
    assert (record.device, record.ip_address, record.user_id) == ("Phone", "2001:db8::1", None)
    (cookie,) = request.cookie_headers()
    assert cookie.startswith(f"sessionid={request.new_token}; ")


def test_only_credentials_make_an_answer_personal() -> None:
    request = context(user_agent="curl", authorization="Bearer x", cookie="a=b")

    assert request.header("user-agent") == "curl"
    assert not request.personal
    assert request.authorization() == "Bearer x"
    assert request.personal


@pytest.mark.parametrize("name", ["Cookie", "AUTHORIZATION"])
def test_credentials_cannot_be_read_unnoticed(name: str) -> None:
    request = context()
    request.header(name)

    assert request.personal


@pytest.mark.parametrize(
    ("accept_language", "language"),
    [
        (None, "ru"),
        ("", "ru"),
        ("en", "en"),
        ("en-US,en;q=0.9", "en"),
        ("ru-RU,ru;q=0.9,en;q=0.8", "ru"),
        ("de, fr", "ru"),
        ("ru;q=0.1, en;q=0.2", "en"),
        ("en;q=0", "ru"),
        ("en;q=x", "ru"),
        ("*", "ru"),
    ],
)
def test_language_of_messages(accept_language: str | None, language: Language) -> None:
    assert accepted_language(accept_language) == language


def owner_told(request: RequestContext) -> tuple[str | None, bool]:
    """And whether the answer is marked for it."""
    with noting_degradation() as degradation:
        return asyncio.run(request.owner()), degradation.noted


def test_while_mongodb_is_away_the_session_tells_whose_orders_these_are_and_nothing_about_the_account(
    session_key: str, request: pytest.FixtureRequest
) -> None:
    user_id = User.objects.get().pk
    request.getfixturevalue("mongodb_away")

    assert owner_told(context(cookie=f"sessionid={session_key}")) == (customer_owner(user_id), True)
    with pytest.raises(MongoUnavailable):
        asyncio.run(context(cookie=f"sessionid={session_key}").user())


def test_session_that_has_ended_owns_nothing_while_mongodb_is_away_either(session_key: str, mongodb_away: None) -> None:
    store.end(session_hash(session_key))

    assert owner_told(context(cookie=f"sessionid={session_key}")) == (None, False)


def test_guest_is_known_by_the_session_whether_or_not_mongodb_is_there(mongodb_away: None) -> None:
    session = engine.SessionStore()
    session.create()

    owner = guest_owner(session_hash(session.session_key or ""))
    assert owner_told(context(cookie=f"sessionid={session.session_key}")) == (owner, False)


def test_nobody_gets_a_session_for_a_change_that_cannot_be_made(mongodb_away: None) -> None:
    request = context()

    with pytest.raises(MongoUnavailable):
        asyncio.run(request.owner_to_write())

    assert request.new_token is None
