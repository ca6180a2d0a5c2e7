"""Finds by mongojet, the official Rust driver bound to Python: three quarters of what PyMongo's take.

It is a way for good weather. Whatever it cannot do, it leaves to PyMongo: where it is not installed or does not take an
option of MONGODB_URI, there is PyMongo alone; a find that fails is asked once more by PyMongo, which repeats reads,
finds another server and raises the error that everybody knows; and while a server is away PyMongo is asked at once.
"""

import asyncio
import importlib
import os
import time
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl, urlencode
from weakref import WeakKeyDictionary

import structlog
from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, connections

from gateway.mongo.policies import Preference

log = structlog.get_logger(__name__)

# Its threads only pass bytes on: one does it for less than two, which wake each other.
os.environ.setdefault("TOKIO_WORKER_THREADS", "1")
try:
    mongojet: Any = importlib.import_module("mongojet")
except ImportError:
    mongojet = None

# After a server was not found or lost, how long nobody asks by mongojet: an election takes some three seconds.
REST_SECONDS = 5.0
# Added to the address, or put in the place of what it says. PyMongo waits for a server as long as the settings have it,
# and this comes before; as many connections as PyMongo has.
_OPTIONS = {"serverSelectionTimeoutMS": "300", "connectTimeoutMS": "2000", "maxPoolSize": "100"}


class _Client:
    """The client of one event loop, and its collections by name and read preference."""

    def __init__(self) -> None:
        self.made: Any = None
        self._collections: dict[tuple[str, str], Any] = {}
        self._making = False

    def collection(self, name: str, preference: Preference) -> Any:
        """The collection; None while there is no client."""
        if self.made is None:
            return None
        key = (name, preference.mongos_mode)
        if key not in self._collections:
            database = self.made.get_database(connections[DEFAULT_DB_ALIAS].settings_dict["NAME"])
            chosen = {"mode": preference.mongos_mode}
            self._collections[key] = database.get_collection(name, read_preference=chosen)
        return self._collections[key]

    async def make(self, address: str) -> None:
        """Make the client, once; those who come meanwhile do without."""
        if self._making:
            return
        self._making = True
        try:
            self.made = await mongojet.create_client(address, tz_aware=False)
        finally:
            self._making = False


class FastReads:
    """The finds of this process by mongojet."""

    def __init__(self) -> None:
        self._clients: WeakKeyDictionary[asyncio.AbstractEventLoop, _Client] = WeakKeyDictionary()
        self._rests_until = float("-inf")
        self._is_refused = mongojet is None

    def is_ready(self) -> bool:
        """Whether these reads are switched on, possible, and not at rest."""
        return settings.MONGODB_FAST_READS and not self._is_refused and time.monotonic() >= self._rests_until

    async def collection(self, name: str, preference: Preference) -> Any:
        """The collection to ask; None where PyMongo is to be asked."""
        if not self.is_ready():
            return None
        loop = asyncio.get_running_loop()
        if (client := self._clients.get(loop)) is None:
            client = self._clients[loop] = _Client()
        if client.made is None:
            try:
                await client.make(address_of(str(connections[DEFAULT_DB_ALIAS].settings_dict["HOST"])))
            except (ValueError, mongojet.PyMongoError) as error:
                # An option that it does not know, or a name that nobody resolves.
                self._is_refused = True
                log.warning("fast_reads_refused", error=error)
        return client.collection(name, preference)

    async def find(self, collection: Any, where: Mapping[str, Any], options: Mapping[str, Any]) -> list[Any] | None:
        """The documents; None where PyMongo is to be asked. The options are named as mongojet names them."""
        try:
            found: list[Any] = await collection.find_many(where, **options)
        except mongojet.ConnectionFailure as error:
            self._rests_until = time.monotonic() + REST_SECONDS
            log.warning("fast_reads_rest", error=error)
            return None
        except mongojet.PyMongoError:
            # Its errors have no codes: PyMongo's say what it is.
            return None
        return found

    async def close(self) -> None:
        """Close the client of the running loop."""
        found = self._clients.pop(asyncio.get_running_loop(), None)
        if found is not None and found.made is not None:
            await found.made.close()


def address_of(uri: str) -> str:
    """The address of MONGODB_URI with the options of these reads."""
    head, _, query = uri.partition("?")
    ours = {name.lower() for name in _OPTIONS}
    given = [(name, value) for name, value in parse_qsl(query) if name.lower() not in ours]
    slash = "" if "/" in head.partition("://")[2] else "/"
    return f"{head}{slash}?{urlencode([*given, *_OPTIONS.items()])}"


FAST_READS = FastReads()
