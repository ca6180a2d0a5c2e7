"""What the shards did for one request, as their own profilers tell it: keys and documents examined."""

from collections.abc import Callable
from contextlib import ExitStack
from datetime import UTC, datetime
from typing import Any, NamedTuple

from pymongo import MongoClient

from gateway.mongo.client import Document, client

EVERYTHING, NOTHING = 2, 0
PROFILE = "system.profile"


class Examined(NamedTuple):
    keys: int
    documents: int


def examined(database: str, request: Callable[[], Any]) -> Examined:
    """What all members of all shards examined in this database while the request ran."""
    with ExitStack() as clients:
        members: list[MongoClient[Document]] = [
            clients.enter_context(MongoClient(host, directConnection=True)) for host in _hosts()
        ]
        for member in members:
            member[database].command("profile", EVERYTHING)
        began = datetime.now(UTC)
        try:
            request()
        finally:
            for member in members:
                member[database].command("profile", NOTHING)
        done = [
            each
            for member in members
            for each in member[database][PROFILE].find({"ts": {"$gte": began}, "ns": {"$ne": f"{database}.{PROFILE}"}})
        ]
    return Examined(*(sum(each.get(name, 0) for each in done) for name in ("keysExamined", "docsExamined")))


def _hosts() -> list[str]:
    shards = client().admin.command("listShards")["shards"]
    return [host for shard in shards for host in shard["host"].partition("/")[2].split(",")]
