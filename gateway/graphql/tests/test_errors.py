"""What the caller learns when something of ours fails: an id, and nothing else."""

import json
import os
import re
import socket
import time
from collections.abc import Callable

import httpx
import pytest
from graphql import GraphQLFormattedError

from gateway.graphql.errors import MAX_ERRORS, TOO_SLOW, bounded
from gateway.graphql.tests.attacks import KINDS, conflicts
from gateway.tests.web_servers import Server


def test_fault_is_masked_and_found_in_the_log_by_its_id(serve: Callable[..., Server]) -> None:
    # A password that the servers, which know none, cannot check: a fault of ours, and no outage.
    server = serve(MONGODB_URI=re.sub("//(.*@)?", "//shop:wrong@", os.environ["MONGODB_URI"], count=1))

    response = server.client.post("/graphql", json={"query": "{ geozones { code } }"})

    (error,) = response.json()["errors"]
    assert (response.status_code, response.json()["data"]) == (200, None)
    assert error == {
        "message": "Внутренняя ошибка. Мы уже знаем о ней.",
        "path": ["geozones"],
        "extensions": {"code": "INTERNAL", "requestId": response.headers["x-request-id"]},
    }
    lines = server.logged("graphql_fault")
    (line,) = [line for line in lines if line["request_id"] == error["extensions"]["requestId"]]
    assert "OperationFailure" in str(line["exception"])


def test_outage_that_nobody_can_bridge_is_told_so_with_one_line_in_the_log(alone: Server) -> None:
    query = '{ first: product(productId: "P") { name } second: product(productId: "P") { name } geozones { code } }'

    response = alone.client.post("/graphql", json={"query": query}, headers={"accept-language": "en"})

    request_id = response.headers["x-request-id"]
    assert (response.status_code, response.headers["retry-after"]) == (503, "3")
    assert response.headers["cache-control"] == "private, no-store"
    assert response.json()["data"] is None
    assert {
        "message": "The shop cannot answer this for the moment, try again shortly.",
        "path": ["geozones"],
        "extensions": {"code": "UNAVAILABLE", "requestId": request_id, "retryAfter": 3},
    } in response.json()["errors"]
    assert len([line for line in alone.logged("graphql_unavailable") if line["request_id"] == request_id]) == 1
    assert [line for line in alone.logged("graphql_fault") if line["request_id"] == request_id] == []


def test_request_that_takes_too_long_is_stopped_and_told_so(serve: Callable[..., Server]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        server = serve(
            MONGODB_URI=f"mongodb://127.0.0.1:{silent.getsockname()[1]}/",
            GRAPHQL_MAX_SECONDS="0.5",
        )
        began = time.monotonic()
        response = server.client.post(
            "/graphql", json={"query": "{ geozones { code } }"}, headers={"accept-language": "en"}
        )
        took = time.monotonic() - began

    assert response.status_code == 200
    assert response.json()["data"] is None
    assert response.json()["errors"] == [
        {
            "message": TOO_SLOW.en,
            "extensions": {"code": "DEADLINE_EXCEEDED", "requestId": response.headers["x-request-id"]},
        }
    ]
    assert 0.5 <= took < 3


def test_suggestions_are_for_development(web: httpx.Client, strict: Server) -> None:
    request = {"query": "{ geozone { code } }"}

    open_ = web.post("/graphql", json=request).json()["errors"][0]["message"]
    closed = strict.client.post("/graphql", json=request, headers={"x-forwarded-for": "10.0.1.1"})

    assert open_ == "Cannot query field 'geozone' on type 'Query'. Did you mean 'geozones'?"
    assert closed.json()["errors"][0]["message"] == "Cannot query field 'geozone' on type 'Query'."


def test_introspection_is_for_development(web: httpx.Client, strict: Server) -> None:
    request = {"query": "{ __schema { queryType { name } } }"}

    open_ = web.post("/graphql", json=request)
    closed = strict.client.post("/graphql", json=request, headers={"x-forwarded-for": "10.0.1.2"})

    assert open_.json()["data"] == {"__schema": {"queryType": {"name": "Query"}}}
    assert "data" not in closed.json()
    assert {error["extensions"]["code"] for error in closed.json()["errors"]} == {"GRAPHQL_VALIDATION_FAILED"}


def in_bytes(response: httpx.Response) -> int:
    return len(json.dumps(response.json()["errors"], ensure_ascii=False).encode())


# As many bytes of errors as a screen holds, whatever was sent.
MOST_BYTES = 9_000


@pytest.mark.parametrize("kind", [*KINDS, conflicts])
def test_errors_of_a_document_are_fewer_than_anybody_would_read(web: httpx.Client, kind: Callable[[int], str]) -> None:
    response = web.post("/graphql", json={"query": kind(1)})

    if "errors" in response.json():
        assert len(response.json()["errors"]) <= MAX_ERRORS + 1
        assert in_bytes(response) < MOST_BYTES


@pytest.mark.parametrize(
    ("query", "value"),
    [
        ("query ($v: [ID!]!) { nodes(ids: $v) { id } }", [["телефон" * 600]] * 100),
        ("query ($v: [ID!]!) { nodes(ids: $v) { id } }", [{"телефон" * 20: [1] * 50}] * 100),
        ("query ($v: Int) { products(first: $v) { totalCount } }", "\U0001f600" * 100_000),
        (
            "query ($v: ProductFilter!) { products(filter: $v) { totalCount } }",
            {f"{'n' * 1_000}{number}": 1 for number in range(500)},
        ),
    ],
)
def test_errors_of_variables_are_fewer_than_anybody_would_read(web: httpx.Client, query: str, value: object) -> None:
    response = web.post("/graphql", json={"query": query, "variables": {"v": value}})

    assert response.json()["errors"][0]["extensions"]["code"] == "BAD_USER_INPUT"
    assert len(response.json()["errors"]) <= MAX_ERRORS + 1
    assert in_bytes(response) < MOST_BYTES


def test_errors_of_a_page_of_nodes_are_told_shortly_and_say_how_many_there_are_more() -> None:
    path: list[str | int] = ["products", "nodes", 0, "a" * 128]
    errors: list[GraphQLFormattedError] = [
        {"message": "Нет такого товара. " * 200, "path": path, "extensions": {"code": "NOT_FOUND"}} for _ in range(100)
    ]

    told = bounded(errors, "en")

    assert len(json.dumps(told, ensure_ascii=False).encode()) < MOST_BYTES
    assert told[0]["path"] == path
    assert len(told[0]["message"]) == 501
    omitted = 100 - (len(told) - 1)
    assert told[-1] == {
        "message": f"There are more errors: {omitted} are not shown.",
        "extensions": {"code": "TOO_MANY_ERRORS", "omitted": omitted},
    }


def test_few_errors_are_told_whole() -> None:
    errors: list[GraphQLFormattedError] = [{"message": "No.", "path": ["a"], "extensions": {"code": "X"}}] * 10

    assert bounded(errors, "ru") == errors
