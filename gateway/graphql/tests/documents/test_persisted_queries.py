"""Automatic persisted queries, by Apollo's protocol."""

import json
import uuid
from typing import Any

import httpx
import pytest

from gateway.graphql.documents.persisted_queries import hash_of
from gateway.tests.web_servers import Server


def new_text() -> str:
    """A valid document that nobody has sent before."""
    return f"query Q{uuid.uuid4().hex} {{ __typename }}"


def extensions(sha256: str) -> dict[str, Any]:
    return {"persistedQuery": {"version": 1, "sha256Hash": sha256}}


def by_get(client: httpx.Client, sha256: str, **parameters: str) -> httpx.Response:
    return client.get("/graphql", params={"extensions": json.dumps(extensions(sha256)), **parameters})


def by_post(client: httpx.Client, sha256: str, **content: str) -> httpx.Response:
    return client.post("/graphql", json={"extensions": extensions(sha256), **content})


@pytest.mark.parametrize("send", [by_get, by_post])
def test_unknown_hash_is_told_in_the_words_of_the_protocol_and_not_cached(web: httpx.Client, send: Any) -> None:
    response = send(web, hash_of(new_text()))

    assert response.status_code == 200
    assert response.headers["cache-control"] == "private, no-store"
    assert response.json()["errors"] == [
        {"message": "PersistedQueryNotFound", "extensions": {"code": "PERSISTED_QUERY_NOT_FOUND"}}
    ]


@pytest.mark.parametrize("send", [by_get, by_post])
def test_hash_sent_once_with_its_text_is_enough_from_then_on(web: httpx.Client, send: Any) -> None:
    text = new_text()

    first = send(web, hash_of(text), query=text)
    then = [by_get(web, hash_of(text)), by_post(web, hash_of(text))]

    assert first.json()["data"] == {"__typename": "Query"}
    assert [response.json()["data"] for response in then] == [{"__typename": "Query"}] * 2


@pytest.mark.parametrize("name", ["documentId", "doc_id", "id"])
def test_id_is_taken_under_the_names_that_clients_use(web: httpx.Client, name: str) -> None:
    text = new_text()
    by_post(web, hash_of(text), query=text)

    posted = web.post("/graphql", json={name: hash_of(text)})
    got = web.get("/graphql", params={name: f"sha256:{hash_of(text)}"})

    assert [response.json()["data"] for response in (posted, got)] == [{"__typename": "Query"}] * 2
    assert web.post("/graphql", json={name: 5}).json()["errors"][0]["message"] == f"Должно быть строкой: {name}."


def test_hash_stored_by_one_server_is_known_to_another(web: httpx.Client, strict: Server) -> None:
    text = new_text()
    by_post(web, hash_of(text), query=text)

    response = by_post(strict.client, hash_of(text))

    assert response.json()["data"] == {"__typename": "Query"}


def test_wrong_hash_is_refused_and_nothing_stored(web: httpx.Client) -> None:
    text, other = new_text(), hash_of(new_text())

    response = by_post(web, other, query=text)

    assert response.status_code == 400
    assert response.json()["errors"][0]["extensions"]["code"] == "PERSISTED_QUERY_HASH_MISMATCH"
    assert by_post(web, other).json()["errors"][0]["message"] == "PersistedQueryNotFound"
    assert by_post(web, hash_of(text)).json()["errors"][0]["message"] == "PersistedQueryNotFound"


def test_invalid_document_is_not_stored(web: httpx.Client) -> None:
    text = f"query Q{uuid.uuid4().hex} {{ nothing }}"

    refused = by_post(web, hash_of(text), query=text)

    assert refused.json()["errors"][0]["extensions"]["code"] == "GRAPHQL_VALIDATION_FAILED"
    assert by_post(web, hash_of(text)).json()["errors"][0]["message"] == "PersistedQueryNotFound"


@pytest.mark.parametrize(
    "extension",
    [1, {}, {"version": 2, "sha256Hash": "0" * 64}, {"version": 1, "sha256Hash": {"$ne": ""}}, {"version": 1}],
)
def test_extension_of_another_form_is_refused(web: httpx.Client, extension: Any) -> None:
    response = web.post("/graphql", json={"extensions": {"persistedQuery": extension}})

    assert (response.status_code, response.json()["errors"][0]["extensions"]["code"]) == (400, "BAD_REQUEST")


def test_without_redis_texts_are_served_and_hashes_known_to_the_process(alone: Server) -> None:
    text = new_text()

    missed = by_post(alone.client, hash_of(text))
    whole = by_post(alone.client, hash_of(text), query=text)
    plain = alone.client.post("/graphql", json={"query": "{ __typename }"})
    remembered = by_post(alone.client, hash_of(text))

    assert missed.json()["errors"][0]["message"] == "PersistedQueryNotFound"
    for response in (whole, plain, remembered):
        assert response.json()["data"] == {"__typename": "Query"}
