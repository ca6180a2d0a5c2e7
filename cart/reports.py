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


class _DaySums(TypedDict):
    """What the store answers for one day."""

    _id: datetime
    carts: int
    abandoned: int
    ordered: int
    lost_value: Decimal128
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


def _figures(where: Expression) -> Aggregation[_Figures]:
    sums = ("carts", "abandoned", "ordered", "lost_value")
    return Aggregation(
        collection=DAYS,
        policy=CART_ANALYTICS,
        where=where,
        stages=(
            {
                "$group": {
                    "_id": "$day",
                    **{figure: {"$sum": f"${figure}"} for figure in sums},
                    "computed_at": {"$max": "$computed_at"},
                }
            },
        ),
        result=_by_day,
    )


def _by_day(documents: Sequence[_DaySums]) -> _Figures:
    days = [
        Day(
            day=document["_id"].date(),
            carts=document["carts"],
            abandoned=document["abandoned"],
            ordered=document["ordered"],
            lost_value=document["lost_value"].to_decimal(),
        )
        for document in documents
    ]
    computed_at = max((document["computed_at"] for document in documents), default=None)
    return _Figures({day.day: day for day in days}, computed_at)


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
