"""Declarations that no cluster can make true, found before anything is touched."""

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

from gateway.mongo.collections import Collection, Index, Keys
from gateway.mongo.topology.keys import bound, precedes
from gateway.mongo.topology.shell import shell


def impossible(name: str, declaration: Collection) -> list[str]:
    """One sentence for every part of this declaration that MongoDB would refuse or, worse, accept and not keep."""
    problems = [*_shard_key(declaration.shard_key), *_names(declaration.indexes)]
    for index in declaration.indexes:
        problems += [f"index {index.name}: {problem}" for problem in _index(index, declaration.shard_key)]
    if declaration.shard_key is None:
        if declaration.zones or declaration.split_at:
            problems.append("zones and split_at need a shard key")
    else:
        problems += _places(declaration, declaration.shard_key)
    return [f"{name}: {problem}" for problem in problems]


def _shard_key(key: Keys | None) -> Iterator[str]:
    if key is None:
        return
    directions = list(key.values())
    if not directions or any(direction not in (1, "hashed") for direction in directions):
        yield f"a shard key is made of 1 and one «hashed», not {shell(key)}"
    if directions.count("hashed") > 1:
        yield f"only one field of a shard key may be hashed, not {shell(key)}"


def _names(indexes: tuple[Index, ...]) -> Iterator[str]:
    for name, count in Counter(index.name for index in indexes).items():
        if count > 1:
            yield f"{count} indexes are called {name}: tell them apart with `named`"
    if sum("text" in index.keys.values() for index in indexes) > 1:
        yield "a collection has at most one text index"


def _index(index: Index, shard_key: Keys | None) -> Iterator[str]:
    directions = list(index.keys.values())
    if index.unique and shard_key and list(index.keys)[: len(shard_key)] != list(shard_key):
        # The server lets an index that starts with _id pass, yet enforces it on each shard for itself.
        yield f"a unique index must start with the shard key {shell(shard_key)}"
    if index.unique and ("hashed" in directions or "text" in directions):
        yield "a hashed or text index cannot be unique"
    if index.expire_after_seconds is not None and (len(directions) != 1 or "_id" in index.keys):
        yield "a TTL index has exactly one key, and that is not _id"
    texts = {field for field, direction in index.keys.items() if direction == "text"}
    if not texts and (index.weights or index.default_language):
        yield "weights and default_language belong to a text index"
    elif unknown := set(index.weights or ()) - texts:
        yield f"weights for fields that are not in the text index: {', '.join(sorted(unknown))}"


def _places(declaration: Collection, key: Keys) -> Iterator[str]:
    if declaration.split_at and next(iter(key.values()), None) == "hashed":
        yield "split_at is for ranged keys: MongoDB spreads a hashed one itself"
    ends = [end for zone in declaration.zones for end in (zone.lower, zone.upper)]
    for place in (*declaration.split_at, *ends):
        if not place or list(place) != list(key)[: len(place)]:
            yield f"{shell(place)} does not name the first fields of the shard key {shell(key)}"
    for zone in declaration.zones:
        if not precedes(bound(key, zone.lower), bound(key, zone.upper)):
            yield f"zone {zone.name}: {shell(zone.lower)} is not below {shell(zone.upper)}"
    if not _ascending(declaration.split_at, key):
        yield "split_at must ascend"


def _ascending(points: tuple[Mapping[str, Any], ...], key: Keys) -> bool:
    bounds = [bound(key, point) for point in points]
    return all(precedes(left, right) for left, right in pairwise(bounds))
