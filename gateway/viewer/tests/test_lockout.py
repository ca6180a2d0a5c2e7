"""A stranger who guesses keeps nobody but themselves out, through the web server."""

from collections.abc import Callable, Iterator

import pytest
from django.conf import settings
from django.test import Client
from pymongo.database import Database

from gateway.accounts.demo import PASSWORD as DEMO_PASSWORD
from gateway.accounts.demo import ensure_demo_accounts
from gateway.accounts.models import User
from gateway.mongo.client import Document
from gateway.redis.clients import cache_client
from gateway.tests.web_servers import Server
from gateway.viewer.tests.visitor import PASSWORD, Visitor, bearer

IVAN, STAFF = "ivan@example.com", "staff@mobile-world.example"
WRONG = "wrong"
HOME, ELSEWHERE, ATTACKER = "192.0.2.10", "192.0.2.99", "203.0.113.9"


def from_(address: str) -> dict[str, str]:
    return {"x-forwarded-for": address}


@pytest.fixture
def attacker(server: Server, database: Database[Document]) -> Iterator[Visitor]:
    with Visitor(str(server.client.base_url)) as visitor:
        yield visitor


def codes(visitor: Visitor, email: str = IVAN, password: str = WRONG, **headers: str) -> list[str]:
    return [error["code"] for error in visitor.login(email, password, **headers)["userErrors"]]


def attack(attacker: Visitor, email: str = IVAN) -> None:
    """From one network until it has to wait, then patiently from many until all strangers have to wait for long."""
    for guess in range(40):
        for key in cache_client().scan_iter("attempts:strangers:*"):
            cache_client().hdel(key, "free_at")
        codes(attacker, email, **from_(ATTACKER if guess < 15 else f"198.51.100.{guess}"))
    assert codes(attacker, email, **from_("198.51.100.200")) == ["RATE_LIMITED"]


@pytest.mark.usefixtures("ivan")
def test_owner_signs_in_on_a_known_device_from_anywhere_while_strangers_guess(
    visitor: Visitor, attacker: Visitor
) -> None:
    visitor.login(**from_(HOME))
    visitor.ask("mutation { logout { token } }")
    attack(attacker)

    assert codes(visitor, IVAN, PASSWORD, **from_(ELSEWHERE)) == []
    assert visitor.email() == IVAN


@pytest.mark.usefixtures("ivan")
def test_owner_signs_in_from_a_known_network_with_an_app_that_keeps_no_cookies(
    visitor: Visitor, another: Visitor, attacker: Visitor
) -> None:
    token = visitor.login(**from_(HOME))["token"]
    attack(attacker)

    assert codes(another, IVAN, PASSWORD, **from_(ELSEWHERE)) == ["RATE_LIMITED"]
    assert codes(another, IVAN, PASSWORD, **from_(HOME), **bearer(token)) == []


@pytest.mark.usefixtures("ivan")
def test_app_with_a_token_may_keep_the_devices_cookie_too(
    visitor: Visitor, another: Visitor, attacker: Visitor
) -> None:
    token = visitor.login(**from_(HOME))["token"]
    visitor.http.cookies.clear()
    visitor.login(**from_(HOME), **bearer(token))
    known = visitor.http.cookies["known_device"]
    attack(attacker)

    assert visitor.cookie is None
    assert codes(another, IVAN, PASSWORD, **from_(ELSEWHERE), cookie=f"known_device={known}") == []


@pytest.mark.usefixtures("ivan")
def test_owner_on_a_new_device_is_not_kept_out_by_one_network(visitor: Visitor, attacker: Visitor) -> None:
    outcomes = [codes(attacker, **from_(ATTACKER)) for _ in range(50)]

    assert outcomes == [["BAD_CREDENTIALS"]] * 10 + [["RATE_LIMITED"]] * 40
    assert codes(visitor, IVAN, PASSWORD, **from_(ELSEWHERE)) == []


@pytest.mark.usefixtures("ivan")
def test_device_of_ones_own_account_helps_nobody_to_guess_at_another(visitor: Visitor, attacker: Visitor) -> None:
    attacker.register("attacker@example.com", **from_(ATTACKER))
    assert "known_device" in attacker.http.cookies

    outcomes = [codes(attacker, **from_(ATTACKER)) for _ in range(12)]

    assert outcomes == [["BAD_CREDENTIALS"]] * 10 + [["RATE_LIMITED"]] * 2


