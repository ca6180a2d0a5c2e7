"""A frontend's repository, compiled by its own tools, whose clients then ask a real web server."""

import shutil
from collections.abc import Callable, Iterator

import pytest
from django.conf import settings
from django.core.management import call_command
from pymongo.database import Database

from cart.tests.buyer import product_id
from cart.tests.shop import sell_many
from deploy.local.launch import Launch
from deploy.local.progress import Progress
from deploy.node.tools import fetched_node, packages
from gateway.graphql.documents.persisted_queries import COLLECTION
from gateway.graphql.tests.clients.frontends import HERE, Frontend
from gateway.graphql.tests.clients.page_operations import for_codegen, for_relay
from gateway.mongo.client import Document
from gateway.tests.web_servers import Server

SCHEMA = settings.BASE_DIR / "gateway" / "schema.graphql"
MANY = 30


@pytest.fixture(scope="session")
def frontend(serve: Callable[..., Server], tmp_path_factory: pytest.TempPathFactory) -> Frontend:
    """Compiled once for all clients. Their server knows registered operations, and serves others too."""
    launch = Launch(Progress())
    # The tools ask for a newer Node than many machines have.
    node = fetched_node(launch)
    installed = packages(launch, node, HERE, name="clients", what="the clients of the tests")
    directory = tmp_path_factory.mktemp("frontend") / "shop"
    shutil.copytree(HERE / "frontend", directory)
    shutil.copy(SCHEMA, directory)
    shutil.copy(HERE / "package.json", directory)
    (directory / "operations" / "storefront.graphql").write_text(for_codegen(), encoding="utf-8")
    (directory / "relay" / "Storefront.ts").write_text(for_relay(), encoding="utf-8")
    (directory / "node_modules").symlink_to(installed / "node_modules")
    web = serve(GRAPHQL_OPERATIONS="log").client
    made = Frontend(directory, node.program, str(web.base_url.join("/graphql")))
    made.compile()
    return made


@pytest.fixture
def registered(frontend: Frontend, database: Database[Document]) -> Iterator[None]:
    """The operations that Relay's compiler wrote."""
    call_command("persist_queries", frontend.directory / "kept.json")
    yield
    database[COLLECTION].delete_many({})


@pytest.fixture
def buyable(stocked: Database[Document]) -> dict[str, str]:
    """A shop with more than one page of products: what the clients are told of it."""
    sell_many(stocked, MANY)
    return {"product": product_id("PROD-1"), "products": str(MANY + 2), "password": "a-password-of-a-buyer-9"}
