"""Changes of prices, from the audit: whose, on which days, and how far each price has moved over the period."""

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any, NamedTuple

from django.utils.timezone import get_default_timezone, get_default_timezone_name

from gateway.audit.reading import TRAIL
from gateway.audit.trail import Action
from gateway.mongo.policies import AUDIT
from gateway.mongo.reads import Aggregation

BY_ACTION = "action_1_at_-1__id_-1"
PRICES = ("base_price", "sale_price")
# Entries looked through: a second of MongoDB's work. More come from a few jobs over the whole catalog, of which the
# newest say enough.
LOOKED_THROUGH = 200_000
TOP = 20


class Changed(NamedTuple):
    """Products whose price was changed on a day, by a person or a program."""

    day: date
    actor_id: str
    """Empty: a program."""
    actor: str
    products: int


class Moved(NamedTuple):
    """A price at the beginning of the period and at its end."""

    product_id: str
    field: str
    """One of PRICES."""
    before: Decimal
    after: Decimal


class PriceChanges(NamedTuple):
    products: int
    """Different ones, over all days."""
    by_day: Mapping[date, int]
    """Different products of each day on which there were any."""
    changed: Sequence[Changed]
    """The newest day first, on it the most products first."""


class Extremes(NamedTuple):
    rises: Sequence[Moved]
    """The largest in per cent, the largest first."""
    cuts: Sequence[Moved]


def price_changes(since: datetime, until: datetime) -> Aggregation[PriceChanges]:
    """Who changed how many prices on which days. Walks the index of the action over the period."""
    day = {"$dateTrunc": {"date": "$at", "unit": "day", "timezone": get_default_timezone_name()}}
    return Aggregation(
        collection=TRAIL,
        policy=AUDIT,
        where=_of_period(since, until),
        stages=(
            *_PRICES_CHANGED,
            {
                "$group": {
                    "_id": {"day": day, "id": "$actor_id", "program": _PROGRAM, "target": "$target"},
                    "actor": {"$max": "$actor"},
                }
            },
            {
                "$facet": {
                    "products": [{"$group": {"_id": "$_id.target"}}, {"$count": "count"}],
                    "days": [
                        {"$group": {"_id": {"day": "$_id.day", "target": "$_id.target"}}},
                        {"$group": {"_id": "$_id.day", "count": {"$sum": 1}}},
                    ],
                    "people": [
                        {
                            "$group": {
                                "_id": {"day": "$_id.day", "id": "$_id.id", "program": "$_id.program"},
                                "actor": {"$max": "$actor"},
                                "count": {"$sum": 1},
                            }
                        },
                        {"$sort": {"_id.day": -1, "count": -1, "actor": 1}},
                    ],
                }
            },
        ),
        hint=BY_ACTION,
        result=_changes,
    )


def largest_moves(since: datetime, until: datetime) -> Aggregation[Extremes]:
    """The largest rises and cuts over the period, of prices that were there before and after."""
    ratio = {"$divide": ["$after", "$before"]}
    moved = {"target": "$_id.target", "field": "$_id.field", "before": "$before", "after": "$after"}
    order = {"_id.target": 1, "_id.field": 1}
    return Aggregation(
        collection=TRAIL,
        policy=AUDIT,
        where=_of_period(since, until),
        stages=(
            *_PRICES_CHANGED,
            {"$project": {"target": 1, "prices": {"$objectToArray": "$changes"}}},
            {"$unwind": "$prices"},
            {"$match": {"prices.k": {"$in": list(PRICES)}}},
            # Newest first: the last one's «before» and the first one's «after» are those of the period.
            {
                "$group": {
                    "_id": {"target": "$target", "field": "$prices.k"},
                    "before": {"$last": {"$arrayElemAt": ["$prices.v", 0]}},
                    "after": {"$first": {"$arrayElemAt": ["$prices.v", 1]}},
                }
            },
            {"$set": {"before": _amount("$before"), "after": _amount("$after")}},
            {"$match": {"before": {"$gt": 0}, "after": {"$gte": 0}, "$expr": {"$ne": ["$before", "$after"]}}},
            {"$set": {"ratio": ratio}},
            {
                "$group": {
                    "_id": None,
                    "rises": {"$topN": {"n": TOP, "sortBy": {"ratio": -1, **order}, "output": {**moved}}},
                    "cuts": {"$topN": {"n": TOP, "sortBy": {"ratio": 1, **order}, "output": {**moved}}},
                }
            },
        ),
        hint=BY_ACTION,
        result=_extremes,
    )


def first_left_out(since: datetime, until: datetime) -> Aggregation[datetime | None]:
    """When the newest change was made that is not looked at, since there are so many; None: all are."""
    return Aggregation(
        collection=TRAIL,
        policy=AUDIT,
        where=_of_period(since, until),
        stages=({"$sort": _NEWEST}, {"$skip": LOOKED_THROUGH}, {"$limit": 1}, {"$project": {"at": 1}}),
        hint=BY_ACTION,
        result=lambda found: found[0]["at"].replace(tzinfo=UTC) if found else None,
    )


_NEWEST = {"at": -1, "_id": -1}
# Programs have no id: their names tell them apart; a person is the same under another address.
_PROGRAM = {"$cond": [{"$eq": ["$actor_id", ""]}, "$actor", ""]}
_PRICES_CHANGED: tuple[Mapping[str, Any], ...] = (
    {"$sort": _NEWEST},
    {"$limit": LOOKED_THROUGH},
    {"$match": {"$or": [{f"changes.{price}": {"$exists": True}} for price in PRICES]}},
)


def _of_period(since: datetime, until: datetime) -> Mapping[str, Any]:
    return {"action": Action.PRODUCT_CHANGED.value, "at": {"$gte": since, "$lt": until}}


def _amount(field: str) -> Mapping[str, Any]:
    """Amounts stand in the audit as text; of what is none, nothing."""
    return {"$convert": {"input": field, "to": "decimal", "onError": None, "onNull": None}}


def _changes(found: Sequence[Any]) -> PriceChanges:
    (facets,) = found
    return PriceChanges(
        products=facets["products"][0]["count"] if facets["products"] else 0,
        by_day={_day(each["_id"]): each["count"] for each in facets["days"]},
        changed=[
            Changed(_day(each["_id"]["day"]), each["_id"]["id"], each["actor"], each["count"])
            for each in facets["people"]
        ],
    )


def _extremes(found: Sequence[Any]) -> Extremes:
    if not found:
        return Extremes((), ())
    rises, cuts = ([_moved(each) for each in found[0][name]] for name in ("rises", "cuts"))
    return Extremes(
        [each for each in rises if each.after > each.before], [each for each in cuts if each.after < each.before]
    )


def _moved(found: Any) -> Moved:
    product_id = found["target"].partition(":")[2]
    return Moved(product_id, found["field"], found["before"].to_decimal(), found["after"].to_decimal())


def _day(moment: datetime) -> date:
    return moment.replace(tzinfo=UTC).astimezone(get_default_timezone()).date()
