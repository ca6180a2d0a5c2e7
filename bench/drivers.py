"""What one read costs the process by each way to MongoDB: `make bench B=drivers`.

A page of 25 products and one product by its key, through mongos, by PyMongo's `find`, by its `command`, by the runner
of the gateway, and by mongojet (the official Rust driver bound to Python), if that is installed. The ways take turns,
so that a noisy machine disturbs all of them; CPU of the whole process, threads of a driver's own included.
"""

import argparse
import asyncio
import importlib.util
import itertools
import statistics
import sys
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.db import DEFAULT_DB_ALIAS, connections
from pymongo import AsyncMongoClient
from pymongo.read_preferences import SecondaryPreferred

from gateway.mongo import topology
from gateway.mongo.client import Document, client, close_async_client, database
from gateway.mongo.policies import CATALOG_LIST
from gateway.mongo.reads import Read, run_async
from gateway.mongo.routing import ROUTING

PRODUCTS = 2_000
PAGE = 25
# As a page of the catalog reads it.
FIELDS = ("name", "category", "price", "prices", "attributes", "images", "stock")
SORT = {"price": 1, "_id": 1}

Questions = dict[str, tuple[list[Mapping[str, Any]], int]]
"""Filters and the limit of each kind of read."""
Way = Callable[[Mapping[str, Any], int], Awaitable[list[Document]]]


def main() -> None:
    arguments = _arguments()
    try:
        topology.apply(database())
        ROUTING.refresh(client(), database().name)
        call_command("load_demo", "--products", str(PRODUCTS), "--processes", "1", verbosity=0)
        asyncio.run(_measure(_questions(), arguments.rounds, arguments.calls))
    finally:
        client().drop_database(database().name)


async def _measure(questions: Questions, rounds: int, calls: int) -> None:
    ways = await _ways()
    for shape, (queries, limit) in questions.items():
        answers = {name: await way(queries[0], limit) for name, way in ways.items()}
        if any(answer != answers["find"] for answer in answers.values()):
            sys.exit("the ways answer differently")
        spent: dict[str, list[float]] = {name: [] for name in ways}
        for number in range(rounds):
            for name in list(ways) if number % 2 else list(reversed(ways)):
                spent[name].append(await _cost(ways[name], queries, limit, calls))
        for name, each in spent.items():
            ratios = [one / other for one, other in zip(each, spent["find"], strict=True)]
            sys.stdout.write(
                f"{shape:8} {name:18} {statistics.median(each):6.0f} us   "
                f"{statistics.median(ratios):.2f} of find [{min(ratios):.2f}-{max(ratios):.2f}]\n"
            )
    await close_async_client()


async def _cost(way: Way, queries: list[Mapping[str, Any]], limit: int, calls: int) -> float:
    """Microseconds of CPU for a call, four at a time."""
    asked = itertools.islice(itertools.cycle(queries), calls)
    began = time.process_time()

    async def ask() -> None:
        for query in asked:
            await way(query, limit)

    await asyncio.gather(*(ask() for _ in range(4)))
    return (time.process_time() - began) / calls * 1e6


def _questions() -> Questions:
    keys = list(database()["products"].find({}, {"category": 1}).limit(200))
    largest = [each["_id"] for each in database()["products"].aggregate([{"$sortByCount": "$category"}])][:10]
    return {
        "page": ([{"category": category, "withdrawn": False} for category in largest], PAGE),
        "card": ([{"category": key["category"], "_id": key["_id"]} for key in keys], 1),
    }


async def _ways() -> dict[str, Way]:
    parameters = connections[DEFAULT_DB_ALIAS].get_connection_params()
    # Alone, without the listener that counts commands.
    bare = AsyncMongoClient[Document](**{**parameters, "event_listeners": []})[settings.MONGODB_DATABASE]
    counted = AsyncMongoClient[Document](**parameters)[settings.MONGODB_DATABASE]
    preference = SecondaryPreferred()

    def find_in(found: Any) -> Way:
        async def find(query: Mapping[str, Any], limit: int) -> list[Document]:
            collection = found.get_collection("products", read_preference=preference)
            cursor = collection.find(query, list(FIELDS), sort=list(SORT.items()), limit=limit, max_time_ms=10_000)
            documents: list[Document] = await cursor.to_list()
            return documents

        return find

    async def command(query: Mapping[str, Any], limit: int) -> list[Document]:
        wanted = {
            "find": "products", "filter": query, "projection": dict.fromkeys(FIELDS, 1), "sort": SORT,
            "limit": limit, "singleBatch": True, "maxTimeMS": 10_000,
        }  # fmt: skip
        answer = await bare.command(wanted, read_preference=preference)
        documents: list[Document] = answer["cursor"]["firstBatch"]
        return documents

    async def gateway(query: Mapping[str, Any], limit: int) -> list[Document]:
        read = Read(
            collection="products", policy=CATALOG_LIST, where=query, fields=FIELDS,
            sort=tuple(SORT.items()), limit=limit, result=list,
        )  # fmt: skip
        return await run_async(read)

    ways: dict[str, Way] = {
        "find": find_in(bare),
        "find, counted": find_in(counted),
        "command": command,
        "the gateway": gateway,
    }
    if importlib.util.find_spec("mongojet") is not None:
        ways["mongojet"] = await _by_mongojet(parameters["host"])
    return ways


async def _by_mongojet(uri: str) -> Way:
    mongojet = importlib.import_module("mongojet")
    found = (await mongojet.create_client(uri, tz_aware=False)).get_database(settings.MONGODB_DATABASE)
    collection = found.get_collection("products", read_preference={"mode": "secondaryPreferred"})

    async def find(query: Mapping[str, Any], limit: int) -> list[Document]:
        documents: list[Document] = await collection.find_many(
            query, projection=dict.fromkeys(FIELDS, 1), sort=SORT, limit=limit, max_time_ms=10_000
        )
        return documents

    return find


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="CPU of one read by each way to MongoDB.")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--calls", type=int, default=400, help="per round, way and question")
    return parser.parse_args()


if __name__ == "__main__":
    main()
