"""accountUpdate and sessionEnd, through the web server."""

from functools import partial
from typing import Any

import pytest
from pymongo.database import Database

from gateway.accounts.demo import PASSWORD as DEMO_PASSWORD
from gateway.accounts.models import User
from gateway.accounts.tests.demo import make_demo_accounts
from gateway.accounts.tests.sessions import is_alive
from gateway.graphql.relay.ids import global_id
from gateway.mongo.client import Document
from gateway.tests.races import at_once
from gateway.tests.web_servers import Server
from gateway.viewer.tests.visitor import PASSWORD, Visitor, bearer, visitors

ANSWER = "{ user { email name phone } userErrors { code field message } }"
UPDATE = (
    "mutation ($name: String, $phone: String, $newPassword: String, $password: String)"
    " { accountUpdate(name: $name, phone: $phone, newPassword: $newPassword, password: $password)"
    f" {ANSWER} }}"
)
END = f"mutation ($id: ID!) {{ sessionEnd(id: $id) {ANSWER} }}"
ANOTHER_PASSWORD = "staple of the battery horse"
WHO = {"email": "ivan@example.com", "name": "Иван Петров", "phone": "+7 900 000-00-00"}


def update(visitor: Visitor, **wanted: str) -> Any:
    return visitor.ask(UPDATE, wanted)["accountUpdate"]


def end(visitor: Visitor, session: str) -> Any:
    return visitor.ask(END, {"id": session})["sessionEnd"]


def own_session(visitor: Visitor) -> str:
    sessions = visitor.ask("{ viewer { user { sessions { id current } } } }")["viewer"]["user"]["sessions"]
    (here,) = [session["id"] for session in sessions if session["current"]]
    return str(here)


def who(visitor: Visitor) -> Any:
    return visitor.ask("{ viewer { user { email name phone } } }")["viewer"]["user"]


def refusal(code: str, message: str, *field: str) -> dict[str, Any]:
    return {"user": None, "userErrors": [{"code": code, "field": list(field) or None, "message": message}]}


@pytest.mark.usefixtures("ivan")
def test_name_and_telephone_change_without_a_password_and_what_is_null_stays(visitor: Visitor) -> None:
    visitor.login()
    assert who(visitor) == WHO

    answer = update(visitor, name=" Иван Сидоров ")

    assert answer == {"user": {**WHO, "name": "Иван Сидоров"}, "userErrors": []}
    assert who(visitor) == {**WHO, "name": "Иван Сидоров"}
    assert update(visitor, phone="")["user"] == {**WHO, "name": "Иван Сидоров", "phone": ""}


def test_support_finds_the_customer_by_the_new_telephone(visitor: Visitor, ivan: User) -> None:
    visitor.login()

    update(visitor, phone="8 (912) 345-67-89")

    ivan.refresh_from_db()
    assert "phone:79123456789" in ivan.keys


@pytest.mark.usefixtures("ivan")
def test_new_password_ends_every_other_session_and_keeps_this_one(visitor: Visitor, another: Visitor) -> None:
    token = visitor.login()["token"]
    other = another.login()["token"]

    answer = update(visitor, newPassword=ANOTHER_PASSWORD, password=PASSWORD)

    assert answer == {"user": WHO, "userErrors": []}
    assert who(visitor) == WHO
    assert (is_alive(token), is_alive(other)) == (True, False)
    assert another.login()["userErrors"][0]["code"] == "BAD_CREDENTIALS"
    assert another.login(password=ANOTHER_PASSWORD)["userErrors"] == []


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, refusal("REQUIRED", "Обязательное поле.", "password")),
        ({"password": "wrong horse battery"}, refusal("BAD_CREDENTIALS", "Неверный пароль.", "password")),
        ({"password": "x" * 100_000}, refusal("BAD_CREDENTIALS", "Неверный пароль.", "password")),
        ({"password": "\0"}, refusal("BAD_CREDENTIALS", "Неверный пароль.", "password")),
    ],
)
def test_without_the_right_password_nothing_changes(
    visitor: Visitor, ivan: User, given: dict[str, str], expected: dict[str, Any]
) -> None:
    visitor.login()

    assert update(visitor, name="Пётр", newPassword=ANOTHER_PASSWORD, **given) == expected

    assert who(visitor) == WHO
    before = ivan.password
    ivan.refresh_from_db()
    assert ivan.password == before


@pytest.mark.usefixtures("ivan")
def test_all_that_is_wrong_is_told_at_once_in_the_names_of_the_arguments(visitor: Visitor) -> None:
    visitor.login()

    answer = update(visitor, name="x" * 151, phone="\0", newPassword="123", password=PASSWORD)

    assert [(error["code"], error["field"]) for error in answer["userErrors"]] == [
        ("INVALID", ["name"]),
        ("INVALID", ["phone"]),
        ("WEAK_PASSWORD", ["newPassword"]),
        ("WEAK_PASSWORD", ["newPassword"]),
        ("WEAK_PASSWORD", ["newPassword"]),
    ]
    assert who(visitor) == WHO


