"""Any order by what a person says on the phone: its number, e-mail, telephone, customer's id or name."""

from typing import Any, NamedTuple

from gateway.mongo.policies import ORDER_STATUS
from gateway.mongo.reads import Read
from ordering.reading.history import Page, Slice, page_of
from ordering.reading.lookup_keys import keys_sought

# As long as an e-mail address may be.
MAX_SOUGHT = 254

BY_KEYS = "keys_1_created_at_-1__id_-1"


class Walk(NamedTuple):
    """Along the orders with one key; those are found that have the others too."""

    key: str
    others: list[str]


def walks_for(text: str) -> list[Walk]:
    """One for each thing that the text may mean."""
    sought = keys_sought(text)
    walks = [Walk(key, []) for key in sought.any_of]
    if sought.all_of:
        # The longest word walks, since it is the rarest as a rule.
        longest = max(sought.all_of, key=len)
        walks.append(Walk(longest, [word for word in sought.all_of if word != longest]))
    return walks


def lookup(text: str, part: Slice) -> Read[Page]:
    """Newest first, each once, whatever it was found by. Asks every shard, by the index of the keys."""
    return page_of([_point(walk) for walk in walks_for(text)], part, BY_KEYS, policy=ORDER_STATUS)


def _point(walk: Walk) -> dict[str, Any]:
    if not walk.others:
        return {"keys": walk.key}
    # Checked in a form that no index tempts.
    return {"keys": walk.key, "$expr": {"$setIsSubset": [{"$literal": walk.others}, "$keys"]}}
