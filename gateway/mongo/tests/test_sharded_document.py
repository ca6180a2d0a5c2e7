"""Sharded documents through the ORM: every operation by key reaches one shard and loses nothing."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from typing import Any

import pytest
from bson import Decimal128
from django.core.exceptions import ImproperlyConfigured
from django.db import DatabaseError, IntegrityError
from django.db.models import F
from pymongo import MongoClient
from pymongo.database import Database

from gateway.mongo.client import Document
from gateway.mongo.collections import Collection
from gateway.mongo.commands import COMMANDS, Sent
from gateway.mongo.sharded_document import ShardedDocument
from gateway.tests.samples.models import Basket, Gadget

GADGETS = "sample_gadgets"


def make_gadget(**fields: Any) -> Gadget:
    return Gadget.objects.create(**{"id": "G-1", "category": "audio", "name": "Наушники", "price": "990.00", **fields})


@contextmanager
def writes_seen_by_shards(database: Database[Document]) -> Iterator[Counter[str]]:
    """How many updates and deletes the primary of each shard itself has counted during the block."""

    def counted() -> Counter[str]:
        counts: Counter[str] = Counter()
        for shard in database.client.config.shards.find():
            name, members = shard["host"].split("/")
            client: MongoClient[Document]
            with MongoClient(members.split(","), replicaSet=name) as client:
                operations = client.admin.command("serverStatus")["opcounters"]
            counts[name] = operations["update"] + operations["delete"]
        return counts

    before = counted()
    during: Counter[str] = Counter()
    yield during
    during.update(counted() - before)


def test_new_document_is_one_insert_on_one_shard(database: Database[Document]) -> None:
    with COMMANDS.counted() as sent:
        Gadget(id="G-1", category="audio", name="Наушники", price="990.00").save()

    assert sent == {Sent("insert", GADGETS, "", 1): 1}
    assert database[GADGETS].find_one() == {
        "_id": "G-1",
        "category": "audio",
        "name": "Наушники",
        "price": Decimal128("990.00"),
    }


def test_save_of_loaded_document_is_one_update_on_one_shard(database: Database[Document]) -> None:
    make_gadget()
    gadget = Gadget.objects.get(category="audio", id="G-1")
    gadget.name = "Наушники 2"

    with COMMANDS.counted() as sent:
        gadget.save()

    assert sent == {Sent("update", GADGETS, "", 1): 1}
    assert database[GADGETS].find_one({"_id": "G-1"}, {"name": 1}) == {"_id": "G-1", "name": "Наушники 2"}


def test_writes_are_seen_by_one_shard_only_in_its_own_counters(database: Database[Document]) -> None:
    gadget = make_gadget()
    home = {chunk_owner(database, "audio")}

    with writes_seen_by_shards(database) as seen:
        for number in range(20):
            gadget.name = str(number)
            gadget.save()
        gadget.delete()

    # Other writers (the sessions collection, retryable-write records) may add a few; a broadcast would add 21.
    assert {shard for shard, count in seen.items() if count >= 21} == home


def chunk_owner(database: Database[Document], category: str) -> str:
    explained = database.command("explain", {"find": GADGETS, "filter": {"category": category, "_id": "G-1"}})
    (shard,) = explained["queryPlanner"]["winningPlan"]["shards"]
    name: str = shard["shardName"]
    return name


def test_refresh_reaches_one_shard(database: Database[Document]) -> None:
    gadget = make_gadget()
    database[GADGETS].update_one({"_id": "G-1", "category": "audio"}, {"$set": {"name": "Другое имя"}})

    with COMMANDS.counted() as sent:
        gadget.refresh_from_db()

    assert sent == {Sent("aggregate", GADGETS, "", 1): 1}
    assert gadget.name == "Другое имя"


def test_refresh_finds_a_document_that_someone_moved(database: Database[Document]) -> None:
    gadget = make_gadget()
    mover = Gadget.objects.get(category="audio", id="G-1")
    mover.category = "video"
    mover.save()

    gadget.refresh_from_db()

    assert gadget.category == "video"
    gadget.name = "Новое имя"
    gadget.save()
    assert database[GADGETS].count_documents({"category": "video", "name": "Новое имя"}) == 1


def test_delete_reaches_one_shard(database: Database[Document]) -> None:
    gadget = make_gadget()

    with COMMANDS.counted() as sent:
        deleted = gadget.delete()

    assert sent == {Sent("delete", GADGETS, "", 1): 1}
    assert deleted == (1, {"samples.Gadget": 1})
    assert database[GADGETS].count_documents({}) == 0


def test_delete_without_a_key_is_refused(database: Database[Document]) -> None:
    gadget = make_gadget()
    gadget.delete()

    with pytest.raises(ValueError, match="has no key"):
        gadget.delete()


def test_change_of_the_shard_key_moves_the_document_in_one_update(database: Database[Document]) -> None:
    gadget = make_gadget()
    gadget.category = "video"

    with COMMANDS.counted() as sent:
        gadget.save()

    assert sent == {Sent("update", GADGETS, "", 1): 1}
    assert [document["category"] for document in database[GADGETS].find()] == ["video"]
    assert chunk_owner(database, "video") != chunk_owner(database, "audio")
    gadget.name = "На новом месте"
    gadget.save()
    assert database[GADGETS].find_one({"category": "video", "_id": "G-1"})["name"] == "На новом месте"  # type: ignore[index]


def test_change_of_a_hashed_shard_key_moves_the_document(database: Database[Document]) -> None:
    basket = Basket.objects.create(owner="s:guest", status="active")
    basket.owner = "u:1"
    basket.save()

    assert [document["owner"] for document in database["sample_baskets"].find()] == ["u:1"]


def test_save_of_a_document_moved_meanwhile_fails_and_leaves_no_second_copy(database: Database[Document]) -> None:
    stale = make_gadget()
    mover = Gadget.objects.get(category="audio", id="G-1")
    mover.category = "video"
    mover.save()
    stale.name = "Устаревшее имя"

    with pytest.raises(DatabaseError, match="did not affect any rows"):
        stale.save()

    assert [(document["category"], document["name"]) for document in database[GADGETS].find()] == [
        ("video", "Наушники")
    ]


def test_save_of_a_deleted_document_fails_and_does_not_revive_it(database: Database[Document]) -> None:
    gadget = make_gadget()
    Gadget.objects.get(category="audio", id="G-1").delete()

    with pytest.raises(DatabaseError, match="did not affect any rows"):
        gadget.save()

    assert database[GADGETS].count_documents({}) == 0


def test_second_new_document_with_the_same_key_is_refused(database: Database[Document]) -> None:
    make_gadget()

    with pytest.raises(IntegrityError):
        Gadget(id="G-1", category="audio", name="Чужие").save()

    assert database[GADGETS].find_one()["name"] == "Наушники"  # type: ignore[index]


def test_expression_is_computed_by_the_server_on_one_shard(database: Database[Document]) -> None:
    gadget = make_gadget()
    gadget.price = F("price") + Decimal("10.00")

    with COMMANDS.counted() as sent:
        gadget.save(update_fields=["price"])

    assert sent == {Sent("update", GADGETS, "", 1): 1}
    assert database[GADGETS].find_one()["price"] == Decimal128("1000.00")  # type: ignore[index]


def test_partial_refresh_does_not_take_an_unsaved_key_for_the_stored_one(database: Database[Document]) -> None:
    gadget = make_gadget()
    gadget.category = "video"

    gadget.refresh_from_db(fields=["name"])
    gadget.save()

    assert [document["category"] for document in database[GADGETS].find()] == ["video"]


def test_partial_save_does_not_take_an_unsaved_key_for_the_stored_one(database: Database[Document]) -> None:
    gadget = make_gadget()
    gadget.category = "video"
    gadget.name = "Колонка"

    gadget.save(update_fields=["name"])
    gadget.save()

    assert [(document["category"], document["name"]) for document in database[GADGETS].find()] == [("video", "Колонка")]


def test_document_loaded_without_its_key_can_be_saved(database: Database[Document]) -> None:
    make_gadget()
    gadget = Gadget.objects.only("name").get(id="G-1")
    gadget.name = "Колонка"

    gadget.save()

    assert database[GADGETS].find_one()["name"] == "Колонка"  # type: ignore[index]


def test_object_made_by_hand_is_refreshed_from_one_shard(database: Database[Document]) -> None:
    make_gadget()
    gadget = Gadget(id="G-1", category="audio")

    with COMMANDS.counted() as sent:
        gadget.refresh_from_db()

    assert sent == {Sent("aggregate", GADGETS, "", 1): 1}
    assert gadget.name == "Наушники"


def test_sharded_document_without_shard_key_is_refused() -> None:
    with pytest.raises(ImproperlyConfigured, match="Keyless is a ShardedDocument without a shard key"):

        class Keyless(ShardedDocument):
            collection = Collection()

            class Meta:
                app_label = "samples"
                abstract = True
