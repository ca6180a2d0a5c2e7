"""Codes after the password: asked of those who enrolled, used once, and no way round them."""

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import httpx
import pytest
from django.conf import settings as django_settings
from django.test import Client
from pymongo.database import Database
from pyotp.totp import TOTP
from pytest_django import Settings

from gateway.accounts.demo import PASSWORD
from gateway.accounts.models import User
from gateway.accounts.second_factor import codes
from gateway.accounts.second_factor.codes import accept_code, pending_secret
from gateway.mongo.client import Document
from gateway.staff.tests.browser import signed_in
from gateway.tests.races import at_once

CODE, SET_UP = "/admin/second-factor/", "/admin/second-factor/set-up/"

Team = Callable[[str], User]


class Telephone:
    """Shows codes of half minutes of its own, each one later, so that tests need not wait for the next."""

    def __init__(self, secret: str, monkeypatch: pytest.MonkeyPatch) -> None:
        self._totp = TOTP(secret)
        self._now = time.time()
        monkeypatch.setattr(codes, "now", lambda: self._now)

    def next_code(self) -> str:
        self._now += 30
        return self._totp.at(int(self._now))


@pytest.fixture
def telephone(team: Team, monkeypatch: pytest.MonkeyPatch) -> Telephone:
    return Telephone(pending_secret(team("support")), monkeypatch)


def enrolled(telephone: Telephone) -> tuple[Client, list[str]]:
    browser = signed_in("support")
    browser.get(SET_UP)
    answer = browser.post(SET_UP, {"code": telephone.next_code()})
    return browser, answer.context["codes"]


def test_enrolment_shows_the_secret_and_the_recovery_codes_once(
    team: Team, telephone: Telephone, database: Database[Document]
) -> None:
    browser = signed_in("support")
    shown = browser.get(SET_UP).content.decode()
    secret = pending_secret(team("support"))
    assert "<svg" in shown
    assert secret in shown

    answer = browser.post(SET_UP, {"code": telephone.next_code()})

    recovery = answer.context["codes"]
    assert len(set(recovery)) == 10
    assert secret not in answer.content.decode()
    assert browser.get("/admin/").status_code == 200
    assert browser.get(SET_UP).status_code == 404
    stored = str(list(database["second_factors"].find()))
    assert not any(text in stored for text in [secret, *recovery])
    assert database["audit"].count_documents({"action": "staff.second_factor_changed"}) == 1


def test_wrong_code_enrols_nothing(team: Team, telephone: Telephone) -> None:
    browser = signed_in("support")

    answer = browser.post(SET_UP, {"code": "000000"})

    assert "Неверный код" in answer.content.decode()
    assert team("support").second_factor_at is None


def test_code_is_asked_after_the_password(team: Team, telephone: Telephone) -> None:
    enrolled(telephone)
    browser = signed_in("support")
    answer = browser.get("/admin/ordering/order/", follow=True)
    assert answer.redirect_chain[-1][0].startswith(CODE)

    assert browser.post(CODE, {"code": "123456"}).status_code == 200
    passed = browser.post(f"{CODE}?next=/admin/ordering/order/", {"code": telephone.next_code()})

    assert (passed.status_code, passed["Location"]) == (302, "/admin/ordering/order/")
    assert browser.get("/admin/ordering/order/").status_code == 200


def test_code_works_once_also_at_the_same_moment(team: Team, telephone: Telephone) -> None:
    enrolled(telephone)
    code, support = telephone.next_code(), team("support")

    accepted = at_once(*[partial(accept_code, support, code)] * 4)

    assert sorted(accepted) == [False, False, False, True]
    assert not accept_code(support, code)


def test_recovery_code_works_once(team: Team, telephone: Telephone) -> None:
    _, recovery = enrolled(telephone)
    support = team("support")

    assert at_once(*[partial(accept_code, support, recovery[0].lower())] * 3).count(True) == 1
    assert not accept_code(support, recovery[0])
    assert accept_code(support, recovery[1].replace("-", " "))


def test_guesses_are_limited(team: Team, telephone: Telephone, settings: Settings) -> None:
    enrolled(telephone)
    browser = signed_in("support")
    settings.SIGN_IN_FAILURES_PER_ACCOUNT = 2

    answers = [browser.post(CODE, {"code": "123456"}).content.decode() for _ in range(3)]

    assert ["Слишком много" in answer for answer in answers] == [False, False, True]
    assert browser.post(CODE, {"code": telephone.next_code()}).status_code == 200


def test_next_leads_nowhere_else(team: Team, telephone: Telephone) -> None:
    enrolled(telephone)
    browser = signed_in("support")

    passed = browser.post(f"{CODE}?next=https://evil.example/", {"code": telephone.next_code()})

    assert passed["Location"] == "/admin/"


def test_sessions_from_before_have_no_rights_any_more(team: Team, telephone: Telephone) -> None:
    before = signed_in("support")
    enrolled(telephone)

    assert before.get("/admin/").status_code == 302


def test_required_means_that_nobody_works_without(team: Team, telephone: Telephone, settings: Settings) -> None:
    settings.STAFF_SECOND_FACTOR = "required"
    browser = signed_in("support")

    assert browser.get("/admin/", follow=True).redirect_chain[-1][0] == SET_UP
    browser.post(SET_UP, {"code": telephone.next_code()})

    assert browser.get("/admin/").status_code == 200


def test_off_asks_nobody(team: Team, telephone: Telephone, settings: Settings) -> None:
    enrolled(telephone)
    settings.STAFF_SECOND_FACTOR = "off"

    assert signed_in("support").get("/admin/").status_code == 200


def test_administrator_resets_it_on_record(team: Team, telephone: Telephone, database: Database[Document]) -> None:
    browser, _ = enrolled(telephone)
    address = f"/admin/accounts/user/{team('support').pk}/second-factor/"

    assert signed_in("senior").post(address).status_code == 403
    signed_in("administrator").post(address)

    assert team("support").second_factor_at is None
    assert browser.get("/admin/").status_code == 302
    assert signed_in("support").get("/admin/").status_code == 200
    found = database["audit"].find({"action": "staff.second_factor_changed"}).sort("_id", -1)
    assert next(found)["actor"] == "administrator@mobile-world.example"


LOGIN = "mutation($e: String!, $p: String!) { login(email: $e, password: $p) { token viewer { user { email } } } }"
LOOKUP = '{ orderLookup(query: "nobody@example.com", first: 1) { edges { node { id } } } }'


def test_api_gives_no_rights_of_staff_to_a_password_alone(team: Team, telephone: Telephone, web: httpx.Client) -> None:
    def log_in() -> Any:
        variables = {"e": "support@mobile-world.example", "p": PASSWORD}
        return web.post("/graphql", json={"query": LOGIN, "variables": variables}).json()["data"]["login"]

    def may_look_up(token: str) -> bool:
        headers = {"authorization": f"Bearer {token}"}
        return "errors" not in web.post("/graphql", json={"query": LOOKUP}, headers=headers).json()

    assert may_look_up(log_in()["token"])
    browser, _ = enrolled(telephone)

    logged_in = log_in()

    assert logged_in["viewer"]["user"]["email"] == "support@mobile-world.example"
    assert not may_look_up(logged_in["token"])
    assert may_look_up(browser.cookies[django_settings.SESSION_COOKIE_NAME].value)
