"""What buyers searched for and did not find as they typed it, added up over some days.

The storefront's search counts it (`miss_counter`), a counter per day, normalised text and outcome, and nothing about
who searched; here it is read. Counters are gone after a quarter.
"""

from collections.abc import Sequence
from datetime import datetime
from enum import Enum
from typing import Any, NamedTuple

from catalog.search_models import SearchMiss
from gateway.mongo.policies import STAFF_LIST
from gateway.mongo.reads import Aggregation

MISSES = SearchMiss._meta.db_table
# Nobody reads more; the most frequent stand first.
SHOWN = 200


class Outcome(Enum):
    """What came of a search that did not find what was typed."""

    NOTHING = "nothing"
    CORRECTED = "corrected"
    LEFT_OUT = "left_out"
    """Words were left out, because nothing has all of them."""


class Miss(NamedTuple):
    text: str
    outcome: Outcome
    instead: str
    """What was searched for instead, or the words left out."""
    times: int
    last_day: datetime
    """The beginning, in UTC, of the last day on which it was searched for."""


def most_missed(since: datetime, outcome: Outcome | None = None) -> Aggregation[list[Miss]]:
    """What was missed most since this day. Read from an index alone; the collection is not sharded."""

    def made(documents: Sequence[Any]) -> list[Miss]:
        return [
            Miss(each["_id"]["text"], Outcome(each["_id"]["outcome"]), each["instead"], each["count"], each["last_day"])
            for each in documents
        ]

    return Aggregation(
        collection=MISSES,
        policy=STAFF_LIST,
        where={"day": {"$gte": since}, **({"outcome": outcome.value} if outcome else {})},
        hint="day_1_outcome_1_text_1_count_1_instead_1",
        stages=(
            {
                "$group": {
                    "_id": {"text": "$text", "outcome": "$outcome"},
                    "count": {"$sum": "$count"},
                    "last_day": {"$max": "$day"},
                    "instead": {"$max": "$instead"},
                }
            },
            {"$sort": {"count": -1, "_id": 1}},
            {"$limit": SHOWN},
        ),
        result=made,
    )
