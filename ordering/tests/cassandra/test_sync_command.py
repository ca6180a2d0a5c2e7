"""`manage.py sync`: what Cassandra is owed, what keeps failing, and copying it now."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.test import override_settings
from pymongo.database import Database

from cart.tests.shop import CUSTOMER
from gateway.cassandra.driver.circuit import CIRCUIT
from gateway.cassandra.driver.session import CONNECTOR
from gateway.mongo.client import Document
from ordering.tests.bulk import one_bought


def said(action: str) -> list[str]:
    output = StringIO()
    with override_settings(CASSANDRA_CONNECT_TIMEOUT=20.0, CASSANDRA_REQUEST_TIMEOUT=20.0):
        call_command("sync", action, stdout=output)
    return output.getvalue().splitlines()


def test_run_copies_all_that_is_due_and_status_says_that_nothing_is_owed(orders: Database[Document]) -> None:
    one_bought(CUSTOMER)

    before = said("status")
    copied = said("run")

    assert [line.split(",")[0] for line in before] == ["products: 3 owed", "orders: 1 owed"]
    assert copied == ["copied 4 documents", "products: nothing is owed", "orders: nothing is owed"]
    assert said("status") == ["products: nothing is owed", "orders: nothing is owed"]


def test_status_lists_what_keeps_failing_with_its_error(orders: Database[Document]) -> None:
    order = one_bought(CUSTOMER)
    orders["orders"].update_one({"_id": order["_id"]}, {"$set": {"total": "many"}})
    said("run")

    *_, owed, failing = said("status")

    assert owed.startswith("orders: 1 owed, ")
    assert owed.endswith("; 1 failing")
    assert failing.startswith(f"  orders {order['_id']}: failed 1 times, next at ")
    assert failing.endswith(": AttributeError: 'str' object has no attribute 'to_decimal'")


def test_run_without_cassandra_is_told_so_and_copies_nothing(orders: Database[Document]) -> None:
    one_bought(CUSTOMER)
    with override_settings(CASSANDRA_CONTACT_POINTS=["127.0.0.1:1"], CASSANDRA_CONNECT_TIMEOUT=1.0):
        CONNECTOR.close()
        with pytest.raises(CommandError, match="no node of dc1 can be reached"):
            call_command("sync", "run")
        CONNECTOR.close()
    CIRCUIT.reset()

    assert orders["orders"].count_documents({"unsynced.due": {"$exists": True}}) == 1
    with override_settings(CASSANDRA_CONTACT_POINTS=[]):
        assert said("status") == ["Cassandra is not configured (CASSANDRA_CONTACT_POINTS is empty): nothing is copied"]
