"""Fixtures for every test: the real servers, with the topology applied once and documents removed after each test."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from pymongo.database import Database

from deploy.local.stack import Stack
from gateway.accounts.models import User
from gateway.mongo import topology
from gateway.mongo.collections import declared

TEST_ROOT = Path(__file__).parent / ".local" / "test"


@pytest.fixture(scope="session")
def cluster(django_db_setup: None, django_db_blocker: Any) -> Iterator[None]:
    """The test database with Django's tables and our topology. Documents may be read and written from here on."""
    with django_db_blocker.unblock():
        topology.apply(connection.database)
        yield


@pytest.fixture
def database(cluster: None) -> Iterator[Database[dict[str, Any]]]:
    """The test database through mongos; emptied afterwards by deletes, which keep the sharding and cost little."""
    yield connection.database
    for name in [*(name for name, _ in declared()), User._meta.db_table]:
        connection.database[name].delete_many({})


@pytest.fixture
def stack() -> Iterator[Stack]:
    """The running servers, to be killed and started; healthy again for the next test."""
    stack = Stack.at(TEST_ROOT)
    if "MONGODB_URI" in os.environ and stack.env().get("MONGODB_URI") != os.environ["MONGODB_URI"]:
        pytest.skip("the servers are not ours to kill")
    yield stack
    stack.wait_healthy(timeout=60)
