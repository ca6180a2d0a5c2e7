"""Fixtures for every test: the real servers, with the topology applied once and documents removed after each test."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import StringIO
from pathlib import Path
from typing import Any

import httpx
import pytest
from django.conf import settings
from django.contrib.auth.models import Group
from django.core.management import call_command
from django.test.utils import setup_databases, teardown_databases
from pymongo.database import Database

from catalog.categories import CATEGORIES
from deploy.local.stack import Stack
from gateway.accounts.models import User
from gateway.accounts.tests.signed import forget_attempts
from gateway.mongo import topology
from gateway.mongo.client import Document, client, database
from gateway.mongo.collections import declared
from gateway.mongo.routing import ROUTING
from gateway.redis import redis_client
from ordering.holds import QUEUE

BASE_DIR = Path(__file__).parent
TEST_ROOT = BASE_DIR / ".local" / "test"


@pytest.fixture(scope="session")
def cluster(django_test_environment: None, django_db_blocker: Any) -> Iterator[None]:
    """The test database with Django's tables, our topology, and Cassandra's tables: all may be used from here on."""
    with django_db_blocker.unblock():
        databases = setup_databases(verbosity=0, interactive=False)
        topology.apply(database())
        if settings.CASSANDRA_CONTACT_POINTS:
            call_command("cassandra", "apply", stdout=StringIO())
        ROUTING.refresh(client(), database().name)
        yield
        teardown_databases(databases, verbosity=0)


@pytest.fixture(name="database")
def clean_database(cluster: None) -> Iterator[Database[Document]]:
    """The test database through mongos; emptied afterwards by deletes, which keep the sharding and cost little."""
    forget_attempts()
    yield database()
    django_tables = (User._meta.db_table, Group._meta.db_table)
    for name in [*(name for name, _ in declared()), *django_tables]:
        database()[name].delete_many({})
    CATEGORIES.forget()


@pytest.fixture
def stack() -> Iterator[Stack]:
    """The running servers, to be killed and started; healthy again for the next test, even after a failed one."""
    stack = Stack.at(TEST_ROOT)
    if stack.env().get("MONGODB_URI") != os.environ.get("MONGODB_URI"):
        pytest.skip("the servers are not ours to kill")
    yield stack
    for name in stack.names:
        stack.start(name)
    stack.wait_healthy(timeout=60)


@pytest.fixture(scope="session")
def run_process(cluster: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Path]]:
    """Starts processes of the gateway on the test database; returns the path of their log. All end with the session."""
    with _processes(tmp_path_factory.mktemp("logs")) as start:
        yield start


@pytest.fixture
def run_worker(cluster: None, tmp_path: Path) -> Iterator[Callable[..., Path]]:
    """Starts Celery workers on the queue of this run, without what earlier tests left there.

    They end with the test: a worker that stays would do the tasks of later tests behind their backs.
    """
    redis = redis_client()
    redis.delete(settings.CELERY_TASK_DEFAULT_QUEUE, QUEUE, *redis.scan_iter("soon:*"))
    with _processes(tmp_path) as start:
        yield lambda *options, **environment: start("celery", "-A", "gateway", "worker", *options, **environment)


@contextmanager
def _processes(logs: Path) -> Iterator[Callable[..., Path]]:
    processes: list[subprocess.Popen[bytes]] = []

    def start(*command: str, **environment: str) -> Path:
        log = logs / f"{len(processes)}.log"
        variables = {
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "gateway.test_settings",
            "MONGODB_DATABASE": database().name,
            **environment,
        }
        with log.open("wb") as output:
            processes.append(
                subprocess.Popen(
                    [sys.executable, "-m", *command], cwd=BASE_DIR, env=variables, stdout=output, stderr=output
                )
            )
        return log

    try:
        yield start
    finally:
        for process in processes:
            process.terminate()
        for process in processes:
            process.wait(timeout=20)


@pytest.fixture(scope="session")
def web(run_process: Callable[..., Path]) -> Iterator[httpx.Client]:
    """A client of a real web server."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    log = run_process("uvicorn", "gateway.asgi:application", "--port", str(port))
    with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=20) as client:
        for _ in range(600):
            try:
                client.get("/healthz")
            except httpx.ConnectError:
                time.sleep(0.1)
            else:
                break
        else:
            pytest.fail(f"the web server does not answer:\n{log.read_text()}")
        yield client