@pytest.mark.usefixtures("ivan")
def test_new_password_may_not_resemble_the_name_given_with_it(visitor: Visitor) -> None:
    visitor.login()

    answer = update(visitor, name="Bartholomew", newPassword="bartholomew", password=PASSWORD)

    assert {error["code"] for error in answer["userErrors"]} == {"WEAK_PASSWORD"}


def test_guesses_at_the_password_count_like_failures_to_sign_in(server: Server, ivan: User) -> None:
    with visitors(server, 2) as (owner, thief):
        token = owner.login()["token"]
        wanted = {"newPassword": ANOTHER_PASSWORD, "password": "wrong horse battery"}
        # From an app without cookies, so no known device.
        codes = [
            thief.ask(UPDATE, wanted, **bearer(token))["accountUpdate"]["userErrors"][0]["code"] for _ in range(11)
        ]

    assert codes == ["BAD_CREDENTIALS"] * 10 + ["RATE_LIMITED"]


def test_of_two_new_passwords_at_once_one_is_set_and_the_other_device_is_signed_out(server: Server, ivan: User) -> None:
    with visitors(server, 2) as devices:
        for device in devices:
            device.login()
        wanted = [f"{ANOTHER_PASSWORD} {number}" for number in range(2)]

        answers = at_once(
            *[
                partial(update, device, newPassword=one, password=PASSWORD)
                for device, one in zip(devices, wanted, strict=True)
            ]
        )

        done = [answer["userErrors"] == [] for answer in answers]
        assert sorted(done) == [False, True]
        assert [device.email() is not None for device in devices] == done
        ivan.refresh_from_db()
        assert ivan.session_generation == 1
        assert [ivan.check_password(one) for one in wanted] == done


def test_two_devices_that_change_different_fields_at_once_lose_neither(server: Server, ivan: User) -> None:
    with visitors(server, 2) as devices:
        for device in devices:
            device.login()

        at_once(partial(update, devices[0], name="Пётр"), partial(update, devices[1], phone="+7 911 111-11-11"))

        assert who(devices[0]) == {**WHO, "name": "Пётр", "phone": "+7 911 111-11-11"}


def test_account_of_staff_is_not_changed_here(visitor: Visitor, database: Database[Document]) -> None:
    make_demo_accounts()
    visitor.login("support@mobile-world.example", DEMO_PASSWORD)

    answer = update(visitor, name="Пётр", newPassword=ANOTHER_PASSWORD, password=DEMO_PASSWORD)

    assert answer == refusal("FORBIDDEN", "Учётную запись сотрудника меняют в админке.")


def test_guest_has_no_account_to_change(visitor: Visitor) -> None:
    not_signed_in = refusal("UNAUTHENTICATED", "Войдите в систему.")

    assert update(visitor, name="Пётр") == not_signed_in
    assert end(visitor, global_id("Session", "x")) == not_signed_in


# ---------------------------------------------------------------- one session


@pytest.mark.usefixtures("ivan")
def test_session_of_one_device_ends_and_no_other(server: Server) -> None:
    with visitors(server, 3) as (phone, laptop, lost):
        for device in (phone, laptop, lost):
            device.login()

        assert end(phone, own_session(lost)) == {"user": WHO, "userErrors": []}

        assert [device.email() for device in (phone, laptop)] == ["ivan@example.com"] * 2
        assert update(lost, name="Вор") == refusal("UNAUTHENTICATED", "Войдите в систему.")


@pytest.mark.usefixtures("ivan")
def test_ending_the_own_session_signs_out_here(visitor: Visitor) -> None:
    token = visitor.login()["token"]

    assert end(visitor, own_session(visitor)) == {"user": None, "userErrors": []}

    assert visitor.cookie is None
    assert not is_alive(token)


@pytest.mark.usefixtures("ivan")
def test_session_of_somebody_else_an_ended_one_and_nonsense_are_refused_alike(server: Server) -> None:
    with visitors(server, 3) as (ivan, anna, phone):
        ivan.login()
        anna.register("anna@example.com")
        phone.login()
        ended = own_session(phone)
        end(ivan, ended)

        for id_ in (own_session(anna), ended, global_id("User", "x"), "nonsense"):
            assert end(ivan, id_) == refusal("NOT_FOUND", "Среди ваших сеансов такого нет.", "id")

        assert anna.email() == "anna@example.com"


@pytest.mark.usefixtures("ivan")
def test_session_ended_by_two_devices_at_once_is_over(server: Server) -> None:
    with visitors(server, 3) as (phone, laptop, lost):
        for device in (phone, laptop, lost):
            device.login()
        id_ = own_session(lost)

        at_once(partial(end, phone, id_), partial(end, laptop, id_))

        assert update(lost, name="Вор")["userErrors"][0]["code"] == "UNAUTHENTICATED"
        assert [device.email() for device in (phone, laptop)] == ["ivan@example.com"] * 2
