"""Places in a shard key's order: bounds of chunks and zones, points of a split."""

from collections.abc import Mapping
from typing import Any

from bson import MinKey

from gateway.mongo.collections import Keys

Bound = dict[str, Any]
"""A value for each field of the shard key, in its order: how the server writes every bound."""


def bound(shard_key: Keys, first_fields: Mapping[str, Any]) -> Bound:
    """The lowest place that begins with these values: the fields left out are MinKey, as the server fills them."""
    return {field: first_fields.get(field, MinKey()) for field in shard_key}


def precedes(left: Bound, right: Bound) -> bool:
    """Whether the left place comes first; False also where Python cannot compare the types that an operator mixed."""
    try:
        return tuple(left.values()) < tuple(right.values())
    except TypeError:
        return False
