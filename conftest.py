"""Fixtures for every test: the real servers, with the topology applied once and documents removed after each test."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from io import StringIO
from pathlib import Path
from typing import Any

import httpx
import pytest
from django.conf import settings
from django.core.management import call_command
from django.test.utils import setup_databases, teardown_databases
from pymongo import DeleteMany
from pymongo.database import Database
from pytest_django import Settings
from xdist.remote import Producer
from xdist.scheduler import LoadFileScheduling

from admin_ext.counters import forget_counts
from catalog.search.vocabulary.memory import REMEMBERED
from catalog.structure.category_tree import CATEGORIES
from catalog.structure.names import GEOZONE_NAMES
from deploy.local.lanes import ROOT_VARIABLE
from deploy.local.layout import TEST_ROOT
from deploy.local.start.stack import Stack
from gateway.accounts.tests.demo import TABLES
from gateway.accounts.tests.sessions import forget_attempts
from gateway.mongo import topology
from gateway.mongo.client import Document, client, database
from gateway.mongo.collections import declared_collections
from gateway.mongo.outage import MONGODB
from gateway.mongo.routing import ROUTING
from gateway.redis.clients import redis_client
from gateway.sync.tests.rows import forget_rows
from gateway.tests.redis_servers import RedisServer, free_port, redis_servers
from gateway.tests.web_servers import Server, answering

# Fixtures that several apps share: a small shop, and products in it to buy.
pytest_plugins = ("catalog.tests.shop", "cart.tests.shop")

BASE_DIR = Path(__file__).parent
# The server closes a connection that nobody used for five seconds: a client must not begin a request on it just then.
CONNECTIONS = httpx.Limits(max_connections=100, max_keepalive_connections=20, keepalive_expiry=2.0)
# Of the servers that many tests ask.
CLIENTS: list[httpx.Client] = []
# Rooms that one lane does as a whole: the launcher's tests could meet on a port, the others share what is dear to make,
# servers without a database and six thousand products. A browser is made in a second: each lane has its own.
WHOLE_ROOMS = ("deploy/local/tests", "gateway/graphql/tests", "catalog/tests/listing")


class RoomByRoom(LoadFileScheduling):
    """A file at a time, or one of the rooms, to whichever lane is free."""

    def _split_scope(self, nodeid: str) -> str:
        return next((room for room in WHOLE_ROOMS if nodeid.startswith(room)), super()._split_scope(nodeid))


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> RoomByRoom:
    return RoomByRoom(config, log)


@pytest.fixture(scope="session")
def cluster(request: pytest.FixtureRequest, django_test_environment: None, django_db_blocker: Any) -> Iterator[None]:
    """The test database with Django's tables, our topology, and Cassandra's tables: all may be used from here on."""
    kept = request.config.getoption("reuse_db")
    anew = request.config.getoption("create_db")
    with django_db_blocker.unblock():
        databases = setup_databases(verbosity=0, interactive=False, keepdb=kept and not anew)
        topology.apply(database())
        if settings.CASSANDRA_CONTACT_POINTS:
            call_command("cassandra", "apply", stdout=StringIO())
        ROUTING.refresh(client(), database().name)
        if kept:  # a run that was killed may have left documents
            _empty([*(name for name, _ in declared_collections()), *TABLES])
        yield
        teardown_databases(databases, verbosity=0, keepdb=kept)


@pytest.fixture(name="database")
def clean_database(cluster: None) -> Iterator[Database[Document]]:
    """The test database through mongos; emptied afterwards by deletes, which keep the sharding."""
    forget_attempts()
    yield database()
    _empty([*(name for name, _ in declared_collections()), *TABLES])
    forget_rows()
    CATEGORIES.forget()
    GEOZONE_NAMES.forget()
    REMEMBERED.forget()
    forget_counts()


def _empty(collections: list[str]) -> None:
    if _deletes_at_once():
        deletes = [DeleteMany({}, namespace=f"{database().name}.{name}") for name in collections]
        client().bulk_write(deletes, ordered=False)
        return
    for name in collections:
        database()[name].delete_many({})


@cache
def _deletes_at_once() -> bool:
    """MongoDB 8 takes them in one command, in a sixth of the time: it adds up, for every test ends with them."""
    version: int = client().server_info()["versionArray"][0]
    return version >= 8


@pytest.fixture
def stack() -> Iterator[Stack]:
    """The running servers, to be killed and started; healthy again for the next test, even after a failed one."""
    with _healthy_afterwards() as stack:
        yield stack


@pytest.fixture(scope="module")
def stack_of_module() -> Iterator[Stack]:
    """Likewise, for one outage that many tests look at."""
    with _healthy_afterwards() as stack:
        yield stack


@pytest.fixture
def mongodb_away(settings: Settings) -> Iterator[None]:
    """The API of this process takes MongoDB for away; nothing is killed, and whoever asks it all the same ends that."""
    settings.MONGODB_CIRCUIT_SECONDS = 600.0
    MONGODB.note_loss("says the test")
    yield
    MONGODB.reset()


@contextmanager
def _healthy_afterwards() -> Iterator[Stack]:
    stack = Stack.at(Path(os.environ.get(ROOT_VARIABLE, TEST_ROOT)))
    if stack.env().get("MONGODB_URI") != os.environ.get("MONGODB_URI"):
        pytest.skip("the servers are not ours to kill")
    try:
        yield stack
    finally:
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
    waiting = [key for pattern in ("soon:*", "sync:*", "queue:*") for key in redis.scan_iter(pattern)]
    redis.delete(settings.CELERY_TASK_DEFAULT_QUEUE, *waiting)
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
            "TRUSTED_PROXIES": "127.0.0.1",  # so that a test can come from anywhere, by X-Forwarded-For
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
def run_redis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., RedisServer]]:
    """Starts Redis servers with options of the test's own. All end with the session."""
    with redis_servers(tmp_path_factory.mktemp("redis")) as start:
        yield start


@pytest.fixture(scope="session")
def serve(run_process: Callable[..., Path]) -> Iterator[Callable[..., Server]]:
    """Starts a web server with some settings changed, or gives the one that was started with the same before."""
    with ExitStack() as clients:

        @cache
        def start(**environment: str) -> Server:
            port = free_port()
            command = ("gateway.tests.web_process", str(port))
            log = run_process(*command, **environment)
            client = clients.enter_context(
                httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=20, limits=CONNECTIONS)
            )
            CLIENTS.append(client)
            return Server(answering(client, log), log)

        yield start


@pytest.fixture(autouse=True)
def without_cookies() -> Iterator[None]:
    """Whoever signed in is gone with the test: the next one asks the same servers as a stranger."""
    yield
    for each in CLIENTS:
        each.cookies.clear()


@pytest.fixture(scope="session")
def web(serve: Callable[..., Server]) -> httpx.Client:
    """A client of a real web server."""
    return serve().client
