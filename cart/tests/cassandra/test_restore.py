"""`manage.py restore_cart`: a cart whose document was lost comes back from its copy; one that was not lost does not."""

import uuid
from datetime import timedelta
from functools import partial
from io import StringIO

import pytest
from bson import ObjectId
from django.core.management import CommandError, call_command
from django.test import override_settings
from pymongo.database import Database

from cart.cassandra.mirror import mirror_carts
from cart.cassandra.restore import NotRestored, copy_of, restore_cart
from cart.tests.carts import cart, carts, line, now, stored
from gateway.accounts.models import User
from gateway.accounts.owners import customer_owner
from gateway.cassandra.driver.session import CONNECTOR
from gateway.mongo.client import Document
from gateway.mongo.commands import COMMANDS, Sent
from gateway.tests.races import at_once

pytestmark = pytest.mark.usefixtures("tables")


@pytest.fixture
def lost(database: Database[Document]) -> Document:
    """A cart that was copied, and then lost."""
    document = cart(
        f"s:{uuid.uuid4().hex}", items=[line("PROD-1", 2, "199.90"), line("PROD-2")], version=5, created_at=yesterday()
    )
    lose(database, document)
    return document


def lose(database: Database[Document], document: Document) -> None:
    carts().insert_one(document)
    mirror_carts([document["owner"]])
    database["carts"].delete_one({"owner": document["owner"]})


def yesterday() -> object:
    return now() - timedelta(days=1)


def restore(*arguments: str) -> str:
    told = StringIO()
    call_command("restore_cart", *arguments, stdout=told)
    return told.getvalue()


def everything(database: Database[Document]) -> list[Document]:
    return list(database["carts"].find().sort("_id"))


def test_lost_cart_comes_back_as_it_was_with_a_new_lease(database: Database[Document], lost: Document) -> None:
    told = restore(lost["owner"])

    found = stored(lost)
    assert told.splitlines()[1:] == [
        "  2 × Наушники (PROD-1), 199.90",
        "  1 × Наушники (PROD-2), 100.00",
        f"restored as cart {lost['_id']}",
    ]
    same = ("owner", "user_id", "session_id", "status", "geozone", "items", "abandoned_at", "order_id", "merged_into")
    assert {name: found[name] for name in same} == {name: lost[name] for name in same}
    assert found.keys() == lost.keys()
    assert found["version"] == 6
    assert found["created_at"] == lost["created_at"].replace(tzinfo=None)
    assert found["expires_at"] - found["updated_at"] == timedelta(days=30)


def test_customer_is_named_by_e_mail_in_any_case(database: Database[Document]) -> None:
    ivan = User.objects.create_user("ivan@mobile-world.example")
    document = cart(customer_owner(ivan.pk))
    lose(database, document)

    restore("Ivan@Mobile-World.example")

    found = stored(document)
    assert (found["user_id"], found["session_id"]) == (str(ivan.pk), None)
    assert found["expires_at"] - found["updated_at"] == timedelta(days=90)


def test_dry_run_shows_the_lines_and_changes_nothing(database: Database[Document], lost: Document) -> None:
    told = restore(lost["owner"], "--dry-run")

    assert f"cart {lost['_id']} of {lost['owner']}" in told
    assert "  2 × Наушники (PROD-1), 199.90" in told
    assert told.endswith("nothing was changed\n")
    assert everything(database) == []


@pytest.mark.parametrize("options", [(), ("--dry-run",)])
def test_active_cart_is_never_replaced(database: Database[Document], lost: Document, options: tuple[str, ...]) -> None:
    carts().insert_one(cart(lost["owner"]))
    before = everything(database)

    with pytest.raises(CommandError, match="has an active cart"):
        restore(lost["owner"], *options)

    assert everything(database) == before


def test_ordered_cart_is_not_lost(database: Database[Document], lost: Document) -> None:
    carts().insert_one({**lost, "status": "ordered", "order_id": "0192"})
    before = everything(database)

    with pytest.raises(CommandError, match=r"was ordered \(0192\): nothing is lost"):
        restore(lost["owner"])

    assert everything(database) == before


def test_lines_of_an_abandoned_cart_come_back_in_a_new_one(database: Database[Document], lost: Document) -> None:
    carts().insert_one({**lost, "status": "abandoned"})

    restore(lost["owner"])

    abandoned, restored = database["carts"].find({"owner": lost["owner"]}).sort("created_at")
    assert (abandoned["_id"], abandoned["status"]) == (lost["_id"], "abandoned")
    assert (restored["status"], restored["items"], restored["version"]) == ("active", lost["items"], 1)


def test_no_copy_is_told(database: Database[Document]) -> None:
    with pytest.raises(CommandError, match="There is no copy of a cart of s:nobody: a copy lives for 24 hours"):
        restore("s:nobody")


@pytest.mark.parametrize(
    ("buyer", "message"),
    [("nobody@mobile-world.example", "There is no customer"), ("42", "neither an e-mail nor an owner")],
)
def test_unknown_buyer_is_told(database: Database[Document], buyer: str, message: str) -> None:
    with pytest.raises(CommandError, match=message):
        restore(buyer)


@override_settings(CASSANDRA_CONTACT_POINTS=[])
def test_missing_cassandra_is_told(database: Database[Document]) -> None:
    CONNECTOR.close()
    with pytest.raises(CommandError, match="Cassandra is not configured"):
        restore("s:somebody")


def test_buyer_who_begins_a_cart_between_the_look_and_the_insert_keeps_it(
    database: Database[Document], lost: Document, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = copy_of(lost["owner"])
    begun = cart(lost["owner"], items=[line("PROD-9")])
    monkeypatch.setattr("cart.cassandra.restore.refuse_unless_lost", lambda _: carts().insert_one(begun))

    with pytest.raises(NotRestored, match="this very moment"):
        restore_cart(copy)

    assert [each["_id"] for each in everything(database)] == [begun["_id"]]


def test_buyers_and_operators_at_once_leave_one_active_cart(database: Database[Document], lost: Document) -> None:
    copy = copy_of(lost["owner"])

    def operator() -> str:
        try:
            return restore_cart(copy)
        except NotRestored:
            return "refused"

    def buyer() -> str:
        try:
            carts().insert_one(cart(lost["owner"], _id=(made := ObjectId())))
        except Exception as error:  # noqa: BLE001 - told by its name
            return type(error).__name__
        return str(made)

    results = at_once(*[operator] * 4, *[partial(buyer)] * 4, expected=())

    (active,) = database["carts"].find({"owner": lost["owner"]})
    assert [result for result in results if result not in {"refused", "DuplicateKeyError"}] == [str(active["_id"])]


def test_restoring_reaches_one_shard(database: Database[Document], lost: Document) -> None:
    copy = copy_of(lost["owner"])

    with COMMANDS.counted() as sent:
        restore_cart(copy)

    assert sent == {Sent("find", "carts", "", 1): 3, Sent("insert", "carts", "", 1): 1}
