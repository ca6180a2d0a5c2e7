"""Staff bring an abandoned cart back: once, and without loss of what the customer has put together since."""

from functools import partial

import pytest
from bson import ObjectId
from pymongo.database import Database

from cart.errors import NotAbandoned
from cart.line_checks import MAX_LINES
from cart.merge import restore_abandoned
from cart.tests.carts import cart, carts, line, now, stored
from cart.tests.shop import CUSTOMER
from gateway.audit.trail import Actor, Source
from gateway.mongo.client import Document
from gateway.tests.races import at_once

SUPPORT = Actor("1", "support@mobile-world.example", Source.ADMIN, "step")


@pytest.fixture
def abandoned(database: Database[Document]) -> Document:
    document = cart(CUSTOMER, status="abandoned", abandoned_at=now(), items=[line("PROD-1", 2), line("PROD-2", 1)])
    carts().insert_one(document)
    return document


def restore(document: Document) -> tuple[str, ...]:
    return restore_abandoned(CUSTOMER, document["_id"], actor=SUPPORT).lines_dropped


def active() -> dict[str, int]:
    (found,) = carts().find({"owner": CUSTOMER, "status": "active"})
    return {item["product_id"]: item["quantity"] for item in found["items"]}


def test_it_becomes_the_active_cart(abandoned: Document, database: Database[Document]) -> None:
    assert restore(abandoned) == ()

    assert active() == {"PROD-1": 2, "PROD-2": 1}
    assert stored(abandoned)["merged_into"] == CUSTOMER
    (entry,) = database["audit"].find({"action": "cart.restored"})
    assert (entry["target"], entry["actor"]) == (f"customer:{CUSTOMER[2:]}", SUPPORT.name)


def test_it_joins_the_active_cart_with_the_larger_quantities(abandoned: Document) -> None:
    carts().insert_one(cart(CUSTOMER, items=[line("PROD-1", 5), line("PROD-3", 1)]))

    restore(abandoned)

    assert active() == {"PROD-1": 5, "PROD-3": 1, "PROD-2": 1}


def test_repeated_and_at_once_it_is_restored_once(abandoned: Document, database: Database[Document]) -> None:
    at_once(*[partial(restore, abandoned)] * 4, expected=())
    carts().update_one({"owner": CUSTOMER, "status": "active"}, {"$set": {"items": []}})

    restore(abandoned)

    assert active() == {}
    assert database["audit"].count_documents({"action": "cart.restored"}) == 1


def test_what_does_not_fit_is_named(abandoned: Document) -> None:
    full = [line(f"PROD-{number}", 1) for number in range(10, 10 + MAX_LINES)]
    carts().insert_one(cart(CUSTOMER, items=full))

    assert restore(abandoned) == ("Наушники", "Наушники")


@pytest.mark.parametrize("changes", [{"status": "active"}, {"status": "ordered"}, {"merged_into": "u:other"}])
def test_only_an_abandoned_cart_is_restored(changes: Document, abandoned: Document) -> None:
    carts().update_one({"owner": CUSTOMER, "_id": abandoned["_id"]}, {"$set": changes})

    with pytest.raises(NotAbandoned):
        restore(abandoned)


def test_nobody_restores_what_is_not_there(database: Database[Document]) -> None:
    with pytest.raises(NotAbandoned):
        restore({"_id": ObjectId()})
