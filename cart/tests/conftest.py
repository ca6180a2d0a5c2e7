"""A guest of the API, and the tables of the copies in Cassandra."""

from collections.abc import Iterator

import httpx
import pytest
from django.conf import settings as django_settings
from django.core.management import call_command
from django.test import override_settings
from pymongo.database import Database

from cart.tests.buyer import Buyer
from gateway.cassandra.driver.session import CONNECTOR
from gateway.mongo.client import Document


@pytest.fixture(scope="module")
def tables() -> Iterator[None]:
    if not django_settings.CASSANDRA_CONTACT_POINTS:
        pytest.skip("Cassandra is not configured")
    with override_settings(CASSANDRA_CONNECT_TIMEOUT=20.0, CASSANDRA_REQUEST_TIMEOUT=20.0):
        call_command("cassandra", "apply", verbosity=0)
        yield
        CONNECTOR.close()


@pytest.fixture
def guest(web: httpx.Client, stocked: Database[Document]) -> Buyer:
    return Buyer(web)
