"""logout, logoutEverywhere and the list of devices, through the web server."""

from functools import partial
from typing import Any

import pytest
from django.test import Client

from gateway.accounts.demo import PASSWORD as DEMO_PASSWORD
from gateway.accounts.demo import ensure_demo_accounts
from gateway.accounts.models import User
from gateway.accounts.tests.sessions import is_alive
from gateway.tests.races import at_once
from gateway.tests.web_servers import Server
from gateway.viewer.tests.visitor import PAYLOAD, Visitor, bearer

LOGOUT = f"mutation {{ logout {PAYLOAD} }}"
EVERYWHERE = f"mutation {{ logoutEverywhere {PAYLOAD} }}"
DEVICES = "{ viewer { user { sessions { id device ipAddress current createdAt lastActiveAt } } } }"

GUEST: dict[str, Any] = {"token": None, "viewer": {"user": None}, "userErrors": [], "warnings": []}


def devices(visitor: Visitor) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = visitor.ask(DEVICES)["viewer"]["user"]["sessions"]
    return found


@pytest.mark.usefixtures("ivan")
def test_logout_ends_the_session_and_takes_the_cookie_away(visitor: Visitor) -> None:
    token = visitor.login()["token"]

    answer = visitor.send(LOGOUT)

    assert answer.json()["data"]["logout"] == GUEST
    assert answer.headers["set-cookie"].startswith('sessionid=""; ')
    assert "Max-Age=0" in answer.headers["set-cookie"]
    assert visitor.cookie is None
    assert not is_alive(token)
    assert visitor.email(**bearer(token)) is None


@pytest.mark.usefixtures("ivan")
def test_logout_by_token_leaves_cookies_alone(visitor: Visitor, another: Visitor) -> None:
    token = visitor.login()["token"]

    answer = another.send(LOGOUT, None, **bearer(token))

    assert answer.json()["data"]["logout"] == GUEST
    assert "set-cookie" not in answer.headers
    assert not is_alive(token)


def test_logout_without_a_session_changes_nothing_and_succeeds(visitor: Visitor) -> None:
    answer = visitor.send(LOGOUT)

    assert answer.json()["data"]["logout"] == GUEST
    assert "set-cookie" not in answer.headers


@pytest.mark.usefixtures("ivan")
def test_logout_ends_no_other_session(visitor: Visitor, another: Visitor) -> None:
    visitor.login()
    another.login()

    visitor.ask(LOGOUT)

    assert another.email() == "ivan@example.com"
    assert len(devices(another)) == 1


@pytest.mark.usefixtures("ivan")
def test_devices_are_listed_newest_first_with_the_current_one_marked(visitor: Visitor, another: Visitor) -> None:
    visitor.login(**{"user-agent": "Phone"})
    another.login(**{"user-agent": "Laptop" + "x" * 500})

    seen = devices(visitor)

    assert [device["current"] for device in seen] == [False, True]
    assert [device["device"] for device in seen] == [("Laptop" + "x" * 500)[:200], "Phone"]
    assert {device["ipAddress"] for device in seen} == {"127.0.0.1"}
    assert len({device["id"] for device in seen}) == 2
    assert str(visitor.cookie) not in str(seen)


@pytest.mark.usefixtures("ivan")
def test_devices_of_others_are_not_listed(visitor: Visitor, another: Visitor) -> None:
    another.register("anna@example.com")
    visitor.login()

    assert len(devices(visitor)) == 1


@pytest.mark.usefixtures("ivan")
def test_logout_everywhere_ends_every_session_but_this(visitor: Visitor, another: Visitor) -> None:
    token = visitor.login()["token"]
    other = another.login()["token"]

    done = visitor.ask(EVERYWHERE)["logoutEverywhere"]

    assert done == {
        "token": token,
        "viewer": {"user": {"email": "ivan@example.com"}},
        "userErrors": [],
        "warnings": [],
    }
    assert visitor.email() == "ivan@example.com"
    assert another.email() is None
    assert not is_alive(other)
    assert [device["current"] for device in devices(visitor)] == [True]


def test_logout_everywhere_of_a_guest_is_refused(visitor: Visitor) -> None:
    done = visitor.ask(EVERYWHERE)["logoutEverywhere"]

    error = {"code": "UNAUTHENTICATED", "field": None, "message": "Войдите в систему."}
    assert done == {"token": None, "viewer": None, "userErrors": [error], "warnings": []}


def test_of_two_devices_that_log_out_everywhere_at_once_one_stays(server: Server, ivan: User) -> None:
    with Visitor(str(server.client.base_url)) as phone, Visitor(str(server.client.base_url)) as laptop:
        visitors = [phone, laptop]
        for visitor in visitors:
            visitor.login()

        at_once(*[partial(visitor.ask, EVERYWHERE) for visitor in visitors])

        emails = [visitor.email() for visitor in visitors]
        assert sorted(map(str, emails)) == ["None", "ivan@example.com"]
        assert len(devices(visitors[emails.index("ivan@example.com")])) == 1


# ---------------------------------------------------------------- the admin


def test_staff_signs_in_to_the_admin_sees_a_page_and_signs_out(ivan: User) -> None:
    ensure_demo_accounts()
    browser = Client()
    staff = {"username": "staff@mobile-world.example", "password": DEMO_PASSWORD}

    assert browser.post("/admin/login/?next=/admin/", staff).status_code == 302
    token = browser.cookies["sessionid"].value
    assert browser.get("/admin/accounts/user/").status_code == 200
    assert browser.cookies["sessionid"]["httponly"]
    assert browser.post("/admin/logout/").status_code == 200

    assert not is_alive(token)
    assert browser.get("/admin/").status_code == 302


def test_session_of_the_admin_is_the_session_of_the_api_by_cookie_and_by_token(visitor: Visitor) -> None:
    ensure_demo_accounts()
    token = visitor.login("staff@mobile-world.example", DEMO_PASSWORD)["token"]

    assert visitor.http.get("/admin/").status_code == 200
    visitor.http.cookies.clear()
    page = visitor.http.get("/admin/", headers=bearer(token))
    assert page.status_code == 200
    assert "sessionid" not in page.headers.get("set-cookie", "")
    assert visitor.http.get("/admin/").status_code == 302


def test_guesses_at_the_admins_door_count_against_the_same_limits(visitor: Visitor) -> None:
    ensure_demo_accounts()
    browser = Client()
    for number in range(10):
        wrong = {"username": "staff@mobile-world.example", "password": f"wrong {number}"}
        assert browser.post("/admin/login/", wrong).status_code == 200

    right = {"username": "staff@mobile-world.example", "password": DEMO_PASSWORD}
    refused = browser.post("/admin/login/", right)

    assert "Слишком много неудачных попыток входа" in refused.content.decode()
    assert "sessionid" not in browser.cookies
    assert visitor.login(right["username"], DEMO_PASSWORD)["userErrors"][0]["code"] == "RATE_LIMITED"
