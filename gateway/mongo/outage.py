"""Noticing that MongoDB is away: by errors that the driver raises after all its retries, never by a slow query.

The driver repeats reads and writes by itself and outlives an election or a dead mongos, so only an error that it raises
in the end says something. Used by the GraphQL endpoint; workers, commands and the admin ask and wait as ever.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, ParamSpec, TypeVar

import pymongo
from django.conf import settings
from django.db import DatabaseError
from pymongo import MongoClient
from pymongo.errors import (
    BulkWriteError,
    ClientBulkWriteException,
    ConnectionFailure,
    OperationFailure,
    PyMongoError,
    ServerSelectionTimeoutError,
    WaitQueueTimeoutError,
)
from pymongo.read_preferences import Nearest

from gateway.circuit import Circuit
from gateway.domain.texts import Text
from gateway.mongo.client import async_database

P = ParamSpec("P")
T = TypeVar("T")

# What a mongos says of a shard for which nobody answers: host unreachable, not found, network time-out, and «failed to
# satisfy the read preference».
_SHARD_AWAY = {6, 7, 89, 133}

# A ping takes a millisecond; a driver that has lost its servers looks for them every half second.
LOOK_SECONDS = 1.0


class MongoUnavailable(PyMongoError):
    """MongoDB is away. What had begun may have been done; what was refused at once has not."""

    def __init__(self, reason: str = "", text: Text | None = None) -> None:
        super().__init__(reason or (text.en if text else ""))
        self.text = text
        """What to tell people, where it is more than that MongoDB is away."""


class NotServed(MongoUnavailable):
    """MongoDB is away, and nobody else could answer this."""

    def __init__(self, text: Text) -> None:
        super().__init__(text=text)


MONGODB = Circuit("mongodb", pause=lambda: settings.MONGODB_CIRCUIT_SECONDS, away=MongoUnavailable)


@contextmanager
def asking() -> Iterator[None]:
    """Put it round whatever asks MongoDB.

    Raises MongoUnavailable: at once while MongoDB is known to be away, and when the driver gives up.
    """
    MONGODB.check()
    try:
        yield
    except MongoUnavailable:
        raise
    except (PyMongoError, DatabaseError) as error:
        cause = _given_up_on(error)
        if cause is None:
            raise
        # Several in a row, for the others: a connection may break, or a shard be without a primary, while all else goes
        # on. But when the driver has waited for any server in vain, there is none.
        (MONGODB.note_loss if isinstance(cause, ServerSelectionTimeoutError) else MONGODB.note_silence)(str(cause))
        raise MongoUnavailable(str(cause)) from error


def ask(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Call it under `asking`: for synchronous code that the endpoint runs in a thread."""
    with asking():
        return function(*args, **kwargs)


def is_outage(error: Exception) -> bool:
    """Whether the error says that MongoDB, or one of its shards, is away."""
    return isinstance(error, MongoUnavailable) or _given_up_on(error) is not None


def give_up_if_nobody_is_there(error: PyMongoError, client: MongoClient[Any]) -> None:
    """Raise MongoUnavailable when the driver has waited for a server and knows of none.

    Inside a transaction the same error may also mean that the one mongos it is bound to is gone: then another serves.
    """
    if isinstance(error, ServerSelectionTimeoutError) and not is_anybody_there(client):
        MONGODB.note_loss(str(error))
        raise MongoUnavailable(str(error)) from error


def is_anybody_there(client: MongoClient[Any]) -> bool:
    """Whether the driver knows any server; it looks for them all the time."""
    return bool(client.topology_description.has_readable_server(Nearest()))


async def ping_anybody() -> bool:
    """Whether some server answers a ping within a moment: that a read is slow says nothing about the servers."""
    try:
        with pymongo.timeout(LOOK_SECONDS):
            await async_database().client.admin.command("ping")
    except PyMongoError:
        return False
    return True


def _given_up_on(error: Exception) -> PyMongoError | None:
    """The error inside that says that a server is away; None when the error says something else."""
    if isinstance(error, DatabaseError):
        return _given_up_on(error.__cause__) if isinstance(error.__cause__, Exception) else None
    if isinstance(error, ClientBulkWriteException) and isinstance(error.error, Exception):
        return _given_up_on(error.error)
    if isinstance(error, WaitQueueTimeoutError):
        return None  # of our own pool
    if isinstance(error, ConnectionFailure):
        return error
    if isinstance(error, OperationFailure) and _codes(error) & _SHARD_AWAY:
        return error
    return None


def _codes(error: OperationFailure) -> set[int]:
    codes = {error.code} if error.code is not None else set()
    if isinstance(error, BulkWriteError):
        codes |= {failed["code"] for failed in error.details.get("writeErrors", ()) if "code" in failed}
    return codes
