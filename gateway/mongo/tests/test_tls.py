"""MongoDB by TLS: the options of MONGODB_URI reach both clients, and a server is believed by its certificate alone."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pymongo
import pytest
from django.conf import settings
from pymongo import AsyncMongoClient
from pymongo.errors import ServerSelectionTimeoutError

from deploy.local.launch import Launch
from deploy.local.progress import Progress
from deploy.local.servers import mongodb
from deploy.tests.servers import running
from gateway.mongo.backend.base import DatabaseWrapper
from gateway.mongo.fast_reads import address_of, mongojet
from gateway.tests.certificates import Certificates, make_certificates
from gateway.tests.redis_servers import free_port


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    return make_certificates(tmp_path_factory.mktemp("mongodb") / "tls")


@pytest.fixture(scope="module")
def address(certificates: Certificates, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server that speaks TLS and nothing else, and asks clients for certificates too."""
    directory, port = tmp_path_factory.mktemp("data"), free_port()
    binaries = mongodb.locate(Launch(Progress()))
    command = [
        *(str(binaries.mongod), "--port", str(port), "--bind_ip", "127.0.0.1", "--dbpath", str(directory)),
        *("--wiredTigerCacheSizeGB", "0.25", "--unixSocketPrefix", str(directory)),
        *("--tlsMode", "requireTLS", "--tlsCertificateKeyFile", str(certificates.certificate_and_key)),
        *("--tlsCAFile", str(certificates.authority)),
    ]
    libraries = {"LD_LIBRARY_PATH": str(binaries.libraries)} if binaries.libraries else {}
    log = directory / "log"
    with running(command, ready=lambda: "Waiting for connections" in said(log), log=log, environment=libraries):
        yield f"127.0.0.1:{port}"


def said(log: Path) -> str:
    return log.read_text() if log.exists() else ""


def orm(uri: str) -> DatabaseWrapper:
    configured: dict[str, Any] = settings.DATABASES["default"]
    options = {**configured["OPTIONS"], "serverSelectionTimeoutMS": 3_000}
    return DatabaseWrapper({**configured, "HOST": uri, "NAME": "tls", "OPTIONS": options}, alias="tls")


def trusted(address: str, certificates: Certificates) -> str:
    ours = certificates.certificate_and_key
    return f"mongodb://{address}/?tls=true&tlsCAFile={certificates.authority}&tlsCertificateKeyFile={ours}"


def test_both_clients_speak_tls_by_the_options_of_the_address(address: str, certificates: Certificates) -> None:
    connection = orm(trusted(address, certificates))

    async def ping() -> float:
        async with AsyncMongoClient(**connection.get_connection_params()) as client:
            return float((await client.admin.command("ping"))["ok"])

    try:
        connection.database["things"].insert_one({"_id": 1})
        assert connection.database["things"].find_one() == {"_id": 1}
        assert asyncio.run(ping()) == 1.0
    finally:
        connection.close_pool()


def test_finds_by_the_other_driver_speak_tls_by_the_same_options(address: str, certificates: Certificates) -> None:
    connection = orm(trusted(address, certificates))

    async def find(uri: str) -> list[Any]:
        client = await mongojet.create_client(address_of(uri))
        try:
            found: list[Any] = await client.get_database("tls").get_collection("found").find_many({})
            return found
        finally:
            await client.close()

    try:
        connection.database["found"].insert_one({"_id": 1})
        assert asyncio.run(find(trusted(address, certificates))) == [{"_id": 1}]
        with pytest.raises(mongojet.ConnectionFailure):
            asyncio.run(find(f"mongodb://{address}/?tls=true"))
    finally:
        connection.close_pool()


@pytest.mark.parametrize(
    "options",
    ["", "tls=true", "tls=true&tlsCAFile={authority}"],
    ids=["in the clear", "unknown authority", "without our certificate"],
)
def test_nothing_is_said_to_a_server_that_is_not_believed(
    address: str, certificates: Certificates, options: str
) -> None:
    connection = orm(f"mongodb://{address}/?{options.format(authority=certificates.authority)}")
    try:
        with pytest.raises((ServerSelectionTimeoutError, pymongo.errors.AutoReconnect)):
            connection.database["things"].find_one()
    finally:
        connection.close_pool()
