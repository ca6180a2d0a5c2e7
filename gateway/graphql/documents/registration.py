"""Registering operations: reads the files that frontends' builds produce, and keeps the operations in MongoDB.

A `.graphql` file counts as it is written and, for each operation in it, as graphql-js prints it with its fragments,
which is what most clients send. JSON is a manifest: Apollo's (`operations` with `id`, `body`) or Relay's (id to text).
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from graphql import parse, print_ast
from graphql.utilities import separate_operations
from pymongo import InsertOne
from pymongo.errors import BulkWriteError

from gateway.graphql.documents.cache import Documents
from gateway.graphql.documents.persisted_queries import COLLECTION, RegisteredOperation, hash_of
from gateway.graphql.errors import RequestRefused
from gateway.graphql.schema import schema
from gateway.mongo.client import collection_of
from gateway.mongo.duplicates import duplicates_of


class NotRegistrable(Exception):
    """Nothing was registered; the message says why."""


class Registered(NamedTuple):
    new: int
    known: int


def read_operations(files: list[Path]) -> dict[str, str]:
    """The text of every operation, under each id that clients may ask for it by."""
    operations: dict[str, str] = {}
    for file in files:
        for id_, text in _operations_of(file):
            _check(file, text)
            if operations.setdefault(id_, text) != text:
                raise NotRegistrable(f"{file}: the id {id_} is that of another operation too.")
    return operations


def register(operations: Mapping[str, str]) -> Registered:
    """Keep the operations. Safe to repeat and to do twice at once: an id keeps the text that it was first given."""
    if not operations:
        return Registered(0, 0)
    collection = collection_of(COLLECTION, RegisteredOperation)
    stored = collection.find({"_id": {"$in": list(operations)}}, {"text": 1})
    changed = [document["_id"] for document in stored if document["text"] != operations[document["_id"]]]
    if changed:
        raise NotRegistrable(f"Registered before with another text: {', '.join(changed)}.")
    try:
        collection.bulk_write(
            [InsertOne(RegisteredOperation(_id=id_, text=text)) for id_, text in operations.items()], ordered=False
        )
    except BulkWriteError as error:
        known = len(duplicates_of(error))
        return Registered(len(operations) - known, known)
    return Registered(len(operations), 0)


def _operations_of(file: Path) -> Iterator[tuple[str, str]]:
    try:
        content = file.read_text(encoding="utf-8")
        texts = _of_manifest(json.loads(content)) if file.suffix == ".json" else _of_document(file, content)
    except (OSError, ValueError) as error:
        raise NotRegistrable(f"{file}: {error}") from error
    for id_, text in texts:
        yield id_, text
        yield hash_of(text), text


def _of_document(file: Path, content: str) -> list[tuple[str, str]]:
    _check(file, content)
    printed = [print_ast(document) for document in separate_operations(parse(content)).values()]
    return [(hash_of(text), text) for text in (content, content.strip(), *printed)]


def _of_manifest(manifest: Any) -> list[tuple[str, str]]:
    try:
        if "operations" in manifest:
            return [(str(operation["id"]), str(operation["body"])) for operation in manifest["operations"]]
        return [(str(id_), str(text)) for id_, text in manifest.items()]
    except (AttributeError, KeyError, TypeError) as error:
        raise ValueError("neither a manifest of Apollo nor one of Relay") from error


def _check(file: Path, text: str) -> None:
    try:
        Documents(schema.as_graphql_core()).prepared(text)
    except RequestRefused as refused:
        reasons = "; ".join(error["message"] for error in refused.formatted("en"))
        first_line = text.strip().partition("\n")[0]
        raise NotRegistrable(f"{file}: {first_line} … {reasons}") from refused
