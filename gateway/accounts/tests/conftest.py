"""Sessions on the real servers, with a link to Cassandra that can be cut, and failures counted from nought."""

from collections.abc import Iterator

import pytest
from django.conf import settings as django_settings
from pytest_django import Settings

from gateway.accounts.tests.sessions import forget_attempts
from gateway.cassandra.driver.circuit import CIRCUIT
from gateway.cassandra.driver.session import CONNECTOR
from gateway.cassandra.tests.link import Link


@pytest.fixture(autouse=True)
def no_attempts_yet() -> None:
    forget_attempts()


@pytest.fixture
def fresh(settings: Settings) -> Iterator[Settings]:
    """No connection to Cassandra yet, and none of this test's left for the next; time-outs that are not reached."""
    if not django_settings.CASSANDRA_CONTACT_POINTS:
        pytest.skip("Cassandra is not configured")
    CONNECTOR.close()
    CIRCUIT.reset()
    settings.CASSANDRA_CONNECT_TIMEOUT = settings.CASSANDRA_REQUEST_TIMEOUT = 20.0
    settings.CASSANDRA_CIRCUIT_SECONDS = 0.05
    yield settings
    CONNECTOR.close()
    CIRCUIT.reset()


@pytest.fixture
def link(cluster: None, fresh: Settings) -> Iterator[Link]:
    """Everything to Cassandra goes through this link."""
    link = Link(fresh.CASSANDRA_CONTACT_POINTS[0])
    fresh.CASSANDRA_CONTACT_POINTS = [link.address]
    yield link
    CONNECTOR.close()
    link.close()


@pytest.fixture
def never_fresh(settings: Settings) -> None:
    """Every look at a session asks Cassandra, as it would a minute later."""
    settings.SESSION_CACHE_SECONDS = 0
