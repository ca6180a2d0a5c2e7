"""A member of staff comes by invitation, and chooses a name and a password once."""

import time
from collections.abc import Callable

import pytest
from django.contrib.auth import authenticate
from django.test import Client
from pymongo.database import Database

from gateway.accounts.models import User
from gateway.accounts.roles import SUPPORT
from gateway.mongo.client import Document
from gateway.staff.tests.browser import signed_in
from gateway.tests.races import at_once
from ordering.tests.postbox import Postbox, subject

ADD = "/admin/accounts/user/add/"
NEW = "new.person@mobile-world.example"
PASSWORD = "a long enough secret 42"

Links = Callable[[], list[str]]


@pytest.fixture
def administrator(team: Callable[[str], User]) -> Client:
    return signed_in("administrator")


def accept(link: str, password: str = PASSWORD) -> int:
    return Client().post(link, {"name": "Новая Сотрудница", "password": password}).status_code


def test_invited_person_chooses_a_password_and_has_the_role(
    administrator: Client, links: Links, postbox: Postbox, database: Database[Document]
) -> None:
    administrator.post(ADD, {"email": NEW.upper(), "roles": [SUPPORT]})

    (letter,), (link,) = postbox.letters, links()
    assert (subject(letter), letter["To"]) == ("Приглашение в «Мобильный мир»", NEW)
    assert Client().get(link).status_code == 200
    assert accept(link) == 302
    user = authenticate(username=NEW, password=PASSWORD)
    assert isinstance(user, User)
    assert (user.name, user.is_staff, user.invited_at) == ("Новая Сотрудница", True, None)
    assert user.has_perm("ordering.change_order")
    (entry,) = database["audit"].find({"action": "staff.invited"})
    assert entry["actor"] == "administrator@mobile-world.example"
    assert entry["changes"]["roles"] == [None, [SUPPORT]]


def test_link_works_once_also_for_two_at_once(administrator: Client, links: Links) -> None:
    administrator.post(ADD, {"email": NEW, "roles": [SUPPORT]})
    (link,) = links()

    answers = at_once(*[lambda: accept(link)] * 3)

    assert sorted(answers).count(302) == 1
    assert accept(link, "another long secret 42") == 200
    assert authenticate(username=NEW, password=PASSWORD) is not None


def test_weak_password_is_refused_beside_its_field(administrator: Client, links: Links) -> None:
    administrator.post(ADD, {"email": NEW, "roles": [SUPPORT]})

    assert accept(links()[0], "12345") == 200
    assert accept(links()[0]) == 302


def test_second_letter_makes_the_first_link_dead(administrator: Client, links: Links) -> None:
    administrator.post(ADD, {"email": NEW, "roles": [SUPPORT]})
    member = User.objects.get(email=NEW)

    administrator.post(f"/admin/accounts/user/{member.pk}/invite/")

    first, second = links()
    assert accept(first) == 200
    assert accept(second) == 302


def test_an_expired_or_made_up_link_says_so(
    administrator: Client, links: Links, monkeypatch: pytest.MonkeyPatch
) -> None:
    administrator.post(ADD, {"email": NEW, "roles": [SUPPORT]})
    (link,) = links()
    week_later = time.time() + 7 * 24 * 3600 + 60
    monkeypatch.setattr("django.core.signing.time.time", lambda: week_later)

    for address in (link, "/admin/invitation/made-up/", link[:-3] + "x/"):
        answer = Client().get(address)
        assert "Ссылка больше не действует" in answer.content.decode()
    assert accept(link) == 200
    assert not User.objects.get(email=NEW).has_usable_password()


def test_letter_that_does_not_go_leaves_the_account_to_be_invited_again(
    administrator: Client, postbox: Postbox
) -> None:
    postbox.refused.add(NEW)

    answer = administrator.post(ADD, {"email": NEW, "roles": [SUPPORT]}, follow=True)

    assert "письмо не ушло" in answer.content.decode()
    assert User.objects.get(email=NEW).invited_at is not None


def test_address_of_somebody_else_is_refused(administrator: Client, postbox: Postbox) -> None:
    for email in ("customer@mobile-world.example", "support@mobile-world.example"):
        answer = administrator.post(ADD, {"email": email, "roles": [SUPPORT]})
        assert "уже есть" in answer.content.decode()

    assert postbox.letters == []
    assert not User.objects.get(email="customer@mobile-world.example").is_staff


def test_invited_person_cannot_sign_in_before(administrator: Client, links: Links) -> None:
    administrator.post(ADD, {"email": NEW, "roles": [SUPPORT]})

    assert authenticate(username=NEW, password="") is None


def test_only_administrators_invite(team: Callable[[str], User], postbox: Postbox) -> None:
    for login in ("senior", "support", "operator", "merchandiser", "analyst"):
        assert signed_in(login).post(ADD, {"email": NEW, "roles": [SUPPORT]}).status_code == 403

    assert postbox.letters == []
