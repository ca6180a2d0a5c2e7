import pytest
from django.test import Client
from pymongo.database import Database

from gateway.accounts.tests.demo import make_demo_accounts
from gateway.mongo.client import Document
from gateway.staff.tests.browser import signed_in
from ordering.documents import OrderDocument
from ordering.tests.payments_api import ordered, pay


@pytest.fixture
def agent(orders: Database[Document]) -> Client:
    """Support, signed in."""
    make_demo_accounts()
    return signed_in("support")


@pytest.fixture
def unpaid(orders: Database[Document]) -> OrderDocument:
    """Two headphones at 3990.00."""
    return ordered()


@pytest.fixture
def bought(orders: Database[Document]) -> OrderDocument:
    """Two headphones at 3990.00, paid."""
    return pay(ordered())
