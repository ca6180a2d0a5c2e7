"""A customer who wants to be forgotten is found nowhere any more; what was bought is."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import pytest
from pymongo.database import Database

from admin_ext.tests.everywhere import places_of
from gateway.accounts.customers.accounts import find_customer
from gateway.accounts.customers.notes import add_note
from gateway.accounts.errors import NotTyped
from gateway.accounts.models import Customer, User
from gateway.accounts.owners import customer_owner
from gateway.accounts.tests.sessions import is_alive, key_of, signed_in
from gateway.audit.trail import Action, Actor, Source, record
from gateway.cassandra.errors import CassandraUnavailable
from gateway.cassandra.reads import first
from gateway.mongo.client import Document
from gateway.mongo.transactions import in_transaction
from gateway.tests.races import at_once, just_before, paused_process
from gateway.viewer import anonymisation
from gateway.viewer.anonymisation import anonymise_customer, sweep_anonymisations
from ordering.archive import anonymisation as orders_anonymisation
from ordering.cassandra.lookup import archived_id
from ordering.cassandra.tables import ORDER_STATE_BY_ID
from ordering.errors import OpenOrders
from ordering.tests.copies import archive, copy, days_ago, placed, some_guest

pytestmark = pytest.mark.usefixtures("patient")

SENIOR = Actor("1", "senior@mobile-world.example", Source.ADMIN, "step")
EMAIL, PHONE, NAME = "zoya.kosmodem@example.com", "+7 (912) 345-67-89", "Зоя Космодемьянская"
SPELLINGS = (EMAIL, "9123456789", "345-67-89", "Космодемьянск")
LATER = timedelta(minutes=10)


@pytest.fixture
def customer(orders: Database[Document]) -> User:
    return User.objects.create_user(EMAIL, "correct horse", name=NAME, phone=PHONE)


@pytest.fixture
def bought(orders: Database[Document], like: Document, customer: User) -> Callable[..., list[str]]:
    """Delivered orders of the customer, each so many days old."""
    contact = {"name": NAME, "email": EMAIL, "phone": PHONE}
    address = {"city": "Москва", "street": "Космодемьянских, 5", "postcode": "125130", "comment": f"звонить {PHONE}"}
    events = [{**like["events"][0], "note": f"Зоя просила писать на {EMAIL}"}, *like["events"][1:]]
    told = {**like, "contact": contact, "shipping_address": address, "events": events}

    def place(*days: int, owner: str | None = None, **changes: Any) -> list[str]:
        its = owner or customer_owner(customer.pk)
        return placed(orders, {**told, **changes}, *days_ago(*days), owner=its)

    return place


def forget(customer: User, *, guests: bool = True, later: timedelta = LATER) -> bool:
    moment = datetime.now(UTC) + later
    return anonymise_customer(str(customer.pk), typed=EMAIL, guests=guests, actor=SENIOR, now=moment)


def test_nothing_of_the_person_is_found_in_any_store(
    orders: Database[Document], bought: Callable[..., list[str]], customer: User
) -> None:
    fresh, archived = bought(1), bought(400, 800)
    copy(orders, bought(40))
    archive(orders, archived)
    bought(3, owner=some_guest())
    of_guest_archived = bought(500, owner=some_guest())
    archive(orders, of_guest_archived)
    user_id = str(customer.pk)
    add_note(user_id, f"{NAME} звонила с {PHONE}", actor=SENIOR, key="1")
    changes = {"contact": ({"email": EMAIL}, {"email": "other@example.com"})}
    audited = partial(record, Action.ORDER_DETAILS_CHANGED, f"order:{fresh[0]}", actor=SENIOR, changes=changes)
    in_transaction(partial(audited, reason=f"{NAME} ошиблась"))
    session = signed_in(customer)
    before = {"accounts_user", "orders", "audit", "customer_notes", "orders_by_user", "order_state_by_id"}
    assert places_of(*SPELLINGS) >= {*before, "order_events_by_id", "archived_orders_by_key"}

    assert forget(customer)

    assert places_of(*SPELLINGS) == set()
    assert not is_alive(key_of(session))
    left = find_customer(user_id)
    assert (left.email, left.name, left.phone, left.keys) == (f"{user_id}@anonymised.invalid", "", "", [])
    assert not left.is_active
    assert not left.has_usable_password()
    assert orders["orders"].count_documents({}) == 4
    states = [first(ORDER_STATE_BY_ID.select("order_id = ?", each)) for each in [*archived, *of_guest_archived]]
    assert [bool(row and row["archived_at"]) for row in states] == [True] * 3
    assert [archived_id(row["number"]) for row in states if row] == [*archived, *of_guest_archived]


def test_figures_stay(orders: Database[Document], bought: Callable[..., list[str]], customer: User) -> None:
    (order_id,) = bought(1)
    before = orders["orders"].find_one({"_id": order_id})
    assert before is not None

    forget(customer)

    after = orders["orders"].find_one({"_id": order_id})
    assert after is not None
    changed = {name for name in before if before[name] != after.get(name)}
    assert changed <= {
        "contact",
        "shipping_address",
        "keys",
        "request",
        "events",
        "version",
        "synced_version",
        "unsynced",
        "period_bucket",
    }
    assert after["contact"] == {"name": "", "email": "", "phone": ""}
    assert after["shipping_address"] == {"city": "Москва", "street": "", "postcode": "", "comment": ""}
    kept = {"number", "user", "product", "reference"}
    assert {key.partition(":")[0] for key in after["keys"]} <= kept
    assert {f"number:{after['number']}", f"user:{customer.pk}"} <= set(after["keys"])
    assert after["events"][0]["note"] == "[удалено] просила писать на [удалено]"


def test_it_is_audited_without_what_was_removed(orders: Database[Document], customer: User) -> None:
    forget(customer)

    (entry,) = orders["audit"].find({"action": "customer.anonymised"})
    assert (entry["target"], entry["actor"], entry["changes"]) == (
        f"customer:{customer.pk}",
        SENIOR.name,
        {"guests": [None, True]},
    )


def test_who_does_not_type_the_address_changes_nothing(orders: Database[Document], customer: User) -> None:
    with pytest.raises(NotTyped):
        anonymise_customer(str(customer.pk), typed="somebody@example.com", guests=False, actor=SENIOR)

    assert User.objects.get(pk=customer.pk).email == EMAIL
    assert orders["audit"].count_documents({"action": "customer.anonymised"}) == 0


def test_orders_that_are_not_done_refuse_it(
    orders: Database[Document], bought: Callable[..., list[str]], customer: User
) -> None:
    (order_id,) = bought(1, status="paid")
    number = orders["orders"].find_one({"_id": order_id})["number"]  # type: ignore[index]

    with pytest.raises(OpenOrders, match=number):
        forget(customer)

    assert User.objects.get(pk=customer.pk).email == EMAIL


def test_guests_orders_stay_when_they_are_not_meant(
    orders: Database[Document], bought: Callable[..., list[str]], customer: User
) -> None:
    (of_guest,) = bought(1, owner=some_guest())

    forget(customer, guests=False)

    found = orders["orders"].find_one({"_id": of_guest})
    assert found is not None
    assert found["contact"]["email"] == EMAIL


def test_an_order_made_at_that_moment_is_covered(
    orders: Database[Document], bought: Callable[..., list[str]], customer: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    bought(1)
    just_before(monkeypatch, anonymisation, "forget_notes", lambda: bought(0))

    assert not forget(customer, later=timedelta(0))
    assert places_of(EMAIL) == {"anonymisations", "orders"}

    assert sweep_anonymisations(datetime.now(UTC) + LATER) == 1
    assert places_of(*SPELLINGS) == set()


def test_two_at_once_and_repeated(orders: Database[Document], bought: Callable[..., list[str]], customer: User) -> None:
    archive(orders, bought(400, 401))
    bought(1, 2)

    at_once(partial(forget, customer), partial(forget, customer))
    assert forget(customer)

    assert places_of(*SPELLINGS) == set()
    assert orders["audit"].count_documents({"action": "customer.anonymised"}) == 1
    assert orders["orders"].count_documents({}) == 3


def test_while_cassandra_is_away_the_sweep_goes_on_later(
    orders: Database[Document], bought: Callable[..., list[str]], customer: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive(orders, bought(400))

    def away(*_: object) -> None:
        raise CassandraUnavailable("as the test wants it")

    with monkeypatch.context() as patch:
        patch.setattr(orders_anonymisation, "write", away)
        patch.setattr(orders_anonymisation, "scan", away)
        assert not forget(customer)

    assert sweep_anonymisations(datetime.now(UTC) + 2 * LATER) == 1
    assert places_of(*SPELLINGS) == set()


CODE = """
from datetime import UTC, datetime, timedelta
from gateway.viewer.anonymisation import anonymise_customer
from gateway.audit.trail import Actor
moment = datetime.now(UTC) + timedelta(minutes=10)
anonymise_customer("{user_id}", typed="{email}", guests=True, actor=Actor.program("test"), now=moment)
"""


@pytest.mark.parametrize(
    ("command", "collection", "number", "when"),
    [
        ("commitTransaction", None, 1, "answered"),
        ("update", "orders", 1, "answered"),
        ("delete", "anonymisations", 1, "sent"),
    ],
)
def test_killed_in_the_middle_it_is_finished_by_the_sweep(
    command: str,
    collection: str | None,
    number: int,
    when: Any,
    orders: Database[Document],
    bought: Callable[..., list[str]],
    customer: User,
) -> None:
    bought(1)
    archive(orders, bought(400))
    code = CODE.format(user_id=customer.pk, email=EMAIL)

    with paused_process(orders, code, command=command, collection=collection, number=number, when=when) as victim:
        victim.kill()
        victim.wait()
    assert not Customer.objects.get(pk=customer.pk).is_active

    assert sweep_anonymisations(datetime.now(UTC) + 2 * LATER) == 1
    assert places_of(*SPELLINGS) == set()
