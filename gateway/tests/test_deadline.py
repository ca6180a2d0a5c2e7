"""One deadline for everything that a request does."""

import asyncio
import time
from collections.abc import Iterator

import pytest
from pymongo.database import Database
from pymongo.errors import ExecutionTimeout

from gateway import deadline
from gateway.mongo.client import Document, close_async_client
from gateway.mongo.policies import CATALOG_LIST
from gateway.mongo.reads import Aggregation, Read, run_async

SLEEP = {"$addFields": {"slept": {"$function": {"body": "function() { sleep(3000) }", "args": [], "lang": "js"}}}}


def test_remaining_time_shrinks_and_an_inner_deadline_cannot_extend_it() -> None:
    assert deadline.remaining_ms() is None
    with deadline.within(1):
        with deadline.within(60):
            inner = deadline.remaining_ms()
        with deadline.within(0.1):
            shorter = deadline.remaining_ms()
    assert inner is not None
    assert shorter is not None
    assert 900 < inner <= 1000
    assert 0 < shorter <= 100
    assert deadline.remaining_ms() is None


def test_time_that_has_passed_is_never_no_limit() -> None:
    with deadline.within(0.001):
        time.sleep(0.01)
        assert deadline.remaining_ms() == 1


READ = Read(collection="slow", policy=CATALOG_LIST, where={"$where": "sleep(3000) || true"}, result=len)
AGGREGATION = Aggregation(collection="slow", policy=CATALOG_LIST, where={}, stages=(SLEEP,), result=len)


@pytest.fixture
def slow(database: Database[Document]) -> Iterator[None]:
    database["slow"].insert_one({})
    yield
    database["slow"].drop()


@pytest.mark.parametrize("read", [READ, AGGREGATION])
def test_slow_read_is_stopped_by_the_server(slow: None, read: Read[int] | Aggregation[int]) -> None:
    async def ask() -> None:
        try:
            with deadline.within(0.3):
                await run_async(read)
        finally:
            await close_async_client()

    began = time.monotonic()
    with pytest.raises(ExecutionTimeout):
        asyncio.run(ask())

    assert time.monotonic() - began < 2
