"""Finds by the other driver: the same documents, and PyMongo wherever it cannot or fails."""

import asyncio
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest
from bson import Decimal128, Int64, ObjectId
from django.db import connections
from pymongo.database import Database
from pymongo.errors import ExecutionTimeout, OperationFailure
from pytest_django import Settings

from deploy.local.start.stack import Stack
from gateway import deadline
from gateway.mongo import client, fast_reads
from gateway.mongo.client import Document, close_async_client
from gateway.mongo.commands import COMMANDS, Sent
from gateway.mongo.fast_reads import FastReads, address_of
from gateway.mongo.outage import MONGODB
from gateway.mongo.policies import CART_ACTIVE, CART_ANALYTICS, CATALOG_LIST, PrimaryReached, under
from gateway.mongo.reads import Read, run, run_async

GADGETS = "sample_gadgets"
ALL: Read[list[Any]] = Read(collection=GADGETS, policy=CATALOG_LIST, where={"category": "audio"}, result=list)
EVERY_TYPE: Document = {
    "_id": "G-1",
    "category": "audio",
    "decimal": Decimal128("4990.00"),
    "exponent": Decimal128("1E+3"),
    "time": datetime(2026, 1, 2, 3, 4, 5, 678_000),  # noqa: DTZ001 - as the backend keeps times
    "int": 7,
    "long": Int64(2**40),
    "float": 0.1,
    "id": ObjectId("0123456789ab0123456789ab"),
    "binary": b"\x00\xff",
    "null": None,
    "true": True,
    "nested": [{"a": [1, {"b": "я"}]}],
    "": "empty name",
}


class Answer:
    def __init__(self, documents: list[Any], *, by_pymongo: bool) -> None:
        self.documents = documents
        self.by_pymongo = by_pymongo
        """Whether PyMongo's asynchronous client was asked."""


def ask(read: Read[list[Any]]) -> Answer:
    async def once() -> Answer:
        try:
            documents = await run_async(read)
            return Answer(documents, by_pymongo=asyncio.get_running_loop() in client._async_clients)
        finally:
            await close_async_client()

    return asyncio.run(once())


