"""What differs from the declaration is told, with a cure, and left as it is."""

import json
import re
from dataclasses import dataclass
from typing import Any

import pytest
from bson import MinKey
from pymongo.database import Database

from gateway.mongo import topology
from gateway.mongo.client import Document
from gateway.mongo.collections import Collection, Index, Keys, Zone
from gateway.mongo.topology import TopologyDrift


@dataclass(frozen=True)
class Case:
    declared: Index | None
    existing: dict[str, Any]
    """Arguments of createIndexes for what somebody made by hand."""
    drift: TopologyDrift


CASES = {
    "other lifetime": Case(
        Index({"expires_at": 1}, expire_after_seconds=60),
        {"key": {"expires_at": 1}, "name": "expires_at_1", "expireAfterSeconds": 3600},
        TopologyDrift(
            "carts",
            "index expires_at_1",
            declared="{expires_at: 1}, expireAfterSeconds: 60",
            found="{expires_at: 1}, expireAfterSeconds: 3600",
            cure='db.runCommand({collMod: "carts", index: {name: "expires_at_1", expireAfterSeconds: 60}})',
        ),
    ),
    "lifetime that nobody declared": Case(
        Index({"expires_at": 1}),
        {"key": {"expires_at": 1}, "name": "expires_at_1", "expireAfterSeconds": 3600},
        TopologyDrift(
            "carts",
            "index expires_at_1",
            declared="{expires_at: 1}",
            found="{expires_at: 1}, expireAfterSeconds: 3600",
            cure='db.carts.dropIndex("expires_at_1"), then manage.py topology apply',
        ),
    ),
    "not unique": Case(
        Index({"owner": 1}, unique=True),
        {"key": {"owner": 1}, "name": "owner_1"},
        TopologyDrift(
            "carts",
            "index owner_1",
            declared="{owner: 1}, unique: true",
            found="{owner: 1}",
            cure='db.runCommand({collMod: "carts", index: {name: "owner_1", prepareUnique: true}}), '
            'then db.runCommand({collMod: "carts", index: {name: "owner_1", unique: true}})',
        ),
    ),
    "unique though not declared so": Case(
        Index({"owner": 1}),
        {"key": {"owner": 1}, "name": "owner_1", "unique": True},
        TopologyDrift(
            "carts",
            "index owner_1",
            declared="{owner: 1}",
            found="{owner: 1}, unique: true",
            cure='db.carts.dropIndex("owner_1"), then manage.py topology apply',
        ),
    ),
    "other documents": Case(
        Index({"updated_at": 1}, where={"status": "active"}),
        {"key": {"updated_at": 1}, "name": "updated_at_1", "partialFilterExpression": {"status": "ordered"}},
        TopologyDrift(
            "carts",
            "index updated_at_1",
            declared='{updated_at: 1}, partialFilterExpression: {status: "active"}',
            found='{updated_at: 1}, partialFilterExpression: {status: "ordered"}',
            cure='db.carts.dropIndex("updated_at_1"), then manage.py topology apply',
        ),
    ),
    "same keys under another name": Case(
        Index({"updated_at": 1}),
        {"key": {"updated_at": 1}, "name": "recent", "sparse": True},
        TopologyDrift(
            "carts",
            "index recent",
            declared="{updated_at: 1}",
            found="{updated_at: 1}, sparse: true",
            cure='db.carts.dropIndex("recent"), then manage.py topology apply',
        ),
    ),
    "same name on other keys": Case(
        Index({"product": "hashed"}),
        {"key": {"product": 1}, "name": "product_hashed"},
        TopologyDrift(
            "carts",
            "index product_hashed",
            declared='{product: "hashed"}',
            found="{product: 1}",
            cure='db.carts.dropIndex("product_hashed"), then manage.py topology apply',
        ),
    ),
    "other weights": Case(
        Index({"name": "text"}, default_language="russian", weights={"name": 5}),
        {"key": {"name": "text"}, "name": "name_text", "default_language": "russian"},
        TopologyDrift(
            "carts",
            "index name_text",
            declared='{name: "text"}, default_language: "russian", weights: {name: 5}',
            found='{name: "text"}, default_language: "russian", weights: {name: 1}',
            cure='db.carts.dropIndex("name_text"), then manage.py topology apply',
        ),
    ),
    "other text index, of which there can be one": Case(
        Index({"name": "text"}),
        {"key": {"notes": "text"}, "name": "search"},
        TopologyDrift(
            "carts",
            "index search",
            declared='{name: "text"}',
            found='{notes: "text"}, default_language: "english", weights: {notes: 1}',
            cure='db.carts.dropIndex("search"), then manage.py topology apply',
        ),
    ),
    "hidden": Case(
        Index({"updated_at": 1}),
        {"key": {"updated_at": 1}, "name": "updated_at_1", "hidden": True},
        TopologyDrift(
            "carts",
            "index updated_at_1",
            declared="{updated_at: 1}",
            found="{updated_at: 1}, hidden: true",
            cure='db.runCommand({collMod: "carts", index: {name: "updated_at_1", hidden: false}})',
        ),
    ),
    "nobody declared it": Case(
        None,
        {"key": {"stock.geozone": 1}, "name": "tried"},
        TopologyDrift(
            "carts",
            "index tried",
            declared="no such index",
            found='{"stock.geozone": 1}',
            cure='declare it, or db.carts.dropIndex("tried")',
        ),
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_differing_index_is_reported_and_kept(scratch: Database[Document], case: Case) -> None:
    scratch.command("createIndexes", "carts", indexes=[case.existing])
    before = scratch.carts.index_information()
    declarations = {"carts": Collection(indexes=(case.declared,) if case.declared else ())}
    plan = topology.apply(scratch, declarations=declarations)
    assert plan.drifts == (case.drift,)
    assert plan.steps == ()
    assert scratch.carts.index_information() == before


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_the_cure_works(scratch: Database[Document], case: Case) -> None:
    scratch.command("createIndexes", "carts", indexes=[case.existing])
    declarations = {"carts": Collection(indexes=(case.declared,) if case.declared else ())}
    follow(case.drift.cure, scratch)
    topology.apply(scratch, declarations=declarations)
    plan = topology.plan(scratch, declarations=declarations)
    assert (plan.steps, plan.drifts) == ((), ())


def follow(cure: str, database: Database[Document]) -> None:
    """Do what the text says, as an operator would in mongosh."""
    for command in re.findall(r"db\.runCommand\((.+?)\)", cure):
        database.command(json.loads(re.sub(r"(\w+):", r'"\1":', command)))
    for index in re.findall(r'db\.carts\.dropIndex\("(.+?)"\)', cure):
        database.carts.drop_index(index)


def test_index_that_does_the_same_under_another_name_is_no_drift(scratch: Database[Document]) -> None:
    scratch.carts.create_index([("owner", 1)], name="by_owner", partialFilterExpression={"status": {"$eq": "active"}})
    declarations = {"carts": Collection(indexes=(Index({"owner": 1}, where={"status": "active"}),))}
    plan = topology.apply(scratch, declarations=declarations)
    assert (plan.steps, plan.drifts) == ((), ())


def test_what_does_not_differ_is_applied_beside_a_drift(scratch: Database[Document]) -> None:
    scratch.carts.create_index([("expires_at", 1)], expireAfterSeconds=3600)
    wanted = (Index({"expires_at": 1}, expire_after_seconds=60), Index({"updated_at": 1}))
    plan = topology.apply(scratch, declarations={"carts": Collection(indexes=wanted)})
    assert [drift.subject for drift in plan.drifts] == ["index expires_at_1"]
    assert [step.text for step in plan.steps] == ["build index updated_at_1"]
    assert set(scratch.carts.index_information()) == {"_id_", "expires_at_1", "updated_at_1"}


def shard_key_of(database: Database[Document], name: str) -> dict[str, Any] | None:
    entry = database.client.config.collections.find_one({"_id": f"{database.name}.{name}"})
    return dict(entry["key"]) if entry else None


def test_other_shard_key_is_reported_and_kept(scratch: Database[Document]) -> None:
    topology.apply(scratch, declarations={"orders": Collection(shard_key={"region": 1, "_id": 1})})
    plan = topology.apply(scratch, declarations={"orders": Collection(shard_key={"owner": "hashed"})})
    assert plan.drifts == (
        TopologyDrift(
            "orders",
            "shard key",
            declared='{owner: "hashed"}',
            found="{region: 1, _id: 1}",
            cure=f'db.adminCommand({{reshardCollection: "{scratch.name}.orders", key: {{owner: "hashed"}}}})',
        ),
    )
    assert plan.steps == ()
    assert shard_key_of(scratch, "orders") == {"region": 1, "_id": 1}


def test_order_of_a_shard_key_matters(scratch: Database[Document]) -> None:
    topology.apply(scratch, declarations={"orders": Collection(shard_key={"region": 1, "_id": 1})})
    plan = topology.plan(scratch, declarations={"orders": Collection(shard_key={"_id": 1, "region": 1})})
    assert [(drift.subject, drift.declared, drift.found) for drift in plan.drifts] == [
        ("shard key", "{_id: 1, region: 1}", "{region: 1, _id: 1}")
    ]


def test_unsharded_collection_with_documents_is_reported_and_not_sharded(scratch: Database[Document]) -> None:
    scratch.orders.insert_one({"owner": "u:1"})
    plan = topology.apply(scratch, declarations={"orders": Collection(shard_key={"owner": "hashed"})})
    assert plan.drifts == (
        TopologyDrift(
            "orders",
            "shard key",
            declared='{owner: "hashed"}',
            found="unsharded, with documents in it",
            cure=f'db.adminCommand({{shardCollection: "{scratch.name}.orders", key: {{owner: "hashed"}}}}); '
            "the balancer then moves documents",
        ),
    )
    assert shard_key_of(scratch, "orders") is None
    # The index that the cure needs is there.
    scratch.client.admin.command("shardCollection", f"{scratch.name}.orders", key={"owner": "hashed"})
    assert topology.plan(scratch, declarations={"orders": Collection(shard_key={"owner": "hashed"})}).drifts == ()


def test_sharded_collection_that_is_declared_unsharded_is_reported(scratch: Database[Document]) -> None:
    topology.apply(scratch, declarations={"orders": Collection(shard_key={"owner": "hashed"})})
    plan = topology.apply(scratch, declarations={"orders": Collection()})
    assert plan.drifts == (
        TopologyDrift(
            "orders",
            "shard key",
            declared="unsharded",
            found='{owner: "hashed"}',
            cure=f'declare the key, or db.adminCommand({{unshardCollection: "{scratch.name}.orders"}})',
        ),
    )
    assert shard_key_of(scratch, "orders") == {"owner": "hashed"}


def test_other_zone_range_is_reported_and_kept(scratch: Database[Document]) -> None:
    hot, cold = f"{scratch.name}-hot", f"{scratch.name}-cold"
    key: Keys = {"category": 1, "_id": 1}
    made = (Zone(hot, {"category": "a"}, {"category": "f"}), Zone(cold, {"category": "x"}, {"category": "z"}))
    declared = (Zone(hot, {"category": "a"}, {"category": "c"}),)
    topology.apply(scratch, declarations={"products": Collection(shard_key=key, zones=made)})
    plan = topology.apply(scratch, declarations={"products": Collection(shard_key=key, zones=declared)})
    namespace = f"{scratch.name}.products"
    assert plan.steps == ()
    assert plan.drifts == (
        TopologyDrift(
            "products",
            f"zone {hot}",
            declared=f'{{category: "a", _id: MinKey()}} … {{category: "c", _id: MinKey()}} in {hot}',
            found=f'{{category: "a", _id: MinKey()}} … {{category: "f", _id: MinKey()}} in {hot}',
            cure=f'db.adminCommand({{updateZoneKeyRange: "{namespace}", min: {{category: "a", _id: MinKey()}}, '
            'max: {category: "f", _id: MinKey()}, zone: null}), then manage.py topology apply',
        ),
        TopologyDrift(
            "products",
            f"zone {cold}",
            declared="no such range",
            found=f'{{category: "x", _id: MinKey()}} … {{category: "z", _id: MinKey()}} in {cold}',
            cure=f'declare it, or db.adminCommand({{updateZoneKeyRange: "{namespace}", '
            'min: {category: "x", _id: MinKey()}, max: {category: "z", _id: MinKey()}, zone: null})',
        ),
    )
    kept = scratch.client.config.tags.find({"ns": namespace}).sort("min", 1)
    assert [(tag["tag"], tag["max"]) for tag in kept] == [
        (hot, {"category": "f", "_id": MinKey()}),
        (cold, {"category": "z", "_id": MinKey()}),
    ]
