"""PyMongo clients: one for synchronous code, shared with the ORM, and one per event loop for asynchronous code."""

import asyncio
from collections.abc import Mapping
from typing import Any, TypeVar, cast
from weakref import WeakKeyDictionary

import pymongo
from django.db import DEFAULT_DB_ALIAS, connections
from pymongo import AsyncMongoClient, MongoClient
from pymongo.asynchronous.database import AsyncDatabase
from pymongo.collection import Collection
from pymongo.database import Database

from gateway.mongo.fast_reads import FAST_READS

Document = dict[str, Any]
"""A document of any collection, for what works on all of them. The shop's own are typed in each app's documents.py."""
Expression = dict[str, Any]
"""A filter, an update, a stage or an expression in MongoDB's language: what is sent, never what is kept."""
Pipeline = list[Expression]

D = TypeVar("D", bound=Mapping[str, Any])

# A closing client tells the servers which sessions have ended, for which it would look for a server as long as for any
# command; they forget idle sessions by themselves.
FAREWELL_SECONDS = 1.0

# An asynchronous client belongs to the loop it was first used on.
_async_clients: WeakKeyDictionary[asyncio.AbstractEventLoop, AsyncMongoClient[Document]] = WeakKeyDictionary()


def orm_connection(using: str = DEFAULT_DB_ALIAS) -> Any:
    """Django's connection, opened.

    Untyped: Django's types do not know its `database`, `session` and `get_collection`.
    """
    connection = connections[using]
    connection.ensure_connection()
    return connection


def database() -> Database[Document]:
    """The database of the ORM's own client, so that raw commands share its pool, listeners and test database."""
    found: Database[Document] = orm_connection().database
    return found


def collection_of(name: str, documents: type[D]) -> Collection[D]:
    """The collection, typed: `collection_of(ORDERS, OrderDocument)`. Nothing checks what the store really holds."""
    return cast("Collection[D]", database()[name])


def client() -> MongoClient[Document]:
    return database().client


def async_database() -> AsyncDatabase[Document]:
    loop = asyncio.get_running_loop()
    if loop not in _async_clients:
        _async_clients[loop] = AsyncMongoClient(**connections[DEFAULT_DB_ALIAS].get_connection_params())
    return _async_clients[loop][connections[DEFAULT_DB_ALIAS].settings_dict["NAME"]]


async def close_async_client() -> None:
    await FAST_READS.close()
    if found := _async_clients.pop(asyncio.get_running_loop(), None):
        with pymongo.timeout(FAREWELL_SECONDS):
            await found.close()
