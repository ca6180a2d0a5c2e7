"""What the tests of the copies need of Cassandra."""

from collections.abc import Iterator

import pytest
from django.conf import settings as django_settings
from django.core.management import call_command
from django.test import override_settings

from gateway.cassandra.driver.session import CONNECTOR


@pytest.fixture(scope="module")
def tables() -> Iterator[None]:
    if not django_settings.CASSANDRA_CONTACT_POINTS:
        pytest.skip("Cassandra is not configured")
    with override_settings(CASSANDRA_CONNECT_TIMEOUT=20.0, CASSANDRA_REQUEST_TIMEOUT=20.0):
        call_command("cassandra", "apply", verbosity=0)
        yield
        CONNECTOR.close()
