"""Registered operations: those of our frontends, and with GRAPHQL_OPERATIONS=enforce no others."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from pymongo.database import Database

from gateway.graphql.documents.persisted_queries import COLLECTION, hash_of
from gateway.mongo.client import Document
from gateway.tests.eventually import eventually
from gateway.tests.web_servers import Server

TEXT = "query Zones {\n  geozones {\n    code\n  }\n}"


@pytest.fixture(autouse=True)
def operations(database: Database[Document]) -> Iterator[None]:
    yield
    database[COLLECTION].delete_many({})


@pytest.fixture(scope="session")
def locked(serve: Callable[..., Server]) -> Server:
    return serve(GRAPHQL_OPERATIONS="enforce")


def is_served(server: Server, request: dict[str, str]) -> bool:
    return "data" in server.client.post("/graphql", json=request).json()


def registered(database: Database[Document]) -> dict[str, str]:
    return {document["_id"]: document["text"] for document in database[COLLECTION].find()}


def test_graphql_file_is_registered_as_written_and_as_printed(database: Database[Document], tmp_path: Path) -> None:
    (tmp_path / "shop.graphql").write_text("query Zones { geozones { ...Z } } fragment Z on Geozone { code }\n")

    call_command("persist_queries", str(tmp_path / "shop.graphql"))
    call_command("persist_queries", str(tmp_path / "shop.graphql"))

    printed = "query Zones {\n  geozones {\n    ...Z\n  }\n}\n\nfragment Z on Geozone {\n  code\n}"
    written = (tmp_path / "shop.graphql").read_text()
    assert registered(database) == {hash_of(text): text for text in (written, written.strip(), printed)}


@pytest.mark.parametrize(
    "manifest",
    [
        {"md5-of-relay": TEXT},
        {
            "format": "apollo-persisted-query-manifest",
            "version": 1,
            "operations": [{"id": "md5-of-relay", "body": TEXT}],
        },
    ],
)
def test_manifest_is_registered_under_its_ids(
    database: Database[Document], tmp_path: Path, manifest: dict[str, object]
) -> None:
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))

    call_command("persist_queries", str(tmp_path / "manifest.json"))

    assert registered(database) == {"md5-of-relay": TEXT, hash_of(TEXT): TEXT}


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("a.graphql", "{ nothing }", "Cannot query field 'nothing'"),
        ("a.graphql", "{", "Syntax Error"),
        ("a.json", "[]", "neither a manifest of Apollo nor one of Relay"),
        ("a.json", "{", "Expecting property name"),
        ("a.json", json.dumps({"id": "{ nothing }"}), "Cannot query field 'nothing'"),
    ],
)
def test_bad_file_registers_nothing_of_any_file(
    database: Database[Document], tmp_path: Path, name: str, content: str, reason: str
) -> None:
    (tmp_path / "good.graphql").write_text(TEXT)
    (tmp_path / name).write_text(content)

    with pytest.raises(CommandError, match=reason):
        call_command("persist_queries", str(tmp_path / "good.graphql"), str(tmp_path / name))

    assert registered(database) == {}


def test_id_keeps_its_first_text(database: Database[Document], tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps({"zones": TEXT}))
    (tmp_path / "b.json").write_text(json.dumps({"zones": "{ geozones { name } }"}))
    call_command("persist_queries", str(tmp_path / "a.json"))

    with pytest.raises(CommandError, match="Registered before with another text: zones"):
        call_command("persist_queries", str(tmp_path / "b.json"))

    assert registered(database)["zones"] == TEXT


def test_locked_server_runs_registered_operations_only(
    database: Database[Document], tmp_path: Path, locked: Server, geozones: None
) -> None:
    text = "query Registered { geozones { code } }"
    (tmp_path / "a.json").write_text(json.dumps({"zones-1": text}))
    call_command("persist_queries", str(tmp_path / "a.json"))
    persisted = {"extensions": {"persistedQuery": {"version": 1, "sha256Hash": hash_of(text)}}}
    # Operations are read from secondaries, which learn of them a moment later; what a process has found it keeps.
    eventually(lambda: is_served(locked, {"query": text}))
    eventually(lambda: is_served(locked, {"documentId": "zones-1"}))

    served = [
        locked.client.post("/graphql", json=request)
        for request in ({"query": text}, persisted, {**persisted, "query": text}, {"documentId": "zones-1"})
    ]
    refused = [
        locked.client.post("/graphql", json=request, headers={"accept-language": "en"})
        for request in (
            {"query": "{ __typename }"},
            {"documentId": "zones-2"},
            {"extensions": {"persistedQuery": {"version": 1, "sha256Hash": hash_of("{ __typename }")}}},
        )
    ]

    assert [response.json()["data"]["geozones"] for response in served] == [[{"code": "msk"}, {"code": "spb"}]] * 4
    for response in refused:
        assert response.status_code == 403
        assert response.json()["errors"] == [
            {
                "message": "Only registered operations are served, and this is none of them.",
                "extensions": {"code": "OPERATION_NOT_REGISTERED"},
            }
        ]


def test_logging_server_runs_others_too_and_logs_them(strict: Server, geozones: None) -> None:
    text = "query Unregistered { geozones { name } }"

    response = strict.client.post("/graphql", json={"query": text}, headers={"x-forwarded-for": "10.0.0.1"})

    assert response.json()["data"]["geozones"] == [{"name": "Москва"}, {"name": "Санкт-Петербург"}]
    assert hash_of(text) in [line["sha256"] for line in strict.logged("graphql_operation_not_registered")]
