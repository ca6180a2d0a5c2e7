"""The tools that frontends are built with take the committed schema and our endpoint as they are."""

import json
import shutil
import uuid
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest
from django.conf import settings

from deploy.node.tools import HERE

SCHEMA = settings.BASE_DIR / "gateway" / "schema.graphql"
MODULES = HERE / "node_modules"

GEOZONES = "query AppGeozonesQuery { geozones { code name } }"
PRODUCTS = """
query AppProductsQuery($first: Int!, $after: String) { ...App_products @arguments(first: $first, after: $after) }
"""
PAGE = """
fragment App_products on Query
@refetchable(queryName: "AppProductsPageQuery")
@argumentDefinitions(first: { type: "Int!" }, after: { type: "String" }) {
  products(first: $first, after: $after) @connection(key: "App_products") {
    edges { node { id name price { amount } } }
  }
}
"""
NODE = """
fragment App_product on Product @refetchable(queryName: "AppProductQuery") { name }
"""


@pytest.fixture
def frontend(tmp_path: Path) -> Path:
    """A frontend's repository: the schema, and a place for sources."""
    shutil.copy(SCHEMA, tmp_path)
    (tmp_path / "node_modules").symlink_to(MODULES)
    (tmp_path / "src").mkdir()
    return tmp_path


def test_relay_compiler_compiles_queries_and_connections(frontend: Path, node: Callable[..., str]) -> None:
    tags = "\n".join(f"graphql`{document}`;" for document in (GEOZONES, PRODUCTS, PAGE, NODE))
    (frontend / "src" / "App.ts").write_text(f'import {{ graphql }} from "relay-runtime";\n{tags}\n')
    (frontend / "relay.config.json").write_text(
        json.dumps({"src": "src", "schema": "schema.graphql", "language": "typescript", "noSourceControl": True})
    )

    node(MODULES / "relay-compiler" / "cli.js", "relay.config.json", cwd=frontend)

    generated = frontend / "src" / "__generated__"
    assert "readonly code: string" in (generated / "AppGeozonesQuery.graphql.ts").read_text()
    assert (generated / "AppProductsPageQuery.graphql.ts").exists()
    # Refetched by Query.node.
    assert '"name": "node"' in (generated / "AppProductQuery.graphql.ts").read_text()


def test_graphql_codegen_makes_types(frontend: Path, node: Callable[..., str]) -> None:
    (frontend / "operations.graphql").write_text("query Geozones { geozones { code name } }")
    plugins = {"plugins": ["typescript", "typescript-operations"]}
    (frontend / "codegen.json").write_text(
        json.dumps({"schema": "schema.graphql", "documents": "*s.graphql", "generates": {"types.ts": plugins}})
    )

    node(MODULES / "@graphql-codegen" / "cli" / "cjs" / "bin.js", "--config", "codegen.json", cwd=frontend)

    types = (frontend / "types.ts").read_text()
    assert "export type GeozonesQuery = { geozones: Array<{ code: string, name: string }> };" in types


def test_apollo_client_persists_a_query_and_then_gets_it_by_its_hash(
    web: httpx.Client, node: Callable[..., str], geozones: None
) -> None:
    # Nobody else asks this: the alias makes the text new, even for a Redis that remembers earlier runs.
    query = f"query Zones {{ zones_{uuid.uuid4().hex}: geozones {{ code }} }}"

    told = json.loads(node(HERE / "apollo.mjs", str(web.base_url.join("/graphql")), "2", query))

    (zones,) = told["results"][0].values()
    assert [zone["code"] for zone in zones] == ["msk", "spb"]
    assert told["results"][1] == told["results"][0]
    assert told["exchanges"] == [
        {
            "method": "GET",
            "withQuery": False,
            "status": 200,
            "cacheControl": "private, no-store",
            "code": "PERSISTED_QUERY_NOT_FOUND",
        },
        {"method": "POST", "withQuery": True, "status": 200, "cacheControl": "private, no-store", "code": None},
        {"method": "GET", "withQuery": False, "status": 200, "cacheControl": "public, max-age=30", "code": None},
    ]
