"""Servers with settings of their own, and Node with the frontend tools."""

import json
import re
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest
from pymongo.database import Database

from catalog.models import Geozone
from deploy.local.launch import Launch
from deploy.local.progress import Progress
from deploy.node import graphiql, tools
from gateway.mongo.client import Document
from gateway.tests.redis_servers import free_port


class Server(NamedTuple):
    client: httpx.Client
    log: Path

    def logged(self, event: str) -> list[dict[str, Any]]:
        lines = [json.loads(line) for line in self.log.read_text().splitlines() if line.startswith("{")]
        return [line for line in lines if line["event"] == event]

    def process(self) -> int:
        """Its id, as uvicorn says it."""
        (found,) = re.findall(r"Started server process \[(\d+)\]", self.log.read_text())
        return int(found)


@pytest.fixture(scope="session")
def serve(run_process: Callable[..., Path]) -> Iterator[Callable[..., Server]]:
    """Starts a web server with some settings changed."""
    with ExitStack() as clients:

        def start(**environment: str) -> Server:
            port = free_port()
            command = ("uvicorn", "gateway.asgi:application", "--no-proxy-headers", "--port", str(port))
            log = run_process(*command, **environment)
            client = clients.enter_context(httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=20))
            for _ in range(1200):
                try:
                    client.get("/healthz")
                except httpx.ConnectError:
                    time.sleep(0.1)
                else:
                    return Server(client, log)
            pytest.fail(f"the web server does not answer:\n{log.read_text()}")

        yield start


@pytest.fixture(scope="session")
def strict(serve: Callable[..., Server]) -> Server:
    """As in production: nothing told about the schema, few points, and one server that may name its buyers."""
    return serve(
        GRAPHQL_INTROSPECTION="false",
        GRAPHQL_SUGGESTIONS="false",
        GRAPHIQL="false",
        GRAPHQL_BUCKET_POINTS="100",
        GRAPHQL_BUCKET_RESTORE="1",
        # What these tests spend is what the tariff says, however slow the machine.
        GRAPHQL_POINTS_PER_MS="0",
        GRAPHQL_SERVER_TOKENS="a-token-that-a-server-of-the-shop-holds",
        GRAPHQL_CORS_ORIGINS="https://shop.example",
        GRAPHQL_OPERATIONS="log",
    )


@pytest.fixture(scope="session")
def alone(serve: Callable[..., Server], tmp_path_factory: pytest.TempPathFactory) -> Server:
    """Neither Redis nor MongoDB nor Cassandra is there, but the scripts of GraphiQL are. As few points as `strict`."""
    assets = tmp_path_factory.mktemp("alone") / "graphiql"
    graphiql.prepare(Launch(Progress()), assets)
    return serve(
        GRAPHIQL_ASSETS=str(assets),
        REDIS_URL=f"redis://127.0.0.1:{free_port()}/0",
        REDIS_CACHE_URL=f"redis://127.0.0.1:{free_port()}/0",
        GRAPHQL_BUCKET_POINTS="100",
        GRAPHQL_BUCKET_RESTORE="1",
        GRAPHQL_POINTS_PER_MS="0",
        MONGODB_URI=f"mongodb://127.0.0.1:{free_port()}/",
        CASSANDRA_CONTACT_POINTS="",
        MONGODB_SERVER_SELECTION_MS="300",
    )


@pytest.fixture
def geozones(database: Database[Document]) -> None:
    Geozone.objects.create(code="spb", name="Санкт-Петербург", position=2)
    Geozone.objects.create(code="msk", name="Москва", position=1)


@pytest.fixture(scope="session")
def node() -> Callable[..., str]:
    """Runs a program of deploy/node or of one of its packages; returns what it prints."""
    program = tools.installed(Launch(Progress())).program

    def run(script: Path, *arguments: str, cwd: Path = tools.HERE) -> str:
        done = subprocess.run(
            [program, script, *arguments], cwd=cwd, capture_output=True, text=True, check=False, timeout=60
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    return run
