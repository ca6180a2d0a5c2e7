"""accountDelete, through the web server: the account is anonymised as support would do it."""

from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import pytest
from pymongo.database import Database

from admin_ext.tests.everywhere import places_of
from gateway.accounts.demo import PASSWORD as DEMO_PASSWORD
from gateway.accounts.models import User
from gateway.accounts.own.confirmation import claim_orders_later
from gateway.accounts.tests.demo import make_demo_accounts
from gateway.accounts.tests.sessions import is_alive
from gateway.mongo.client import Document
from gateway.mongo.transactions import in_transaction
from gateway.tests.races import at_once, paused_process
from gateway.tests.web_servers import Server
from gateway.viewer.anonymisation import sweep_anonymisations
from gateway.viewer.tests.test_addresses import HOME, save
from gateway.viewer.tests.test_confirmation import buy
from gateway.viewer.tests.test_shopping import add
from gateway.viewer.tests.visitor import PASSWORD, PAYLOAD, Visitor, visitors

DELETE = f"mutation ($password: String!) {{ accountDelete(password: $password) {PAYLOAD} }}"
CANCEL = "mutation ($order: ID!) { orderCancel(order: $order) { userErrors { code } } }"
GONE: dict[str, Any] = {"token": None, "viewer": {"user": None}, "userErrors": [], "warnings": []}
EMAIL, NAME, PHONE = "zoya.kosmodem@example.com", "Зоя Космодемьянская", "+7 (912) 345-67-89"
SPELLINGS = (EMAIL, "9123456789", "345-67-89", "Космодемьянск")
LATER = timedelta(minutes=10)


@pytest.fixture
def zoya(database: Database[Document]) -> User:
    return User.objects.create_user(EMAIL, PASSWORD, name=NAME, phone=PHONE)


def delete(visitor: Visitor, password: str = PASSWORD) -> Any:
    return visitor.ask(DELETE, {"password": password})["accountDelete"]


def cancel_all(visitor: Visitor) -> None:
    for order in visitor.ask("{ viewer { orders { nodes { id } } } }")["viewer"]["orders"]["nodes"]:
        assert visitor.ask(CANCEL, {"order": order["id"]})["orderCancel"]["userErrors"] == []


def refusal(code: str, message: str, *field: str) -> dict[str, Any]:
    error = {"code": code, "field": list(field) or None, "message": message}
    return {"token": None, "viewer": None, "userErrors": [error], "warnings": []}


def test_deleted_account_is_found_nowhere_and_its_orders_stay(
    stocked: Database[Document], server: Server, zoya: User
) -> None:
    with visitors(server, 2) as (phone, laptop):
        tokens = [device.login(EMAIL)["token"] for device in (phone, laptop)]
        save(phone, "Дом", {**HOME, "street": "Космодемьянских, 5"})
        buy(phone, EMAIL)
        cancel_all(phone)
        add(phone, "PROD-1", 1)

        answer = delete(phone)

        assert answer == GONE
        assert phone.cookie is None
        assert [is_alive(token) for token in tokens] == [False, False]
        assert laptop.login(EMAIL)["userErrors"][0]["code"] == "BAD_CREDENTIALS"
    assert sweep_anonymisations(datetime.now(UTC) + LATER) == 1
    assert places_of(*SPELLINGS) == set()
    assert stocked["address_books"].count_documents({}) == 0
    (order,) = stocked["orders"].find()
    assert (order["contact"]["email"], order["shipping_address"]["street"]) == ("", "")
    assert stocked["carts"].count_documents({"status": "active", "items.0": {"$exists": True}}) == 0
    account = User.objects.get(pk=zoya.pk)
    assert (account.is_active, account.name, account.phone) == (False, "", "")


def test_address_can_be_registered_anew_and_brings_nothing_back(
    stocked: Database[Document], visitor: Visitor, zoya: User
) -> None:
    visitor.login(EMAIL)
    buy(visitor, EMAIL)
    cancel_all(visitor)
    delete(visitor)

    visitor.register(EMAIL)

    assert visitor.ask("{ viewer { orders { nodes { id } } } }")["viewer"]["orders"]["nodes"] == []


