"""The report on abandoned carts, from the daily figures: the description of its reads and the typed result."""

from collections.abc import Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import NamedTuple, TypedDict

from bson import Decimal128

from cart.analytics import DAYS, PROGRESS, THE_PROGRESS, days_between, midnight
from gateway.mongo.client import Expression
from gateway.mongo.policies import CART_ANALYTICS
from gateway.mongo.reads import Aggregation, Read, Steps

TOP = 20
_SUMMED = ("carts", "abandoned", "ordered", "lost_value")


class Day(NamedTuple):
    day: date
    carts: int = 0
    abandoned: int = 0
    ordered: int = 0
    lost_value: Decimal = Decimal(0)


class LostProduct(NamedTuple):
    product_id: str
    name: str
    carts: int
    quantity: int
    lost_value: Decimal


class Report(NamedTuple):
    days: tuple[Day, ...]
    """Every day of the period, in order."""
    products: tuple[LostProduct, ...]
    """The products with the largest lost value, the largest first."""
    computed_at: datetime


class _Figures(NamedTuple):
    days: dict[date, Day]
    computed_at: datetime | None


class _Sums(TypedDict):
    carts: int
    abandoned: int
    ordered: int
    lost_value: Decimal128


class _DaySums(_Sums):
    """What the store answers for one day."""

    _id: datetime
    computed_at: datetime


class _ProductSums(TypedDict):
    """What the store answers for one product; its `_id` is the product's."""

    _id: str
    name: str
    carts: int
    quantity: int
    lost_value: Decimal128


def abandoned_cart_report(first: date, last: date, geozone: str | None) -> Steps[Report | None]:
    """The report on one geozone, or on all carts; None when nothing was ever computed."""
    where: Expression = {"day": {"$gte": midnight(first), "$lte": midnight(last)}}
    if geozone is not None:
        where["geozone"] = geozone
    figures: _Figures = yield _figures(where)
    computed_at = figures.computed_at or (yield _LAST_RUN)
    if computed_at is None:
        return None
    products = yield _products(where)
    days = tuple(figures.days.get(day, Day(day)) for day in days_between(first, last))
    return Report(days, products, computed_at)


def abandoned_by_geozone(first: date, last: date) -> Aggregation[list[tuple[str | None, Day]]]:
    """Sums over the period of each geozone, the largest lost value first; None: the carts that never named one."""
    return Aggregation(
        collection=DAYS,
        policy=CART_ANALYTICS,
        where={"day": {"$gte": midnight(first), "$lte": midnight(last)}},
        stages=(
            {"$group": {"_id": "$geozone", **{figure: {"$sum": f"${figure}"} for figure in _SUMMED}}},
            {"$sort": {"lost_value": -1, "_id": 1}},
        ),
        result=lambda documents: [(document["_id"], _day(first, document)) for document in documents],
    )


def _figures(where: Expression) -> Aggregation[_Figures]:
    return Aggregation(
        collection=DAYS,
        policy=CART_ANALYTICS,
        where=where,
        stages=(
            {
                "$group": {
                    "_id": "$day",
                    **{figure: {"$sum": f"${figure}"} for figure in _SUMMED},
                    "computed_at": {"$max": "$computed_at"},
                }
            },
        ),
        result=_by_day,
    )


def _by_day(documents: Sequence[_DaySums]) -> _Figures:
    days = [_day(document["_id"].date(), document) for document in documents]
    computed_at = max((document["computed_at"] for document in documents), default=None)
    return _Figures({day.day: day for day in days}, computed_at)


def _day(day: date, sums: _Sums) -> Day:
    return Day(
        day=day,
        carts=sums["carts"],
        abandoned=sums["abandoned"],
        ordered=sums["ordered"],
        lost_value=sums["lost_value"].to_decimal(),
    )


def _products(where: Expression) -> Aggregation[tuple[LostProduct, ...]]:
    return Aggregation(
        collection=DAYS,
        policy=CART_ANALYTICS,
        where=where,
        stages=(
            {"$unwind": "$products"},
            {
                "$group": {
                    "_id": "$products.product_id",
                    "name": {"$max": "$products.name"},
                    "carts": {"$sum": "$products.carts"},
                    "quantity": {"$sum": "$products.quantity"},
                    "lost_value": {"$sum": "$products.lost_value"},
                }
            },
            {"$sort": {"lost_value": -1, "_id": 1}},
            {"$limit": TOP},
        ),
        result=_lost_products,
    )


def _lost_products(documents: Sequence[_ProductSums]) -> tuple[LostProduct, ...]:
    return tuple(
        LostProduct(
            product_id=document["_id"],
            name=document["name"],
            carts=document["carts"],
            quantity=document["quantity"],
            lost_value=document["lost_value"].to_decimal(),
        )
        for document in documents
    )


_LAST_RUN: Read[datetime | None] = Read(
    collection=PROGRESS,
    policy=CART_ANALYTICS,
    where={"_id": THE_PROGRESS},
    result=lambda documents: documents[0]["computed_at"] if documents else None,
)
