"""What the cluster has now, read from its own catalog. Nothing here writes."""

from collections.abc import Collection as Names
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from bson.codec_options import DEFAULT_CODEC_OPTIONS
from pymongo import ReadPreference
from pymongo.database import Database
from pymongo.errors import OperationFailure

from gateway.mongo.collections import Keys
from gateway.mongo.topology.errors import UNAUTHORIZED, TopologyError
from gateway.mongo.topology.keys import Bound


@dataclass(frozen=True, slots=True)
class FoundIndex:
    spec: Mapping[str, Any]
    shards: frozenset[str]
    """The shards that have it or are building it; one nameless shard when there is no sharding."""
    ready: frozenset[str]
    """The shards that have finished building it."""

    @property
    def name(self) -> str:
        return str(self.spec["name"])


@dataclass(frozen=True, slots=True)
class Chunk:
    lower: Bound
    shard: str


@dataclass(frozen=True, slots=True)
class ZoneRange:
    zone: str
    lower: Bound
    upper: Bound


@dataclass(frozen=True, slots=True)
class FoundCollection:
    exists: bool = False
    empty: bool = True
    shard_key: Keys | None = None
    indexes: tuple[FoundIndex, ...] = ()
    """The indexes; one that has different options on two shards is listed twice."""
    chunks: tuple[Chunk, ...] = ()
    """The chunks of an empty collection; not read for others."""
    zones: tuple[ZoneRange, ...] = ()


@dataclass(frozen=True, slots=True)
class Cluster:
    server: str
    sharded: bool
    standalone: bool
    shards: tuple[str, ...]
    """The shards that may receive data, always in the same order, so that a later run lays ranges out alike."""
    primary: str | None
    """The shard where a new collection begins; None before the database has its first one."""
    carriers: Mapping[str, frozenset[str]]
    """The shards that carry each zone."""
    collections: Mapping[str, FoundCollection]


def look(database: Database[Any], names: Names[str]) -> Cluster:
    """Read the state of these collections, from primaries: a lagging view would plan steps that are done."""
    database = database.with_options(codec_options=DEFAULT_CODEC_OPTIONS, read_preference=ReadPreference.PRIMARY)
    hello = database.command("hello")
    if hello.get("msg") == "isdbgrid":
        return _look_through_mongos(database, names)
    _refuse_shard_member(database)
    replica_set = hello.get("setName")
    return Cluster(
        server=f"replica set {replica_set}" if replica_set else "standalone",
        sharded=False,
        standalone=not replica_set,
        shards=(),
        primary=None,
        carriers={},
        collections=_contents(database, names),
    )


def _refuse_shard_member(database: Database[Any]) -> None:
    """Raise TopologyError on a member of a shard: what is made there directly is unknown to its cluster."""
    try:
        state = database.client.admin.command("shardingState")
    except OperationFailure as error:
        if error.code != UNAUTHORIZED:
            raise
        return  # this user may not ask; the steps themselves will tell
    if state.get("enabled"):
        raise TopologyError(f"this server is a member of {state['shardName']}: connect to a mongos of its cluster")


def _look_through_mongos(database: Database[Any], names: Names[str]) -> Cluster:
    config = database.client.get_database(
        "config", codec_options=DEFAULT_CODEC_OPTIONS, read_preference=ReadPreference.PRIMARY
    )
    shards = list(config.shards.find().sort("_id"))
    home = config.databases.find_one({"_id": database.name})
    zones = {zone for shard in shards for zone in shard.get("tags") or ()}
    contents = _contents(database, names)
    return Cluster(
        server=f"{len(shards)} shard{'s' if len(shards) != 1 else ''}: {', '.join(s['_id'] for s in shards)}",
        sharded=True,
        standalone=False,
        shards=tuple(shard["_id"] for shard in shards if not shard.get("draining")),
        primary=home["primary"] if home else None,
        carriers={z: frozenset(s["_id"] for s in shards if z in (s.get("tags") or ())) for z in zones},
        collections={
            name: _with_sharding(found, config, f"{database.name}.{name}") for name, found in contents.items()
        },
    )


def _contents(database: Database[Any], names: Names[str]) -> dict[str, FoundCollection]:
    existing = set(database.list_collection_names(filter={"name": {"$in": list(names)}}))
    return {
        name: FoundCollection(
            exists=True,
            empty=database[name].find_one({}, {"_id": 1}) is None,
            indexes=_indexes(database, name),
        )
        if name in existing
        else FoundCollection()
        for name in names
    }


def _indexes(database: Database[Any], name: str) -> tuple[FoundIndex, ...]:
    """The indexes, by $indexStats: listIndexes asks one shard only, and a build that died may have missed another."""
    rows = list(database[name].aggregate([{"$indexStats": {}}]))
    specs: list[dict[str, Any]] = []
    for row in rows:
        if row["spec"] not in specs:
            specs.append(row["spec"])
    return tuple(
        FoundIndex(
            spec,
            shards=frozenset(row.get("shard", "") for row in rows if row["spec"] == spec),
            ready=frozenset(row.get("shard", "") for row in rows if row["spec"] == spec and not row.get("building")),
        )
        for spec in sorted(specs, key=lambda spec: str(spec["name"]))
    )


def _with_sharding(found: FoundCollection, config: Database[Any], namespace: str) -> FoundCollection:
    tags = config.tags.find({"ns": namespace}).sort("min", 1)
    found = replace(found, zones=tuple(ZoneRange(tag["tag"], tag["min"], tag["max"]) for tag in tags))
    entry = config.collections.find_one({"_id": namespace})
    if not entry or entry.get("unsplittable"):  # unsharded, though listed once it was moved to another shard
        return found
    # Chunks matter only before the first document, and a large collection has very many.
    chunks = config.chunks.find({"uuid": entry["uuid"]}).sort("min", 1) if found.empty else ()
    return replace(found, shard_key=entry["key"], chunks=tuple(Chunk(chunk["min"], chunk["shard"]) for chunk in chunks))
