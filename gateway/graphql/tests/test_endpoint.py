"""GraphQL over HTTP, as a real client of a real server sees it."""

import json

import httpx
import pytest
from pymongo.database import Database

from catalog.models import Geozone
from gateway.mongo.client import Document

GRAPHQL_RESPONSE = "application/graphql-response+json"


@pytest.fixture(autouse=True)
def geozones(database: Database[Document]) -> None:
    Geozone.objects.create(code="spb", name="Санкт-Петербург", position=2)
    Geozone.objects.create(code="msk", name="Москва", position=1)


def test_geozones_by_post_in_the_order_of_the_merchandisers(web: httpx.Client) -> None:
    response = web.post("/graphql", json={"query": "{ geozones { code name } }"})

    assert response.status_code == 200
    assert response.headers["content-type"] == "application/json; charset=utf-8"
    assert response.json() == {
        "data": {"geozones": [{"code": "msk", "name": "Москва"}, {"code": "spb", "name": "Санкт-Петербург"}]}
    }


def test_query_by_get_with_variables_and_operation_name(web: httpx.Client) -> None:
    response = web.get(
        "/graphql",
        params={
            "query": "query A { geozones { code } } query B($all: Boolean!) { geozones { name @include(if: $all) } }",
            "variables": json.dumps({"all": True}),
            "operationName": "B",
        },
        headers={"accept": GRAPHQL_RESPONSE},
    )

    assert response.headers["content-type"] == f"{GRAPHQL_RESPONSE}; charset=utf-8"
    assert response.json() == {"data": {"geozones": [{"name": "Москва"}, {"name": "Санкт-Петербург"}]}}


@pytest.mark.parametrize(("accept", "status"), [("application/json", 200), (GRAPHQL_RESPONSE, 400)])
@pytest.mark.parametrize("query", ["{ geozones {", "{ nothing }"])
def test_invalid_document_has_the_status_its_media_type_asks_for(
    web: httpx.Client, accept: str, status: int, query: str
) -> None:
    response = web.post("/graphql", json={"query": query}, headers={"accept": accept})

    assert response.status_code == status
    assert "data" not in response.json()
    assert len(response.json()["errors"]) == 1


@pytest.mark.parametrize(
    ("content", "content_type", "status", "message"),
    [
        (b"{", "application/json", 400, "The body is not JSON."),
        (b"[]", "application/json", 400, "The body must be a JSON object."),
        (b"{}", "application/json", 400, "`query` is missing."),
        (b'{"query": 1}', "application/json", 400, "`query` is missing."),
        (b'{"query": "{a}", "variables": []}', "application/json", 400, "`variables` must be an object."),
        (b'{"query": "{a}", "operationName": 1}', "application/json", 400, "`operationName` must be a string."),
        (b"query={a}", "application/x-www-form-urlencoded", 415, "The content type must be application/json."),
        (b" " * 1_000_001, "application/json", 413, "The body is larger than 1000000 bytes."),
    ],
)
def test_broken_request_is_told_what_is_wrong(
    web: httpx.Client, content: bytes, content_type: str, status: int, message: str
) -> None:
    response = web.post("/graphql", content=content, headers={"content-type": content_type})

    assert response.status_code == status
    assert response.json() == {"errors": [{"message": message}]}


def test_other_methods_are_refused(web: httpx.Client) -> None:
    response = web.put("/graphql", json={"query": "{ geozones { code } }"})

    assert (response.status_code, response.headers["allow"]) == (405, "GET, POST")


def test_request_id_is_answered_and_a_hostile_one_replaced(web: httpx.Client) -> None:
    given = web.get("/healthz", headers={"x-request-id": "checkout-0001"})
    hostile = web.get("/healthz", headers={"x-request-id": 'x" level="fatal'})

    assert given.headers["x-request-id"] == "checkout-0001"
    assert len(hostile.headers["x-request-id"]) == 32
