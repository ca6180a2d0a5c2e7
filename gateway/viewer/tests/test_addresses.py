"""The address book: addressSave, addressRemove, User.addresses, through the web server."""

from functools import partial
from typing import Any

import pytest
from pymongo.database import Database

from gateway.accounts.models import User
from gateway.graphql.relay.ids import global_id
from gateway.mongo.client import Document
from gateway.tests.races import at_once
from gateway.tests.web_servers import Server
from gateway.viewer.tests.test_shopping import add
from gateway.viewer.tests.visitor import Visitor, visitors
from ordering.tests.api import CHECKOUT, INPUT

BOOK = "addresses { id label address { city street postcode comment } }"
ANSWER = f"{{ user {{ {BOOK} }} userErrors {{ code field message }} }}"
SAVE = (
    "mutation ($id: ID, $label: String!, $address: AddressInput!)"
    f" {{ addressSave(id: $id, label: $label, address: $address) {ANSWER} }}"
)
REMOVE = f"mutation ($id: ID!) {{ addressRemove(id: $id) {ANSWER} }}"
HOME = {"city": "Москва", "street": "Тверская, 1", "postcode": "101000", "comment": "Код 12"}
WORK = {"city": "Казань", "street": "Баумана, 3", "postcode": "", "comment": ""}


def save(visitor: Visitor, label: str, address: dict[str, str], id_: str | None = None) -> Any:
    return visitor.ask(SAVE, {"id": id_, "label": label, "address": address})["addressSave"]


def remove(visitor: Visitor, id_: str) -> Any:
    return visitor.ask(REMOVE, {"id": id_})["addressRemove"]


def book(visitor: Visitor) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = visitor.ask(f"{{ viewer {{ user {{ {BOOK} }} }} }}")["viewer"]["user"]["addresses"]
    return found


def shown(visitor: Visitor) -> list[tuple[str, dict[str, str]]]:
    return [(saved["label"], saved["address"]) for saved in book(visitor)]


@pytest.mark.usefixtures("ivan")
def test_addresses_are_saved_in_order_changed_and_removed(visitor: Visitor) -> None:
    visitor.login()
    assert book(visitor) == []

    save(visitor, " Дом ", {**HOME, "city": " Москва "})
    answer = save(visitor, "Работа", WORK)
    home, work = (saved["id"] for saved in answer["user"]["addresses"])

    assert answer["userErrors"] == []
    assert shown(visitor) == [("Дом", HOME), ("Работа", WORK)]
    save(visitor, "Дача", WORK, home)
    assert shown(visitor) == [("Дача", WORK), ("Работа", WORK)]
    assert [saved["id"] for saved in remove(visitor, home)["user"]["addresses"]] == [work]


@pytest.mark.usefixtures("ivan")
def test_address_is_checked_as_at_checkout(visitor: Visitor, database: Database[Document]) -> None:
    visitor.login()

    answer = save(visitor, "", {**HOME, "city": "", "street": "evil.example.com", "postcode": "1" * 17})

    assert [(error["code"], error["field"]) for error in answer["userErrors"]] == [
        ("REQUIRED", ["label"]),
        ("REQUIRED", ["address", "city"]),
        ("INVALID", ["address", "street"]),
        ("INVALID", ["address", "postcode"]),
    ]
    assert database["address_books"].count_documents({}) == 0


@pytest.mark.usefixtures("ivan")
def test_repeated_call_after_a_lost_answer_adds_nothing(visitor: Visitor) -> None:
    visitor.login()

    answers = [save(visitor, "Дом", HOME) for _ in range(2)]

    assert answers[0] == answers[1]
    assert len(book(visitor)) == 1


def test_the_same_address_saved_by_many_at_once_stands_in_the_book_once(server: Server, ivan: User) -> None:
    with visitors(server, 4) as devices:
        for device in devices:
            device.login()

        answers = at_once(*[partial(save, device, "Дом", HOME) for device in devices])

        assert [answer["userErrors"] for answer in answers] == [[]] * 4
        assert shown(devices[0]) == [("Дом", HOME)]


def test_no_more_than_twenty_fit_also_when_two_come_at_once(server: Server, ivan: User) -> None:
    with visitors(server, 4) as devices:
        for device in devices:
            device.login()
        for number in range(19):
            save(devices[0], f"Дом {number}", HOME)

        answers = at_once(*[partial(save, device, f"Ещё {n}", HOME) for n, device in enumerate(devices)])

        errors = [error for answer in answers for error in answer["userErrors"]]
        full = {"code": "CONFLICT", "field": ["address"], "message": "Не больше 20 адресов: удалите лишние."}
        assert errors == [full] * 3
        assert len(book(devices[0])) == 20
        # What is there already is told as done, however full the book is.
        assert save(devices[0], "Дом 0", HOME)["userErrors"] == []


def test_one_device_changes_an_address_while_another_removes_it(server: Server, ivan: User) -> None:
    with visitors(server, 2) as devices:
        for device in devices:
            device.login()
        (saved,) = save(devices[0], "Дом", HOME)["user"]["addresses"]

        at_once(partial(save, devices[0], "Дача", WORK, saved["id"]), partial(remove, devices[1], saved["id"]))

        assert book(devices[0]) == []


@pytest.mark.usefixtures("ivan")
def test_address_of_somebody_else_a_removed_one_and_nonsense_are_refused_alike(server: Server) -> None:
    with visitors(server, 2) as (ivan, anna):
        ivan.login()
        anna.register("anna@example.com")
        (hers,) = save(anna, "Дом", HOME)["user"]["addresses"]
        (gone,) = save(ivan, "Дом", HOME)["user"]["addresses"]
        remove(ivan, gone["id"])

        refused = {"code": "NOT_FOUND", "field": ["id"], "message": "Такого адреса в вашей книге нет."}
        for id_ in (hers["id"], gone["id"], global_id("User", "x"), "nonsense"):
            for answer in (save(ivan, "Дача", WORK, id_), remove(ivan, id_)):
                assert answer == {"user": None, "userErrors": [refused]}

        assert shown(anna) == [("Дом", HOME)]
        assert book(ivan) == []


@pytest.mark.usefixtures("database")
def test_guest_has_no_book(visitor: Visitor) -> None:
    refused = {"code": "UNAUTHENTICATED", "field": None, "message": "Войдите в систему."}

    assert save(visitor, "Дом", HOME) == {"user": None, "userErrors": [refused]}
    assert remove(visitor, global_id("SavedAddress", "x")) == {"user": None, "userErrors": [refused]}


@pytest.mark.usefixtures("stocked", "ivan")
def test_saved_address_is_copied_into_a_checkout_and_the_order_keeps_it(visitor: Visitor) -> None:
    visitor.login()
    (saved,) = save(visitor, "Дом", HOME)["user"]["addresses"]
    add(visitor, "PROD-1", 2)

    order = visitor.ask(CHECKOUT, {"input": {**INPUT, "shippingAddress": saved["address"]}})["a"]["order"]
    remove(visitor, saved["id"])

    assert order["shippingAddress"] == HOME
    kept = visitor.ask("{ viewer { orders { nodes { shippingAddress { city street postcode comment } } } } }")
    assert kept["viewer"]["orders"]["nodes"] == [{"shippingAddress": HOME}]
