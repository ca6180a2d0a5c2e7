"""What buyers searched for and did not find, added up over some days.

The storefront's search counts it, a counter per day and normalised text and nothing about who searched; here it is
read. Counters are gone after a quarter.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

from catalog.search_models import SearchMiss
from gateway.mongo.policies import STAFF_LIST
from gateway.mongo.reads import Aggregation

MISSES = SearchMiss._meta.db_table
# Nobody reads more; the most frequent stand first.
SHOWN = 200


class Miss(NamedTuple):
    text: str
    times: int
    last_day: datetime
    """The beginning, in UTC, of the last day on which it was searched for."""


def most_missed(since: datetime) -> Aggregation[list[Miss]]:
    """What was missed most since this day. Read from an index alone; the collection is not sharded."""

    def made(documents: Sequence[Any]) -> list[Miss]:
        return [Miss(each["_id"], each["count"], each["last_day"]) for each in documents]

    return Aggregation(
        collection=MISSES,
        policy=STAFF_LIST,
        where={"day": {"$gte": since}},
        hint="day_1_text_1_count_1",
        stages=(
            {"$group": {"_id": "$text", "count": {"$sum": "$count"}, "last_day": {"$max": "$day"}}},
            {"$sort": {"count": -1, "_id": 1}},
            {"$limit": SHOWN},
        ),
        result=made,
    )
