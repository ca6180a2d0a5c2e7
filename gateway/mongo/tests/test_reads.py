"""One description of a read, two runners, one answer."""

import asyncio
from dataclasses import replace
from typing import TypeVar

import pytest
from pymongo.database import Database
from pymongo.errors import OperationFailure

from gateway.mongo.client import Document, close_async_client
from gateway.mongo.commands import COMMANDS, Sent
from gateway.mongo.policies import CART_ACTIVE, CATALOG_LIST, STOCK_DISPLAY, Policy, collecting_policies
from gateway.mongo.reads import Aggregation, Read, count_up_to, run, run_async
from gateway.mongo.transactions import in_transaction
from gateway.tests.samples.models import Gadget

GADGETS = "sample_gadgets"
T = TypeVar("T")


def cheapest(policy: Policy = CART_ACTIVE) -> Read[list[tuple[str, str]]]:
    return Read(
        collection=GADGETS,
        policy=policy,
        where={"category": "audio"},
        fields=("name",),
        sort=(("price", 1), ("_id", 1)),
        limit=2,
        result=lambda documents: [(document["_id"], document["name"]) for document in documents],
    )


def make_gadgets() -> None:
    for number, price in enumerate((300, 100, 200)):
        Gadget.objects.create(id=f"G-{number}", category="audio", name=f"Наушники {number}", price=price)


async def read_once(read: Read[T] | Aggregation[T]) -> T:
    try:
        return await run_async(read)
    finally:
        await close_async_client()


def test_both_runners_give_the_same_typed_result(database: Database[Document]) -> None:
    make_gadgets()

    assert run(cheapest()) == [("G-1", "Наушники 1"), ("G-2", "Наушники 2")]
    assert asyncio.run(read_once(cheapest())) == run(cheapest())


def test_both_runners_are_counted_under_the_policy_of_the_read(database: Database[Document]) -> None:
    with COMMANDS.counted() as sent:
        run(cheapest(CATALOG_LIST))
        asyncio.run(read_once(cheapest(CATALOG_LIST)))

    assert sent == {Sent("find", GADGETS, "catalog.list", 1): 2}


def test_read_on_the_primary_sees_what_its_transaction_wrote(database: Database[Document]) -> None:
    def work() -> list[tuple[str, str]]:
        Gadget.objects.create(id="G-1", category="audio", name="Наушники")
        return run(cheapest())

    assert in_transaction(work) == [("G-1", "Наушники")]


def test_whole_documents_and_no_limit_by_default(database: Database[Document]) -> None:
    make_gadgets()

    documents = run(Read(collection=GADGETS, policy=CART_ACTIVE, where={"category": "audio"}, result=list))

    assert sorted(documents[0]) == ["_id", "category", "name", "price"]
    assert len(documents) == 3


def test_policy_is_named_in_the_command_for_the_profiler(database: Database[Document]) -> None:
    assert cheapest().find_arguments()["comment"] == "carts.active"


def per_name() -> Aggregation[dict[str, int]]:
    return Aggregation(
        collection=GADGETS,
        policy=CATALOG_LIST,
        where={"category": "audio"},
        stages=({"$group": {"_id": "$name", "count": {"$sum": 1}}},),
        result=lambda documents: {document["_id"]: document["count"] for document in documents},
    )


def test_aggregation_is_a_read_of_both_runners_too(database: Database[Document]) -> None:
    make_gadgets()

    with COMMANDS.counted() as sent:
        found = run(per_name())
        assert asyncio.run(read_once(per_name())) == found

    assert found == {"Наушники 0": 1, "Наушники 1": 1, "Наушники 2": 1}
    assert sent == {Sent("aggregate", GADGETS, "catalog.list", 1): 2}


def test_count_stops_at_its_limit(database: Database[Document]) -> None:
    make_gadgets()

    assert run(count_up_to(3, cheapest())) == 3
    assert run(count_up_to(2, cheapest())) is None
    assert run(count_up_to(2, replace(cheapest(), where={"category": "none"}))) == 0


def test_hint_names_the_index_to_walk(database: Database[Document]) -> None:
    with pytest.raises(OperationFailure, match="hint"):
        run(replace(cheapest(), hint="no_such_index"))


def test_policies_of_all_reads_inside_are_collected(database: Database[Document]) -> None:
    async def both() -> None:
        await asyncio.gather(run_async(cheapest(CATALOG_LIST)), run_async(cheapest(STOCK_DISPLAY)))
        await close_async_client()

    with collecting_policies() as used:
        run(cheapest(CART_ACTIVE))
        with collecting_policies() as used_inside:
            asyncio.run(both())

    assert used == {CART_ACTIVE}
    assert used_inside == {CATALOG_LIST, STOCK_DISPLAY}