@pytest.mark.usefixtures("ivan")
def test_signing_out_everywhere_makes_strangers_of_other_devices_and_not_of_this(
    visitor: Visitor, another: Visitor, attacker: Visitor
) -> None:
    another.login(**from_(HOME))
    visitor.login(**from_(HOME))
    visitor.ask("mutation { logoutEverywhere { userErrors { code } } }", None, **from_(HOME))
    attack(attacker)

    assert codes(another, IVAN, PASSWORD, **from_(ELSEWHERE)) == ["RATE_LIMITED"]
    assert codes(visitor, IVAN, PASSWORD, **from_(ELSEWHERE)) == []


@pytest.mark.usefixtures("ivan")
def test_answers_do_not_tell_whether_an_account_exists(visitor: Visitor, attacker: Visitor) -> None:
    visitor.login(**from_(HOME))

    known, unknown = (
        [codes(attacker, email, **from_(f"198.51.100.{guess % 4}")) for guess in range(30)]
        for email in (IVAN, "nobody@example.com")
    )

    assert known == unknown
    assert known.count(["BAD_CREDENTIALS"]) == 20


def test_staff_sign_in_to_the_admin_on_a_known_device_while_strangers_guess_at_its_door(
    database: Database[Document], attacker: Visitor
) -> None:
    ensure_demo_accounts()
    browser, stranger = Client(REMOTE_ADDR=ELSEWHERE), Client(REMOTE_ADDR=ATTACKER)
    right = {"username": STAFF, "password": DEMO_PASSWORD}
    assert browser.post("/admin/login/", right).status_code == 302
    cookie = browser.cookies["known_device"]
    browser.post("/admin/logout/")
    pages = [stranger.post("/admin/login/", {**right, "password": "wrong"}).content.decode() for _ in range(12)]
    attack(attacker, STAFF)

    refused = stranger.post("/admin/login/", right)
    browser.defaults["REMOTE_ADDR"] = HOME
    entered = browser.post("/admin/login/", right)

    assert ["Слишком много неудачных" in page for page in pages] == [False] * 10 + [True] * 2
    assert (refused.status_code, entered.status_code) == (200, 302)
    assert (cookie["httponly"], cookie["samesite"], cookie["max-age"]) == (True, "Lax", 31536000)
    assert (cookie["secure"] or False) == settings.SESSION_COOKIE_SECURE


@pytest.mark.parametrize("empty", [{"password": ""}, {"username": ""}, {"username": "", "password": ""}])
def test_empty_field_in_the_admins_form_is_no_attempt(database: Database[Document], empty: dict[str, str]) -> None:
    ensure_demo_accounts()
    browser = Client()
    right = {"username": STAFF, "password": DEMO_PASSWORD}

    pages = [browser.post("/admin/login/", {**right, **empty}).status_code for _ in range(12)]

    assert pages == [200] * 12
    assert "known_device" not in browser.cookies
    assert browser.post("/admin/login/", right).status_code == 302


def test_accounts_made_from_one_network_are_limited_and_refusals_are_not_counted(
    serve: Callable[..., Server], database: Database[Document]
) -> None:
    server = serve(REGISTRATIONS_PER_ADDRESS="3")
    with Visitor(str(server.client.base_url)) as visitor:
        refused = [visitor.register("nobody", **from_(ATTACKER))["userErrors"][0]["code"] for _ in range(5)]
        made = [visitor.register(f"{number}@example.com", **from_(ATTACKER))["userErrors"] for number in range(5)]
        elsewhere = visitor.register("elsewhere@example.com", **from_(ELSEWHERE))["userErrors"]

    assert refused == ["INVALID"] * 5
    assert [[error["code"] for error in errors] for errors in made] == [[]] * 3 + [["RATE_LIMITED"]] * 2
    assert made[3][0]["message"].startswith("Из вашей сети зарегистрировано слишком много учётных записей.")
    assert elsewhere == []
    assert User.objects.count() == 4
