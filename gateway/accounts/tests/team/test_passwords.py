"""A forgotten password: a letter with a link that works once, and an answer that tells strangers nothing."""

from collections.abc import Callable

import pytest
from django.contrib.auth import authenticate
from django.test import Client
from pymongo.database import Database
from pytest_django import Settings

from gateway.accounts.models import User
from gateway.mongo.client import Document
from gateway.staff.tests.browser import signed_in
from ordering.tests.postbox import Postbox

FORGOTTEN = "/admin/password/"
PASSWORD = "a long enough secret 42"

Team = Callable[[str], User]
Links = Callable[[], list[str]]


def ask(email: str) -> str:
    return Client().post(FORGOTTEN, {"email": email}, follow=True).content.decode()


def test_page_of_signing_in_leads_to_it(team: Team) -> None:
    assert f'href="{FORGOTTEN}"' in Client().get("/admin/login/").content.decode()


def test_new_password_is_chosen_once_and_ends_sessions(
    team: Team, links: Links, wait_for_letters: Callable[[int], None], database: Database[Document]
) -> None:
    browser = signed_in("support")
    ask(" Support@Mobile-World.example ")
    wait_for_letters(1)
    (link,) = links()

    assert Client().post(link, {"password": PASSWORD}).status_code == 302

    assert authenticate(username="support@mobile-world.example", password=PASSWORD) is not None
    assert browser.get("/admin/").status_code == 302
    assert "Ссылка больше не действует" in Client().post(link, {"password": "other long 42 one"}).content.decode()
    assert database["audit"].count_documents({"action": "staff.password_reset"}) == 1


def test_answer_is_the_same_for_everybody_and_customers_get_no_letter(
    team: Team, postbox: Postbox, wait_for_letters: Callable[[int], None]
) -> None:
    answers = {
        ask(email).replace(email, "")
        for email in ("nobody@example.com", "customer@mobile-world.example", "support@mobile-world.example")
    }

    wait_for_letters(1)
    assert len({"Если такой сотрудник есть" in answer for answer in answers}) == 1
    assert [letter["To"] for letter in postbox.letters] == ["support@mobile-world.example"]


def test_asking_is_limited_like_signing_in(team: Team, settings: Settings, postbox: Postbox) -> None:
    settings.SIGN_IN_FAILURES_PER_ACCOUNT = 2

    answers = [ask("support@mobile-world.example") for _ in range(3)]

    assert ["Слишком много" in answer for answer in answers] == [False, False, True]


@pytest.mark.usefixtures("postbox")
def test_link_of_an_invitation_resets_nothing(team: Team, links: Links) -> None:
    signed_in("administrator").post(
        "/admin/accounts/user/add/", {"email": "n@mobile-world.example", "roles": ["Поддержка"]}
    )
    (link,) = links()

    answer = Client().get(link.replace("/invitation/", "/password/"))

    assert "Ссылка больше не действует" in answer.content.decode()
