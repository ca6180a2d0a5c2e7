"""A customer is deactivated, activated and signed out by staff, on record."""

import pytest
from django.contrib.auth import authenticate
from pymongo.database import Database

from gateway.accounts.customers.access import activate_customer, deactivate_customer, sign_out_customer
from gateway.accounts.customers.accounts import show_contacts
from gateway.accounts.customers.notes import add_note, notes_of
from gateway.accounts.errors import UnknownAccount
from gateway.accounts.models import User
from gateway.accounts.sessions.account import user_of
from gateway.accounts.sessions.engine import SessionStore
from gateway.accounts.tests.sessions import key_of, signed_in
from gateway.audit.trail import Actor, Source
from gateway.domain.contacts import Contacts
from gateway.domain.errors import Refused
from gateway.mongo.client import Document
from gateway.mongo.reads import run
from gateway.tests.races import at_once

SUPPORT = Actor("1", "support@mobile-world.example", Source.ADMIN, "step")


@pytest.fixture
def customer(database: Database[Document]) -> User:
    return User.objects.create_user("ivan@example.com", "correct horse", name="Иван", phone="+7 912 345-67-89")


def actions(database: Database[Document]) -> list[tuple[str, dict[str, list[object]], str]]:
    found = database["audit"].find().sort("_id", 1)
    return [(entry["action"], entry["changes"], entry["reason"]) for entry in found]


def is_signed_in(session: SessionStore) -> bool:
    return user_of(SessionStore(key_of(session))).is_authenticated


def test_deactivated_customer_is_signed_out_and_cannot_sign_in(customer: User, database: Database[Document]) -> None:
    session = signed_in(customer)

    for _ in range(2):
        deactivate_customer(str(customer.pk), reason="мошенник", actor=SUPPORT)

    assert not is_signed_in(session)
    assert authenticate(username="ivan@example.com", password="correct horse") is None
    assert actions(database) == [("customer.deactivated", {"is_active": [True, False]}, "мошенник")]


def test_activated_customer_signs_in_again(customer: User, database: Database[Document]) -> None:
    session = signed_in(customer)
    deactivate_customer(str(customer.pk), reason="", actor=SUPPORT)

    activate_customer(str(customer.pk), reason="ошиблись", actor=SUPPORT)

    assert authenticate(username="ivan@example.com", password="correct horse") == customer
    assert not is_signed_in(session)
    assert actions(database)[-1] == ("customer.activated", {"is_active": [False, True]}, "ошиблись")


def test_signed_out_everywhere(customer: User, database: Database[Document]) -> None:
    sessions = [signed_in(customer), signed_in(customer)]

    sign_out_customer(str(customer.pk), actor=SUPPORT)

    assert [is_signed_in(session) for session in sessions] == [False, False]
    assert actions(database) == [("customer.signed_out", {}, "")]


def test_shown_contacts_are_on_record_without_them(customer: User, database: Database[Document]) -> None:
    shown = show_contacts(str(customer.pk), actor=SUPPORT)

    assert shown == Contacts("ivan@example.com", "+7 912 345-67-89", "Иван")
    assert actions(database) == [("contacts.shown", {}, "")]


def test_a_member_of_staff_is_no_customer(database: Database[Document]) -> None:
    staff = User.objects.create_user("staff@example.com", is_staff=True)

    for user_id in (str(staff.pk), "no id", "6afdc45d21e1770f732f6e74"):
        with pytest.raises(UnknownAccount):
            deactivate_customer(user_id, reason="", actor=SUPPORT)

    assert actions(database) == []


def test_note_sent_twice_at_once_is_one(customer: User, database: Database[Document]) -> None:
    user_id = str(customer.pk)

    def add() -> None:
        add_note(user_id, " Просит звонить вечером.\nНе шуметь. ", actor=SUPPORT, key="form-1")

    at_once(*[add] * 4, expected=())
    add_note(user_id, "Вторая.", actor=SUPPORT, key="form-2")

    texts = [(note["text"], note["actor"]) for note in run(notes_of(user_id))]
    assert texts == [("Вторая.", SUPPORT.name), ("Просит звонить вечером.\nНе шуметь.", SUPPORT.name)]
    assert [action for action, _, _ in actions(database)] == ["customer.noted", "customer.noted"]


def test_empty_note_is_refused(customer: User, database: Database[Document]) -> None:
    with pytest.raises(Refused):
        add_note(str(customer.pk), "  ", actor=SUPPORT, key="form-1")

    assert run(notes_of(str(customer.pk))) == []