@pytest.fixture(autouse=True)
def rested(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Nothing of what befell earlier tests."""
    fresh = FastReads()
    monkeypatch.setattr(client, "FAST_READS", fresh)
    monkeypatch.setattr("gateway.mongo.reads.FAST_READS", fresh)
    yield
    MONGODB.reset()


def refuse_option(monkeypatch: pytest.MonkeyPatch) -> None:
    host = connections["default"].settings_dict["HOST"]
    monkeypatch.setitem(connections["default"].settings_dict, "HOST", f"{host}?unicode_decode_error_handler=strict")


def test_documents_are_those_of_pymongo_to_the_last_type(database: Database[Document]) -> None:
    database[GADGETS].insert_one(EVERY_TYPE)

    (fast,) = ask(ALL).documents

    (slow,) = run(ALL)
    assert fast == slow == EVERY_TYPE
    assert [type(value) for value in fast.values()] == [type(value) for value in slow.values()]
    assert list(fast) == list(slow)


def test_one_find_is_one_command_and_pymongo_is_not_asked(database: Database[Document]) -> None:
    database[GADGETS].insert_one(EVERY_TYPE)

    with COMMANDS.counted() as sent:
        answer = ask(ALL)

    assert not answer.by_pymongo
    assert sent == {Sent("find", GADGETS, "catalog.list", 1): 1}


def test_fields_sort_limit_and_more_documents_than_a_batch(database: Database[Document]) -> None:
    database[GADGETS].insert_many([{"_id": f"G-{n:04}", "category": "audio", "name": f"{n}"} for n in range(300)])

    every = ask(ALL)
    few = ask(replace(ALL, fields=("name",), sort=(("_id", -1),), limit=2, hint="_id_"))

    assert (len(every.documents), every.by_pymongo) == (300, False)
    assert few.documents == [{"_id": "G-0299", "name": "299"}, {"_id": "G-0298", "name": "298"}]
    assert not few.by_pymongo


def test_guard_of_secondaries_holds(database: Database[Document]) -> None:
    with pytest.raises(PrimaryReached), under(CART_ANALYTICS):
        ask(replace(ALL, policy=CART_ACTIVE))
    with under(CART_ANALYTICS):
        assert ask(replace(ALL, policy=CART_ANALYTICS)).documents == []


def test_refused_find_raises_what_pymongo_raises(database: Database[Document]) -> None:
    with pytest.raises(OperationFailure, match="hint") as refused:
        ask(replace(ALL, hint="no_such_index"))

    assert refused.value.code == 2


def test_find_beyond_its_deadline_is_stopped_by_the_server(database: Database[Document]) -> None:
    database[GADGETS].insert_many([{"_id": f"G-{n}", "category": "audio"} for n in range(50)])
    slow = replace(ALL, where={"category": "audio", "$where": "sleep(100) || true"})

    with pytest.raises(ExecutionTimeout), deadline.within(0.2):
        ask(slow)


@pytest.mark.parametrize("how", ["switched off", "not installed", "an option unknown to it"])
def test_gateway_works_without_it(
    database: Database[Document], settings: Settings, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    database[GADGETS].insert_one(EVERY_TYPE)
    match how:
        case "switched off":
            settings.MONGODB_FAST_READS = False
        case "not installed":
            monkeypatch.setattr(fast_reads, "mongojet", None)
            monkeypatch.setattr("gateway.mongo.reads.FAST_READS", FastReads())
        case _:
            refuse_option(monkeypatch)

    with COMMANDS.counted() as sent:
        answer = ask(ALL)

    assert (answer.documents, answer.by_pymongo) == ([EVERY_TYPE], True)
    assert sent == {Sent("find", GADGETS, "catalog.list", 1): 1}


def test_options_of_the_address_are_kept_but_for_its_own() -> None:
    uri = "mongodb://u:p%40@a:1,b:2/?tls=true&tlsCAFile=/etc/ca.pem&serverselectiontimeoutms=9&replicaSet=rs"

    assert address_of(uri) == (
        "mongodb://u:p%40@a:1,b:2/?tls=true&tlsCAFile=%2Fetc%2Fca.pem&replicaSet=rs"
        "&serverSelectionTimeoutMS=300&connectTimeoutMS=2000&maxPoolSize=100"
    )
    assert address_of("mongodb://a:1").startswith("mongodb://a:1/?serverSelectionTimeoutMS=300&")


@pytest.mark.parametrize("victim", ["shard primary", "mongos"])
def test_no_reader_fails_while_a_server_is_killed(database: Database[Document], stack: Stack, victim: str) -> None:
    database[GADGETS].insert_many([{"_id": "G-1", "category": "audio"}, {"_id": "G-2", "category": "video"}])
    stop = threading.Event()

    async def read_until() -> int:
        answered = 0
        while not stop.is_set():
            for category in ("audio", "video"):
                (found,) = await run_async(replace(ALL, policy=CART_ACTIVE, where={"category": category}))
                assert found["category"] == category
                answered += 1
        await close_async_client()
        return answered

    with ThreadPoolExecutor(2) as pool:
        readers = [pool.submit(lambda: asyncio.run(read_until())) for _ in range(2)]
        try:
            stop.wait(1)
            name = stack.primary_of("shard1") if victim == "shard primary" else "mongos-1"
            stack.kill(name)
            stop.wait(6)
            stack.start(name)
            stop.wait(1)
        finally:
            stop.set()
        answered = [reader.result() for reader in readers]

    assert min(answered) > 0


def test_lost_server_is_left_to_pymongo_for_a_while(database: Database[Document]) -> None:
    fast = FastReads()

    async def lose() -> tuple[Any, bool]:
        mongojet = await fast_reads.mongojet.create_client(address_of("mongodb://127.0.0.1:1"))
        found = await fast.find(mongojet.get_database("nothing").get_collection("here"), {}, {})
        await mongojet.close()
        return found, fast.is_ready()

    began = time.monotonic()

    assert asyncio.run(lose()) == (None, False)
    assert fast._rests_until > began
