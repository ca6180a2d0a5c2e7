"""A database of one test's own on the real cluster, and plain servers beside it."""

import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import StringIO
from pathlib import Path
from uuid import uuid4

import pytest
from django.conf import settings
from pymongo import MongoClient
from pymongo.database import Database

from deploy.local.errors import StackError
from deploy.local.launch import Launch
from deploy.local.progress import Progress
from deploy.local.servers import mongodb
from gateway.mongo.client import Document

TopologyCommand = Callable[..., "subprocess.Popen[str]"]
Addresses = Callable[[str], str]


@pytest.fixture(scope="session")
def mongos() -> Iterator[MongoClient[Document]]:
    with MongoClient[Document](settings.MONGODB_URI) as client:
        yield client


@contextmanager
def own_database(mongos: MongoClient[Document]) -> Iterator[Database[Document]]:
    """A database that nobody else uses; afterwards it goes, and zones named after it go with it."""
    database = mongos[f"topology_{uuid4().hex[:8]}"]
    yield database
    mongos.drop_database(database)
    for shard in mongos.config.shards.find():
        for zone in shard.get("tags") or ():
            if zone.startswith(database.name):
                mongos.admin.command("removeShardFromZone", shard["_id"], zone=zone)


@pytest.fixture
def scratch(mongos: MongoClient[Document]) -> Iterator[Database[Document]]:
    with own_database(mongos) as database:
        yield database


@pytest.fixture
def shards(mongos: MongoClient[Document]) -> list[str]:
    return [shard["_id"] for shard in mongos.config.shards.find().sort("_id")]


@pytest.fixture
def topology_command() -> Iterator[TopologyCommand]:
    """`manage.py topology …` in a process of its own, on a database and server given by name."""
    started: list[subprocess.Popen[str]] = []

    def start(
        *arguments: str, database: str, uri: str = settings.MONGODB_URI, **environment: str
    ) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "manage.py", "topology", *arguments],
            cwd=settings.BASE_DIR,
            env={
                **os.environ,
                "DJANGO_SETTINGS_MODULE": "gateway.test_settings",
                "MONGODB_URI": uri,
                "MONGODB_DATABASE": database,
                **environment,
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


@contextmanager
def plain_mongod(directory: Path, *flags: str) -> Iterator[str]:
    """The address of a mongod that belongs to no cluster."""
    try:
        binaries = mongodb.locate(Launch(Progress(StringIO())))
    except StackError as error:
        pytest.skip(f"no mongod to start: {error}")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen(
        [
            *(str(binaries.mongod), "--bind_ip", "127.0.0.1", "--port", str(port), "--nounixsocket"),
            *("--dbpath", str(directory), "--wiredTigerCacheSizeGB", "0.25", *flags),
        ],
        env={**os.environ, **({"LD_LIBRARY_PATH": str(binaries.libraries)} if binaries.libraries else {})},
        stdout=subprocess.DEVNULL,
    )
    try:
        yield f"127.0.0.1:{port}"
    finally:
        process.kill()
        process.wait()


@pytest.fixture(scope="session")
def replica_set(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URI of a replica set of one member that is no shard."""
    directory = tmp_path_factory.mktemp("replica-set")
    with plain_mongod(directory, "--replSet", "plain", "--oplogSize", "64") as address:
        uri = f"mongodb://{address}/?directConnection=true"
        with MongoClient[Document](uri) as client:
            client.admin.command("replSetInitiate", {"_id": "plain", "members": [{"_id": 0, "host": address}]})
            while not client.admin.command("hello")["isWritablePrimary"]:
                pass
        yield uri


@pytest.fixture(scope="session")
def guarded_standalone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Addresses]:
    """A standalone mongod that asks for a password: its URI for the user `root`, or for `reader`, who may not write."""
    with plain_mongod(tmp_path_factory.mktemp("standalone"), "--auth") as address:
        with MongoClient[Document](f"mongodb://{address}/") as client:
            client.admin.command("createUser", "root", pwd="secret", roles=["root"])
        with MongoClient[Document](f"mongodb://root:secret@{address}/") as client:
            client.admin.command("createUser", "reader", pwd="secret", roles=["readAnyDatabase"])
        yield lambda user: f"mongodb://{user}:secret@{address}/?authSource=admin"