@pytest.mark.parametrize("password", ["", "wrong horse battery"])
def test_without_the_right_password_nothing_is_deleted(visitor: Visitor, zoya: User, password: str) -> None:
    visitor.login(EMAIL)

    assert [error["field"] for error in delete(visitor, password)["userErrors"]] == [["password"]]

    assert visitor.email() == EMAIL


def test_account_with_an_open_order_stays(stocked: Database[Document], visitor: Visitor, zoya: User) -> None:
    visitor.login(EMAIL)
    number = buy(visitor, EMAIL)

    answer = delete(visitor)

    assert [error["code"] for error in answer["userErrors"]] == ["CONFLICT"]
    assert number in answer["userErrors"][0]["message"]
    assert visitor.email() == EMAIL


def test_who_registered_with_somebody_elses_address_wipes_out_none_of_their_orders(
    stocked: Database[Document], visitor: Visitor, another: Visitor
) -> None:
    buy(visitor, "ivan@example.com")
    cancel_all(visitor)
    another.register("ivan@example.com")

    assert delete(another) == GONE
    sweep_anonymisations(datetime.now(UTC) + LATER)

    (order,) = stocked["orders"].find()
    assert order["contact"]["email"] == "ivan@example.com"


def test_guests_orders_under_a_confirmed_address_lose_their_contacts_too(
    stocked: Database[Document], visitor: Visitor, another: Visitor, zoya: User
) -> None:
    zoya.email_confirmed_at = datetime.now(UTC)
    zoya.save(update_fields=["email_confirmed_at"])
    visitor.login(EMAIL)
    buy(another, EMAIL)
    cancel_all(another)

    assert delete(visitor) == GONE

    (order,) = stocked["orders"].find()
    assert order["contact"]["email"] == ""


def test_repeated_after_a_lost_answer_there_is_nobody_to_delete(visitor: Visitor, zoya: User) -> None:
    token = visitor.login(EMAIL)["token"]
    delete(visitor)

    answer = visitor.ask(DELETE, {"password": PASSWORD}, authorization=f"Bearer {token}")["accountDelete"]

    assert answer == refusal("UNAUTHENTICATED", "Войдите в систему.")


def test_two_devices_delete_the_account_at_once(server: Server, zoya: User, database: Database[Document]) -> None:
    with visitors(server, 2) as devices:
        for device in devices:
            device.login(EMAIL)

        at_once(*[partial(delete, device) for device in devices])

        assert [device.email() for device in devices] == [None, None]
    assert database["audit"].count_documents({"action": "customer.anonymised"}) == 1
    assert places_of(EMAIL) - {"anonymisations"} == set()


def test_account_of_staff_is_not_deleted_here(visitor: Visitor, database: Database[Document]) -> None:
    make_demo_accounts()
    visitor.login("support@mobile-world.example", DEMO_PASSWORD)

    answer = delete(visitor, DEMO_PASSWORD)

    assert answer == refusal("FORBIDDEN", "Учётную запись сотрудника меняют в админке.")


def test_process_killed_in_the_middle_is_finished_by_the_sweep(
    stocked: Database[Document], visitor: Visitor, zoya: User
) -> None:
    visitor.login(EMAIL)
    save(visitor, "Дом", HOME)
    buy(visitor, EMAIL)
    cancel_all(visitor)
    in_transaction(partial(claim_orders_later, zoya))
    code = f"""
from gateway.accounts.models import User
from gateway.accounts.own.profile import Owner
from gateway.accounts.sessions.engine import SessionStore
from gateway.viewer.deletion import delete_account
delete_account(Owner(User.objects.get(email="{EMAIL}"), SessionStore(), client="192.0.2.1", device=None))
"""

    with paused_process(stocked, code, command="update", collection="orders") as process:
        process.kill()
        process.wait()
    assert visitor.email() is None
    assert sweep_anonymisations(datetime.now(UTC) + LATER) == 1

    assert places_of(*SPELLINGS) == set()
    assert stocked["address_books"].count_documents({}) == 0
