"""What has been bought lately: of each product, in how many paid orders of the last month it stands.

Orders, not pieces: a hundred cables for one office do not make a cable that people want. Unpaid ones are nobody's
business: else a stranger could lift a product without paying. Each run counts all of the month anew, a day at a time
from secondaries, so that one that was killed, repeated or late leaves nothing to make good.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import TypedDict

from catalog.products.popularity import keep_bought
from gateway.mongo.policies import ORDER_REPORTS
from gateway.mongo.reads import Aggregation, run
from ordering.models import Order, OrderStatus
from ordering.reading.listing import BY_TIME

DAYS = 30
# What is paid for and has not come back.
COUNTED = (OrderStatus.PAID, OrderStatus.PROCESSING, OrderStatus.SHIPPED, OrderStatus.DELIVERED)
# The most bought stay: fifty megabytes while it counts. Far more than a search ever shows before others.
MAX_PRODUCTS = 200_000


def count_bought(now: datetime) -> int:
    """Count the month until now and keep what it says with the products; returns how many of them have moved."""
    today = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    orders: Counter[str] = Counter()
    for ago in range(DAYS):
        day = today - timedelta(days=ago)
        orders.update(run(_bought_between(day, day + timedelta(days=1))))
        if len(orders) > MAX_PRODUCTS:
            orders = Counter(dict(orders.most_common(MAX_PRODUCTS)))
    return keep_bought(orders)


class _Found(TypedDict):
    _id: str
    orders: int


def _bought_between(since: datetime, until: datetime) -> Aggregation[Mapping[str, int]]:
    """In how many orders made then each product stands. Asks every shard, each for a range of one index."""

    def made(documents: Sequence[_Found]) -> Mapping[str, int]:
        return {each["_id"]: each["orders"] for each in documents}

    return Aggregation(
        collection=Order._meta.db_table,
        policy=ORDER_REPORTS,
        where={"created_at": {"$gte": since, "$lt": until}, "status": {"$in": [status.value for status in COUNTED]}},
        stages=(
            {"$unwind": "$items"},
            # All of a line's pieces may have been given back though the order stands.
            {"$match": {"$expr": {"$gt": ["$items.quantity", {"$ifNull": ["$items.refunded", 0]}]}}},
            {"$group": {"_id": "$items.product_id", "orders": {"$sum": 1}}},
        ),
        hint=BY_TIME,
        result=made,
    )
