"""Which shards a query reaches, by the cluster's chunk table, which each process reads once a minute."""

import hashlib
import struct
import threading
import time
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import structlog
from bson import Int64, MaxKey, MinKey, ObjectId
from pymongo import MongoClient
from pymongo.errors import PyMongoError

log = structlog.get_logger(__name__)

# Chunks move rarely; a figure that is a minute old still counts the right number of shards nearly always.
REFRESH_SECONDS = 60.0

Shards = frozenset[str]

UNSHARDED = "unsharded"
"""The name of the only shard when the server is a plain replica set."""


def is_mongos(client: MongoClient[dict[str, Any]]) -> bool:
    return bool(client.admin.command("hello").get("msg") == "isdbgrid")


@dataclass(frozen=True, slots=True)
class ChunkTable:
    """The chunks of one collection in key order."""

    shard_key: Mapping[str, Any]
    lower_bounds: tuple[tuple[Any, ...], ...]
    shards: tuple[str, ...]

    def reached_by(self, query: Mapping[str, Any]) -> Shards:
        """The shards whose chunks can hold a match: one for a whole key, some for its first fields, else all."""
        conditions = _equalities(query)
        prefix: list[list[Any]] = []
        for field, direction in self.shard_key.items():
            if field not in conditions:
                break
            prefix.append([hashed(value) if direction == "hashed" else value for value in conditions[field]])
        if not prefix:
            return frozenset(self.shards)
        reached: Shards = frozenset()
        return reached.union(*(self._within(beginning) for beginning in product(*prefix)))

    def _within(self, beginning: Sequence[Any]) -> Iterable[str]:
        missing = len(self.shard_key) - len(beginning)
        first = self._chunk_of((*beginning, *[MinKey()] * missing))
        last = self._chunk_of((*beginning, *[MaxKey()] * missing))
        return self.shards[first : last + 1]

    def _chunk_of(self, key: Sequence[Any]) -> int:
        # MinKey and MaxKey compare with anything, and Python orders strings as MongoDB does: by code point.
        return bisect_right(self.lower_bounds, tuple(key)) - 1


class Routing:
    """The chunk tables of one database, as last read. Unknown until the first refresh has ended."""

    def __init__(self) -> None:
        self._tables: dict[str, ChunkTable] | None = None
        self._unsharded: Shards = frozenset()
        self._refreshed_at = float("-inf")
        self._refreshing = threading.Lock()

    def shards_reached(self, collection: str, query: Mapping[str, Any]) -> Shards | None:
        """The shards that the query reaches; None while nobody has read the chunk tables yet."""
        if self._tables is None:
            return None
        table = self._tables.get(collection)
        if table is None:
            return self._unsharded
        try:
            return table.reached_by(query)
        except TypeError:  # a value of another type than the bounds, or a condition that pins none
            return frozenset(table.shards)

    def refresh(self, client: MongoClient[dict[str, Any]], database: str) -> None:
        if not is_mongos(client):
            self._tables, self._unsharded = {}, frozenset({UNSHARDED})
        else:
            config = client.config
            self._tables = {
                entry["_id"].removeprefix(f"{database}."): _chunk_table(
                    entry, config.chunks.find({"uuid": entry["uuid"]})
                )
                for entry in config.collections.find(
                    {"_id": {"$regex": f"^{database}\\."}, "unsplittable": {"$ne": True}}
                )
            }
            home = config.databases.find_one({"_id": database})
            self._unsharded = frozenset({home["primary"]} if home else ())
        self._refreshed_at = time.monotonic()

    def refresh_soon(self, client: MongoClient[dict[str, Any]], database: str) -> None:
        """Refresh tables older than a minute, in the background and never twice at once. Never raises."""
        if time.monotonic() - self._refreshed_at < REFRESH_SECONDS or not self._refreshing.acquire(blocking=False):
            return
        threading.Thread(target=self._refresh_quietly, args=(client, database), name="routing", daemon=True).start()

    def _refresh_quietly(self, client: MongoClient[dict[str, Any]], database: str) -> None:
        try:
            self.refresh(client, database)
        except PyMongoError as error:
            self._refreshed_at = time.monotonic()  # not again before a minute has passed
            log.warning("routing_not_refreshed", error=error)
        finally:
            self._refreshing.release()


ROUTING = Routing()


def _chunk_table(entry: Mapping[str, Any], chunks: Iterable[Mapping[str, Any]]) -> ChunkTable:
    ordered = sorted((tuple(chunk["min"].values()), chunk["shard"]) for chunk in chunks)
    return ChunkTable(
        shard_key=entry["key"],
        lower_bounds=tuple(bound for bound, _ in ordered),
        shards=tuple(shard for _, shard in ordered),
    )


def _equalities(query: Mapping[str, Any]) -> dict[str, list[Any]]:
    """Fields that the query pins to a value or to a list of values, also inside `$and`."""
    found: dict[str, list[Any]] = {}
    for field, condition in query.items():
        if field == "$and":
            for part in condition:
                found.update(_equalities(part))
        elif field.startswith("$"):
            continue
        elif not isinstance(condition, Mapping) or not any(name.startswith("$") for name in condition):
            found[field] = [condition]
        elif "$eq" in condition:
            found[field] = [condition["$eq"]]
        elif "$in" in condition:
            found[field] = list(condition["$in"])
    return found


def hashed(value: Any) -> Int64:
    """MongoDB's hash of a shard-key value: the first 8 bytes of an MD5 over a zero seed, the type and the value."""
    digest = hashlib.md5(struct.pack("<i", 0) + _canonical(value), usedforsecurity=False).digest()
    return Int64(struct.unpack("<q", digest[:8])[0])


def _canonical(value: Any) -> bytes:
    match value:
        case str():
            encoded = value.encode() + b"\x00"
            return struct.pack("<ii", 15, len(encoded)) + encoded
        case ObjectId():
            return struct.pack("<i", 35) + value.binary
        case int() if not isinstance(value, bool):
            return struct.pack("<iq", 10, value)
    raise TypeError(f"a hashed shard key of type {type(value).__name__} is not supported")
