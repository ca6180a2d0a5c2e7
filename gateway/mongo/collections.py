"""What a collection is in the cluster: its shard key, indexes, zones and first split, declared once beside its model.

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
    """An index by its keys in order; the options are those of MongoDB's createIndexes."""

    keys: Keys
    unique: bool = False
    where: Mapping[str, Any] | None = None
    """Only documents that match: MongoDB's partialFilterExpression."""
    expire_after_seconds: int | None = None
    """A TTL index: a document goes this long after the time in its key."""
    default_language: str | None = None
    """Of a text index."""

    @property
    def name(self) -> str:
        return "_".join(f"{field}_{direction}" for field, direction in self.keys.items())


@dataclass(frozen=True, slots=True)
class Zone:
    """Documents whose shard key lies in [lower, upper) live on the shards that carry this zone."""

    name: str
    lower: Mapping[str, Any]
    upper: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Collection:
    shard_key: Keys | None = None
    """None: small, unsharded."""
    indexes: tuple[Index, ...] = ()
    zones: tuple[Zone, ...] = ()
    split_at: tuple[Mapping[str, Any], ...] = ()
    """Where a ranged key is split while the collection is still empty, so that the first load already spreads."""

    @property
    def shard_key_fields(self) -> tuple[str, ...]:
        return tuple(self.shard_key or ())


def declared() -> Iterator[tuple[str, Collection]]:
    """Name and declaration of every collection that an installed model declares."""
    for model in apps.get_models():
        if declaration := declaration_of(model):
            yield model._meta.db_table, declaration


def declaration_of(model: type[models.Model]) -> Collection | None:
    declaration = getattr(model, "collection", None)
    return declaration if isinstance(declaration, Collection) else None
