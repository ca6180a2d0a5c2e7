"""Any order by what a person says on the phone: its number, e-mail, telephone, customer's id or name."""

from collections.abc import Sequence
from typing import Any

from gateway.mongo.policies import ORDER_STATUS
from gateway.mongo.reading import Read
from ordering.history import Page, Slice, page_of
from ordering.lookup_keys import keys_sought

# As long as an e-mail address may be.
MAX_SOUGHT = 254

BY_KEYS = "keys_1_created_at_-1__id_-1"


def lookup(text: str, part: Slice) -> Read[Page]:
    """Newest first, each once, whatever it was found by. Asks every shard, by the index of the keys."""
    sought = keys_sought(text)
    points = [{"keys": key} for key in sought.any_of]
    if sought.all_of:
        points.append(_with_all(sought.all_of))
    return page_of(points, part, BY_KEYS, policy=ORDER_STATUS)


def _with_all(words: Sequence[str]) -> dict[str, Any]:
    """The longest walks, since it is the rarest as a rule; the others are checked, in a form that no index tempts."""
    longest = max(words, key=len)
    others = [word for word in words if word != longest]
    return {"keys": longest, **({"$expr": {"$setIsSubset": [{"$literal": others}, "$keys"]}} if others else {})}
