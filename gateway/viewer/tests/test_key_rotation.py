"""A new SECRET_KEY signs nobody out, as long as the earlier one is among SECRET_KEY_FALLBACKS."""

from collections.abc import Callable

import pytest

from gateway.accounts.demo import PASSWORD as DEMO_PASSWORD
from gateway.accounts.demo import ensure_demo_accounts
from gateway.tests.web_servers import Server
from gateway.viewer.tests.visitor import Visitor, bearer

OLD, NEW = "old-" + "o" * 60, "new-" + "n" * 60
STAFF = "staff@mobile-world.example"
SESSIONS = "{ viewer { user { sessions { current } } } }"


@pytest.fixture(scope="module")
def before(serve: Callable[..., Server]) -> str:
    return str(serve(SECRET_KEY=OLD).client.base_url)


@pytest.fixture(scope="module")
def meanwhile(serve: Callable[..., Server]) -> str:
    return str(serve(SECRET_KEY=NEW, SECRET_KEY_FALLBACKS=OLD).client.base_url)


@pytest.fixture(scope="module")
def afterwards(serve: Callable[..., Server]) -> str:
    return str(serve(SECRET_KEY=NEW).client.base_url)


@pytest.fixture
def token(before: str, ivan: object) -> str:
    """The token of a session signed in under the old key."""
    with Visitor(before) as visitor:
        signed: str = visitor.login()["token"]
        return signed


def test_session_of_the_old_key_goes_on_under_the_new_one_with_the_same_token(
    token: str, meanwhile: str, afterwards: str
) -> None:
    with Visitor(meanwhile) as during, Visitor(afterwards) as later:
        seen = [during.email(**bearer(token)) for _ in range(2)]

        # Once used it needs the old key no longer.
        assert [*seen, later.email(**bearer(token))] == ["ivan@example.com"] * 3


def test_browser_keeps_its_cookie(token: str, meanwhile: str) -> None:
    with Visitor(meanwhile) as visitor:
        answer = visitor.send("{ viewer { user { email } } }", None, cookie=f"sessionid={token}")

    assert answer.json()["data"]["viewer"]["user"] == {"email": "ivan@example.com"}
    assert "set-cookie" not in answer.headers


def test_session_that_nobody_used_meanwhile_ends_with_the_old_key(token: str, afterwards: str) -> None:
    with Visitor(afterwards) as visitor:
        assert visitor.email(**bearer(token)) is None


def test_devices_signed_in_under_either_key_are_listed(token: str, before: str, meanwhile: str) -> None:
    with Visitor(before) as another:
        another.login()

    with Visitor(meanwhile) as visitor:
        listed = visitor.ask(SESSIONS, None, **bearer(token))["viewer"]["user"]["sessions"]

    assert sorted(device["current"] for device in listed) == [False, True]


def test_admin_goes_on_under_the_new_key_with_the_same_token(before: str, meanwhile: str, database: object) -> None:
    ensure_demo_accounts()
    with Visitor(before) as visitor:
        staff = visitor.login(STAFF, DEMO_PASSWORD)["token"]

    with Visitor(meanwhile) as visitor:
        page = visitor.http.get("/admin/", headers=bearer(staff))
        again = visitor.http.get("/admin/", headers=bearer(staff))

    assert (page.status_code, again.status_code) == (200, 200)


def test_sessions_of_the_old_key_end_everywhere_too(token: str, meanwhile: str) -> None:
    with Visitor(meanwhile) as phone, Visitor(meanwhile) as laptop:
        laptop.login()
        laptop.ask("mutation { logoutEverywhere { userErrors { code } } }")

        assert (laptop.email(), phone.email(**bearer(token))) == ("ivan@example.com", None)
