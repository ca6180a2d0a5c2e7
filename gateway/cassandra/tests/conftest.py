"""Fixtures for the Cassandra frame: the sample tables on a real node, and a link to it that can be broken."""

from collections.abc import Iterator
from typing import Any

import pytest
from cassandra.cluster import Session
from django.conf import settings as django_settings
from django.core.management import call_command
from django.test import override_settings
from pytest_django import Settings

from gateway.cassandra.driver.circuit import CIRCUIT
from gateway.cassandra.driver.session import CONNECTOR
from gateway.cassandra.table import declared_tables
from gateway.cassandra.tests.link import Link


@pytest.fixture(scope="package", autouse=True)
def patience() -> Iterator[None]:
    """Time-outs that a loaded machine does not reach; a test about time-outs sets its own."""
    CONNECTOR.close()
    with override_settings(CASSANDRA_CONNECT_TIMEOUT=20.0, CASSANDRA_REQUEST_TIMEOUT=20.0):
        yield
        CONNECTOR.close()


@pytest.fixture(scope="package")
def tables(patience: None) -> Iterator[None]:
    """The declared tables, empty. Tests use keys of their own rather than truncate, which costs 0.2 s."""
    if not django_settings.CASSANDRA_CONTACT_POINTS:
        pytest.skip("Cassandra is not configured")
    call_command("cassandra", "apply")
    yield
    for table in declared_tables():
        CONNECTOR.connection().session.execute(f"TRUNCATE {table.full_name}", timeout=60)


@pytest.fixture
def session(tables: None) -> Session:
    return CONNECTOR.connection().session


@pytest.fixture
def requests(session: Session) -> Iterator[list[Any]]:
    """The driver's own record of each request it sends, as they are sent."""
    sent: list[Any] = []
    session.add_request_init_listener(sent.append)
    yield sent
    session.remove_request_init_listener(sent.append)


@pytest.fixture
def fresh(settings: Settings) -> Iterator[Settings]:
    """No connection yet, and none of this test's left for the next: the settings may be changed."""
    CONNECTOR.close()
    CIRCUIT.reset()
    yield settings
    CONNECTOR.close()
    CIRCUIT.reset()


@pytest.fixture
def impatient(fresh: Settings) -> Settings:
    """A request waits one second: long enough for a real answer, short enough for a test of none."""
    fresh.CASSANDRA_REQUEST_TIMEOUT = 1.0
    return fresh


@pytest.fixture
def link(tables: None, fresh: Settings) -> Iterator[Link]:
    """Everything goes through this link."""
    link = Link(fresh.CASSANDRA_CONTACT_POINTS[0])
    fresh.CASSANDRA_CONTACT_POINTS = [link.address]
    yield link
    CONNECTOR.close()
    link.close()
