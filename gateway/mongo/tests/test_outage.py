"""What counts as MongoDB being away, and what does not."""

from collections.abc import Iterator

import pytest
from django.db import DatabaseError
from pymongo import MongoClient
from pymongo.database import Database
from pymongo.errors import (
    AutoReconnect,
    BulkWriteError,
    DuplicateKeyError,
    ExecutionTimeout,
    NetworkTimeout,
    OperationFailure,
    ServerSelectionTimeoutError,
    WaitQueueTimeoutError,
    WriteError,
)

from gateway.accounts.models import User
from gateway.circuit import SILENCES_TO_OPEN
from gateway.mongo.client import Document
from gateway.mongo.client import client as orm_client
from gateway.mongo.outage import MONGODB, MongoUnavailable, ask, asking, give_up_if_nobody_is_there

NOWHERE = "mongodb://127.0.0.1:1/?serverSelectionTimeoutMS=100&directConnection=true"


@pytest.fixture(autouse=True)
def closed_circuit() -> Iterator[None]:
    MONGODB.reset()
    yield
    MONGODB.reset()


def is_open() -> bool:
    try:
        MONGODB.check()
    except MongoUnavailable:
        return True
    return False


def fail_with(error: Exception) -> None:
    raise error


def test_no_server_to_be_found_opens_the_circuit_at_once() -> None:
    with MongoClient[Document](NOWHERE) as nobody, pytest.raises(MongoUnavailable), asking():
        nobody.shop.things.find_one()

    assert is_open()


def test_orm_that_finds_no_server_does_too() -> None:
    error = DatabaseError()
    error.__cause__ = ServerSelectionTimeoutError("nobody")

    with pytest.raises(MongoUnavailable):
        ask(fail_with, error)

    assert is_open()


@pytest.mark.parametrize(
    "error",
    [
        AutoReconnect("the connection broke"),
        NetworkTimeout("no answer"),
        OperationFailure("host unreachable", 6),
        WriteError("failed to satisfy the read preference", 133),
        BulkWriteError({"writeErrors": [{"code": 133}]}),
    ],
    ids=lambda error: type(error).__name__,
)
def test_broken_connection_or_lost_shard_is_told_at_once_and_opens_after_several_in_a_row(error: Exception) -> None:
    for _ in range(SILENCES_TO_OPEN):
        assert not is_open()
        with pytest.raises(MongoUnavailable):
            ask(fail_with, error)

    assert is_open()


@pytest.mark.parametrize(
    "error",
    [
        DuplicateKeyError("twice", 11000),
        ExecutionTimeout("slow", 50),
        WaitQueueTimeoutError("our own pool is empty"),
        LookupError("a fault"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_slow_query_or_fault_of_ours_is_no_outage(error: Exception) -> None:
    for _ in range(SILENCES_TO_OPEN + 1):
        with pytest.raises(type(error)):
            ask(fail_with, error)

    assert not is_open()


def test_any_answer_about_documents_closes_it_whoever_asked(database: Database[Document]) -> None:
    MONGODB.note_loss("test")

    User.objects.count()

    assert not is_open()


def test_what_a_mongos_knows_without_shards_does_not(cluster: None) -> None:
    MONGODB.note_loss("test")

    orm_client().admin.command("ping")
    orm_client().config.shards.find_one()

    assert is_open()


def test_transaction_gives_up_only_when_nobody_is_there(cluster: None) -> None:
    """Bound to a mongos that died it gets the same error, and is run again on another."""
    no_server = ServerSelectionTimeoutError("none in time")

    give_up_if_nobody_is_there(no_server, orm_client())
    assert not is_open()

    with MongoClient[Document](NOWHERE) as nobody:
        give_up_if_nobody_is_there(AutoReconnect("broken"), nobody)
        with pytest.raises(MongoUnavailable):
            give_up_if_nobody_is_there(no_server, nobody)
    assert is_open()
