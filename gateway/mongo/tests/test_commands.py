"""Every command is counted by collection, policy and the number of shards it reached."""

from pymongo import DeleteOne, InsertOne, UpdateOne
from pymongo.database import Database

from gateway.mongo.client import Document, client
from gateway.mongo.commands import COMMANDS, Sent
from gateway.mongo.policies import CART_ACTIVE, STOCK_CHECK, under
from gateway.mongo.routing import ROUTING
from gateway.tests.samples.models import Gadget

GADGETS = "sample_gadgets"


def test_targeted_and_broadcast_commands_are_told_apart(database: Database[Document]) -> None:
    gadgets = database[GADGETS]

    with COMMANDS.counted() as sent:
        gadgets.find_one({"category": "audio", "_id": "G-1"})
        gadgets.find_one({"_id": "G-1"})
        gadgets.find_one_and_update({"category": "audio", "_id": "G-1"}, {"$set": {"name": "x"}})
        gadgets.count_documents({"category": "video"})
        gadgets.distinct("category")

    assert sent == {
        Sent("find", GADGETS, "", 1): 1,
        Sent("find", GADGETS, "", 2): 1,
        Sent("findAndModify", GADGETS, "", 1): 1,
        Sent("aggregate", GADGETS, "", 1): 1,
        Sent("distinct", GADGETS, "", 2): 1,
    }


def test_bulk_write_counts_every_shard_it_reaches(database: Database[Document]) -> None:
    with COMMANDS.counted() as sent:
        database[GADGETS].bulk_write(
            [
                InsertOne({"_id": "G-1", "category": "audio"}),
                InsertOne({"_id": "G-2", "category": "video"}),
                UpdateOne({"_id": "G-1", "category": "audio"}, {"$set": {"name": "x"}}),
                DeleteOne({"_id": "G-2", "category": "video"}),
            ]
        )

    assert sent == {
        Sent("insert", GADGETS, "", 2): 1,
        Sent("update", GADGETS, "", 1): 1,
        Sent("delete", GADGETS, "", 1): 1,
    }


def test_query_by_the_orm_alone_asks_every_shard_and_shows_it(database: Database[Document]) -> None:
    with COMMANDS.counted() as sent:
        Gadget.objects.filter(id="G-1").first()

    assert sent == {Sent("aggregate", GADGETS, "", 2): 1}


def test_commands_are_counted_under_the_innermost_policy(database: Database[Document]) -> None:
    with COMMANDS.counted() as sent, under(CART_ACTIVE):
        database[GADGETS].find_one({"category": "audio", "_id": "G-1"})
        with under(STOCK_CHECK):
            database[GADGETS].find_one({"category": "audio", "_id": "G-1"})

    assert sent == {Sent("find", GADGETS, "carts.active", 1): 1, Sent("find", GADGETS, "stock.check", 1): 1}


def test_commands_without_documents_are_not_counted(database: Database[Document]) -> None:
    with COMMANDS.counted() as sent:
        database.client.admin.command("ping")
        list(database.list_collections())

    assert sent == {}


def test_refresh_of_the_chunk_tables_is_not_counted(database: Database[Document]) -> None:
    with COMMANDS.counted() as sent:
        ROUTING.refresh(client(), database.name)

    assert sent == {}
