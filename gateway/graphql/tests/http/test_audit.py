"""The audit suite of graphql-http, the reference of GraphQL over HTTP: every MUST, SHOULD and MAY."""

import json
from collections.abc import Callable

import httpx

from deploy.node.tools import HERE


def test_graphql_http_audit_passes_whole(web: httpx.Client, node: Callable[..., str]) -> None:
    findings = json.loads(node(HERE / "audit.mjs", str(web.base_url.join("/graphql"))))

    assert len(findings) > 50
    assert [finding for finding in findings if finding["status"] != "ok"] == []
