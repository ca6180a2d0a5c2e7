"""Declarations of collections, beside their models: shard key, indexes, zones and first split.

A model says `collection = Collection(...)` and nothing else; `manage.py topology apply` makes it true.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from django.apps import apps
from django.db import models

Direction = Literal[1, -1, "hashed", "text"]
Keys = Mapping[str, Direction]


@dataclass(frozen=True, slots=True)
class Index:
    """An index: its keys in order, and the options of MongoDB's createIndexes."""

    keys: Keys
    unique: bool = False
    """In a sharded collection the keys must start with the shard key, or each shard would be unique for itself only."""
    where: Mapping[str, Any] | None = None
    """Index only documents that match: MongoDB's partialFilterExpression."""
    expire_after_seconds: int | None = None
    """Makes a TTL index: a document is deleted this long after the time in its key."""
    default_language: str | None = None
    """The language of a text index; English unless given."""
    weights: Mapping[str, int] | None = None
    """How much a word in each field of a text index counts; 1 unless given."""
    named: str | None = None
    """A name, needed for a second index on the same keys, such as one with another `where`; else the keys make it."""

    @property
    def name(self) -> str:
        return self.named or "_".join(f"{field}_{direction}" for field, direction in self.keys.items())


@dataclass(frozen=True, slots=True)
class Zone:
    """Documents whose shard key lies in [lower, upper) live on the shards that carry this zone.

    A bound may name the first fields of the key only. Which shards carry the zone differs from cluster to cluster, so
    it is not declared: `topology apply` gives a zone that no shard carries to all of them, and operators narrow it.
    """

    name: str
    lower: Mapping[str, Any]
    upper: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Collection:
    """What a collection shall be in the cluster."""

    shard_key: Keys | None = None
    """None for a small collection that stays unsharded."""
    indexes: tuple[Index, ...] = ()
    zones: tuple[Zone, ...] = ()
    split_at: tuple[Mapping[str, Any], ...] = ()
    """Where a ranged key is split while the collection is still empty, so that the first load already spreads.

    Ascending; a point may name the first fields of the key only. A hashed key needs none: MongoDB spreads it itself.
    """

    @property
    def shard_key_fields(self) -> tuple[str, ...]:
        return tuple(self.shard_key or ())

    @property
    def required_indexes(self) -> tuple[Index, ...]:
        """The declared indexes and that of the shard key itself, without which the server does not shard."""
        if not self.shard_key or dict(self.shard_key) == {"_id": 1}:
            return self.indexes
        order = list(self.shard_key.items())
        if any(list(index.keys.items()) == order and not index.where for index in self.indexes):
            return self.indexes
        return (*self.indexes, Index(self.shard_key))


def declared_collections() -> Iterator[tuple[str, Collection]]:
    """Name and declaration of every collection that an installed model declares."""
    for model in apps.get_models():
        if model._meta.proxy:
            continue  # another view of a collection that its own model declares
        if declaration := declaration_of(model):
            yield model._meta.db_table, declaration


def declaration_of(model: type[models.Model]) -> Collection | None:
    declaration = getattr(model, "collection", None)
    return declaration if isinstance(declaration, Collection) else None
