"""What routing tells of a query is what mongos itself says about it."""

import re
from typing import Any

import pytest
from bson import ObjectId
from pymongo import MongoClient
from pymongo.database import Database

from gateway.mongo.client import Document
from gateway.mongo.routing import ROUTING, UNSHARDED, Routing, hashed
from gateway.tests.samples.models import Basket, Gadget


def shards_by_explain(database: Database[Document], collection: str, query: dict[str, Any]) -> frozenset[str]:
    plan = database.command("explain", {"find": collection, "filter": query}, verbosity="queryPlanner")
    return frozenset(shard["shardName"] for shard in plan["queryPlanner"]["winningPlan"]["shards"])


@pytest.mark.parametrize(
    "query",
    [
        {"category": "audio", "_id": "G-1"},
        {"category": "video", "_id": "G-1"},
        {"category": "audio"},
        {"category": "m"},
        {"category": {"$eq": "video"}, "price": {"$gt": 5}},
        {"category": {"$in": ["audio", "cameras"]}},
        {"category": {"$in": ["audio", "video"]}},
        {"$and": [{"category": "audio"}, {"_id": "G-1"}]},
        {"category": "телефоны"},
        {"_id": "G-1"},
        {},
        {"category": {"$gt": "a"}},
    ],
    ids=str,
)
def test_ranged_key_is_routed_as_mongos_routes_it(database: Database[Document], query: dict[str, Any]) -> None:
    Gadget.objects.create(id="G-1", category="audio", name="Наушники")
    Gadget.objects.create(id="G-2", category="video", name="Проектор")

    reached = ROUTING.shards_reached("sample_gadgets", query)

    assert reached == shards_by_explain(database, "sample_gadgets", query)


@pytest.mark.parametrize(
    "query",
    [
        *({"owner": f"u:{number}"} for number in range(12)),
        {"owner": {"$in": ["u:1", "u:2", "u:3"]}},
        {"status": "active"},
    ],
    ids=str,
)
def test_hashed_key_is_routed_as_mongos_routes_it(database: Database[Document], query: dict[str, Any]) -> None:
    Basket.objects.create(owner="u:1", status="active")

    reached = ROUTING.shards_reached("sample_baskets", query)

    assert reached == shards_by_explain(database, "sample_baskets", query)


@pytest.mark.parametrize("value", ["u:65f1", "", "привет", 5, -7, 2**40, ObjectId("65f1a2b3c4d5e6f708192a3b")], ids=str)
def test_hash_is_the_servers_own(database: Database[Document], value: Any) -> None:
    pipeline: list[Document] = [
        {"$documents": [{"value": value}]},
        {"$project": {"hash": {"$toHashedIndexKey": "$value"}}},
    ]
    (document,) = database.client.admin.aggregate(pipeline)

    assert hashed(value) == document["hash"]


def test_condition_that_pins_no_value_reaches_all_shards(database: Database[Document]) -> None:
    everything = ROUTING.shards_reached("sample_baskets", {})

    assert ROUTING.shards_reached("sample_baskets", {"owner": re.compile("^u:")}) == everything
    assert len(everything or ()) == 2


def test_unsharded_collection_lives_on_the_home_shard_of_its_database(database: Database[Document]) -> None:
    home = database.client.config.databases.find_one({"_id": database.name})

    assert home is not None
    assert ROUTING.shards_reached("geozones", {"_id": "msk"}) == frozenset({home["primary"]})


def test_nothing_is_known_before_the_first_refresh() -> None:
    assert Routing().shards_reached("sample_gadgets", {"category": "audio", "_id": "G-1"}) is None


def test_plain_server_counts_as_one_shard(database: Database[Document]) -> None:
    host = database.client.config.shards.find_one()["host"].split("/")[1].split(",")[0]  # type: ignore[index]
    routing = Routing()
    member: MongoClient[Document]
    with MongoClient(host, directConnection=True) as member:
        routing.refresh(member, database.name)

    assert routing.shards_reached("sample_gadgets", {}) == frozenset({UNSHARDED})
