"""Applying declarations to the real cluster: what it makes, that it makes it once, that it goes on after a crash."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from bson import MaxKey, MinKey
from pymongo import MongoClient
from pymongo.database import Database
from pymongo.errors import DuplicateKeyError

from gateway.mongo import topology
from gateway.mongo.client import Document
from gateway.mongo.collections import Collection, Index, Zone
from gateway.mongo.topology import TopologyError
from gateway.mongo.topology.tests.conftest import own_database
from gateway.tests.samples.models import Basket, Gadget

REGIONS = Collection(indexes=(Index({"name": 1}),))
PRODUCTS = Collection(
    shard_key={"category": 1, "_id": 1},
    indexes=(
        Index({"category": 1, "price": -1}),
        Index({"name": "text", "notes": "text", "category": 1}, default_language="russian", weights={"name": 10}),
    ),
    split_at=({"category": "g"}, {"category": "p"}),
)
CARTS = Collection(
    shard_key={"owner": "hashed"},
    indexes=(
        Index({"owner": 1}, unique=True, where={"status": "active"}),
        Index({"expires_at": 1}, expire_after_seconds=0),
        Index({"product": "hashed"}),
    ),
)
ORDERS = Collection(shard_key={"owner": "hashed"})
SHOP = {"regions": REGIONS, "products": PRODUCTS, "carts": CARTS, "orders": ORDERS}

LOW = {"category": MinKey(), "_id": MinKey()}
G = {"category": "g", "_id": MinKey()}
P = {"category": "p", "_id": MinKey()}
HIGH = {"category": MaxKey(), "_id": MaxKey()}


def chunks(database: Database[Document], name: str) -> list[tuple[Any, Any, str]]:
    """Bounds and shard of each chunk, in order."""
    config = database.client.config
    entry = config.collections.find_one({"_id": f"{database.name}.{name}"})
    assert entry, f"{name} is not sharded"
    return [(c["min"], c["max"], c["shard"]) for c in config.chunks.find({"uuid": entry["uuid"]}).sort("min", 1)]


def indexes_by_shard(database: Database[Document], name: str) -> dict[str, list[Document]]:
    """What the primary of each shard itself lists."""
    found = {}
    for shard in database.client.config.shards.find():
        replica_set, members = shard["host"].split("/")
        with MongoClient[Document](members.split(","), replicaSet=replica_set) as client:
            specs = [dict(spec) for spec in client[database.name][name].list_indexes()]
        found[shard["_id"]] = sorted(specs, key=lambda spec: spec["name"])
    return found


@pytest.fixture(scope="module")
def shop(mongos: MongoClient[Document]) -> Iterator[Database[Document]]:
    """A database where SHOP was applied once, for tests that only look."""
    with own_database(mongos) as database:
        topology.apply(database, declarations=SHOP)
        yield database


def test_second_run_changes_nothing(scratch: Database[Document]) -> None:
    first, lines = topology.apply(scratch, declarations=SHOP), list[str]()
    second = topology.apply(scratch, lines.append, declarations=SHOP)
    assert [step.text for step in first.steps if step.collection == "carts"] == [
        "create the collection",
        "build indexes owner_1, expires_at_1, product_hashed, owner_hashed",
        'shard by {owner: "hashed"}',
    ]
    assert (second.steps, second.drifts, lines) == ((), (), [])


def test_each_changed_collection_is_reported_in_one_line(scratch: Database[Document]) -> None:
    lines: list[str] = []
    topology.apply(scratch, lines.append, declarations={"regions": REGIONS, "orders": ORDERS})
    assert [line.rpartition("  (")[0] for line in lines] == [
        "regions  create the collection; build index name_1",
        'orders   create the collection; build index owner_hashed; shard by {owner: "hashed"}',
    ]


def test_plan_alone_changes_nothing(scratch: Database[Document]) -> None:
    plan = topology.plan(scratch, declarations=SHOP)
    assert {step.collection for step in plan.steps} == set(SHOP)
    assert scratch.list_collection_names() == []
    assert list(scratch.client.config.collections.find({"_id": {"$regex": f"^{scratch.name}"}})) == []


def test_every_kind_of_index_is_on_every_shard(shop: Database[Document], shards: list[str]) -> None:
    carts = [
        {"v": 2, "key": {"_id": 1}, "name": "_id_"},
        {"v": 2, "key": {"expires_at": 1}, "name": "expires_at_1", "expireAfterSeconds": 0},
        {
            "v": 2,
            "key": {"owner": 1},
            "name": "owner_1",
            "unique": True,
            "partialFilterExpression": {"status": "active"},
        },
        {"v": 2, "key": {"owner": "hashed"}, "name": "owner_hashed"},
        {"v": 2, "key": {"product": "hashed"}, "name": "product_hashed"},
    ]
    products = [
        {"v": 2, "key": {"_id": 1}, "name": "_id_"},
        {"v": 2, "key": {"category": 1, "_id": 1}, "name": "category_1__id_1"},
        {"v": 2, "key": {"category": 1, "price": -1}, "name": "category_1_price_-1"},
        {
            "v": 2,
            "key": {"_fts": "text", "_ftsx": 1, "category": 1},
            "name": "name_text_notes_text_category_1",
            "weights": {"name": 10, "notes": 1},
            "default_language": "russian",
            "language_override": "language",
            "textIndexVersion": 3,
        },
    ]
    assert indexes_by_shard(shop, "carts") == dict.fromkeys(shards, carts)
    assert indexes_by_shard(shop, "products") == dict.fromkeys(shards, products)


def test_collections_are_sharded_by_their_keys(shop: Database[Document]) -> None:
    found = shop.client.config.collections.find({"_id": {"$regex": f"^{shop.name}"}})
    assert {entry["_id"].partition(".")[2]: list(entry["key"].items()) for entry in found} == {
        "products": [("category", 1), ("_id", 1)],
        "carts": [("owner", "hashed")],
        "orders": [("owner", "hashed")],
    }


def test_hashed_collections_get_the_same_ranges_on_the_same_shards(shop: Database[Document], shards: list[str]) -> None:
    carts, orders = chunks(shop, "carts"), chunks(shop, "orders")
    assert carts == orders
    assert {shard for _, _, shard in carts} == set(shards)


def test_empty_ranged_collection_is_split_and_neighbours_live_apart(
    shop: Database[Document], shards: list[str]
) -> None:
    found = chunks(shop, "products")
    homes = [shard for _, _, shard in found]
    assert [(lower, upper) for lower, upper, _ in found] == [(LOW, G), (G, P), (P, HIGH)]
    assert homes[0] != homes[1] != homes[2]
    assert set(homes) <= set(shards)


def test_collection_with_documents_is_left_to_the_balancer(scratch: Database[Document]) -> None:
    topology.apply(scratch, declarations={"products": Collection(shard_key=PRODUCTS.shard_key)})
    scratch.products.insert_one({"_id": "P-1", "category": "phones"})
    topology.apply(scratch, declarations={"products": PRODUCTS})
    assert [(lower, upper) for lower, upper, _ in chunks(scratch, "products")] == [(LOW, HIGH)]
    assert topology.plan(scratch, declarations={"products": PRODUCTS}).steps == ()


def test_unique_index_on_a_hashed_key_holds_across_shards(scratch: Database[Document]) -> None:
    topology.apply(scratch, declarations={"carts": CARTS})
    for owner in range(20):
        scratch.carts.insert_one({"owner": f"u:{owner}", "status": "active"})
    for owner in range(20):
        with pytest.raises(DuplicateKeyError):
            scratch.carts.insert_one({"owner": f"u:{owner}", "status": "active"})
    scratch.carts.insert_one({"owner": "u:1", "status": "ordered"})
    assert scratch.carts.count_documents({}) == 21


@pytest.mark.parametrize("declaration", [Gadget.collection, Basket.collection], ids=["ranged", "hashed"])
def test_run_killed_after_any_step_is_finished_by_the_next(
    scratch: Database[Document], declaration: Collection
) -> None:
    name, declarations = "things", {"things": declaration}
    steps = topology.plan(scratch, declarations=declarations).steps
    for survived in range(1, len(steps)):
        scratch.drop_collection(name)
        for step in steps[:survived]:
            (scratch.client.admin if step.on_admin else scratch).command(dict(step.command))
        topology.apply(scratch, declarations=declarations)
        assert topology.plan(scratch, declarations=declarations).steps == (), steps[:survived]
        assert len({shard for _, _, shard in chunks(scratch, name)}) == 2, steps[:survived]


def test_run_waits_for_a_shard_that_is_busy_with_another_move(mongos: MongoClient[Document]) -> None:
    # A shard takes part in one migration at a time, and refuses a second one at once.
    with own_database(mongos) as one, own_database(mongos) as other, ThreadPoolExecutor() as pool:
        plans = list(pool.map(lambda database: topology.apply(database, declarations=SHOP), [one, other]))
        left = [topology.plan(database, declarations=SHOP).steps for database in (one, other)]
    assert [plan.drifts for plan in plans] == [(), ()]
    assert left == [(), ()]


def test_index_that_one_shard_lacks_is_built_there(scratch: Database[Document], shards: list[str]) -> None:
    topology.apply(scratch, declarations={"carts": CARTS})
    host = scratch.client.config.shards.find_one({"_id": shards[-1]})
    assert host
    replica_set, members = host["host"].split("/")
    with MongoClient[Document](members.split(","), replicaSet=replica_set) as shard:
        shard[scratch.name].carts.drop_index("expires_at_1")
    plan = topology.apply(scratch, declarations={"carts": CARTS})
    assert [step.text for step in plan.steps] == ["build index expires_at_1"]
    by_shard = indexes_by_shard(scratch, "carts")
    assert by_shard[shards[0]] == by_shard[shards[-1]]


def test_zone_is_given_to_all_shards_once_and_stays_narrowed(scratch: Database[Document], shards: list[str]) -> None:
    hot = f"{scratch.name}-hot"
    zoned = Collection(
        shard_key={"category": 1, "_id": 1},
        zones=(Zone(hot, lower={"category": "p"}, upper={"category": "q"}),),
        split_at=({"category": "g"}, {"category": "p"}),
    )
    topology.apply(scratch, declarations={"products": zoned})
    config = scratch.client.config
    carriers = config.shards.distinct("_id", {"tags": hot})
    (zone_range,) = config.tags.find({"ns": f"{scratch.name}.products"}, {"_id": 0})
    assert carriers == shards
    assert zone_range == {
        "ns": f"{scratch.name}.products",
        "min": P,
        "max": {"category": "q", "_id": MinKey()},
        "tag": hot,
    }

    scratch.client.admin.command("removeShardFromZone", shards[0], zone=hot)
    assert topology.apply(scratch, declarations={"products": zoned}).steps == ()
    assert config.shards.distinct("_id", {"tags": hot}) == shards[1:]


def test_first_chunks_fall_into_a_zone_that_one_shard_carries(scratch: Database[Document], shards: list[str]) -> None:
    hot = f"{scratch.name}-hot"
    scratch.client.admin.command("addShardToZone", shards[-1], zone=hot)
    zoned = Collection(
        shard_key={"category": 1, "_id": 1},
        zones=(Zone(hot, lower={"category": "p"}, upper={"category": "q"}),),
        split_at=({"category": "g"}, {"category": "p"}, {"category": "pm"}),
    )
    topology.apply(scratch, declarations={"products": zoned})
    homes = {lower["category"]: shard for lower, _, shard in chunks(scratch, "products")}
    assert homes["p"] == shards[-1]
    assert topology.plan(scratch, declarations={"products": zoned}).steps == ()


def test_collections_that_nobody_declares_are_ignored(scratch: Database[Document]) -> None:
    scratch.django_session.create_index([("expire_date", 1)])
    topology.apply(scratch, declarations={"regions": REGIONS})
    plan = topology.plan(scratch, declarations={"regions": REGIONS})
    assert (plan.steps, plan.drifts) == ((), ())
    assert set(scratch.django_session.index_information()) == {"_id_", "expire_date_1"}


def test_impossible_declaration_is_refused_before_anything_is_made(scratch: Database[Document]) -> None:
    broken = Collection(shard_key={"owner": "hashed"}, indexes=(Index({"number": 1}, unique=True),))
    with pytest.raises(TopologyError) as refusal:
        topology.apply(scratch, declarations={"regions": REGIONS, "orders": broken})
    assert str(refusal.value) == (
        'orders: index number_1: a unique index must start with the shard key {owner: "hashed"}'
    )
    assert scratch.list_collection_names() == []


def test_refusal_of_the_server_names_the_step(scratch: Database[Document]) -> None:
    scratch.regions.insert_many([{"name": "Москва"}, {"name": "Москва"}])
    with pytest.raises(TopologyError) as refusal:
        topology.apply(scratch, declarations={"regions": Collection(indexes=(Index({"name": 1}, unique=True),))})
    assert str(refusal.value).startswith(f"{scratch.name}.regions: build index name_1: ")
    assert 'dup key: { name: "Москва" }' in str(refusal.value)
    assert set(scratch.regions.index_information()) == {"_id_"}
