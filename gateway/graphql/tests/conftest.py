"""Servers with settings of their own, and Node with the frontend tools."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from pymongo.database import Database

from catalog.models import Geozone
from deploy.local.launch import Launch
from deploy.local.progress import Progress
from deploy.node import graphiql, tools
from gateway.mongo.client import Document
from gateway.tests.redis_servers import free_port
from gateway.tests.web_servers import Server


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
