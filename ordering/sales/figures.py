"""Sales as pages show them, from the quarters that are kept: by geozone, and by day or hour of the shop."""

from collections.abc import Sequence
from datetime import UTC, datetime
from decimal import Decimal
from typing import Literal, NamedTuple, TypedDict

from bson import Decimal128
from django.utils.timezone import get_default_timezone, get_default_timezone_name

from gateway.mongo.policies import ORDER_REPORTS
from gateway.mongo.reads import Aggregation, Read
from ordering.documents import SalesProgressDocument
from ordering.sales.sums import PROGRESS, QUARTERS, THE_PROGRESS

BY_BEGIN = "begins_1_geozone_1"
Unit = Literal["day", "hour"]


class Sales(NamedTuple):
    """Sums over orders. Cancelled and expired ones count as orders and bring nothing."""

    orders: int = 0
    pieces: int = 0
    total: Decimal = Decimal(0)
    paid: Decimal = Decimal(0)
    refunded: Decimal = Decimal(0)

    @property
    def revenue(self) -> Decimal:
        return self.paid - self.refunded

    @property
    def mean(self) -> Decimal:
        """What an order was worth."""
        return self.total / self.orders if self.orders else Decimal(0)

    def plus(self, other: "Sales") -> "Sales":
        return Sales(
            orders=self.orders + other.orders,
            pieces=self.pieces + other.pieces,
            total=self.total + other.total,
            paid=self.paid + other.paid,
            refunded=self.refunded + other.refunded,
        )


class Sold(NamedTuple):
    """What was sold in a geozone in one day or hour of the shop."""

    begins: datetime
    geozone: str
    sales: Sales


class Freshness(NamedTuple):
    """How far the orders are summed."""

    seen_until: datetime | None
    failed_at: datetime | None

    @property
    def is_behind(self) -> bool:
        """Whether the last attempt to go on has failed."""
        return bool(self.failed_at and (self.seen_until is None or self.failed_at > self.seen_until))


class _Place(TypedDict):
    begins: datetime
    geozone: str


class _Sums(TypedDict):
    """What the store answers for one geozone in one day or hour."""

    _id: _Place
    orders: int
    pieces: int
    total: Decimal128
    paid: Decimal128
    refunded: Decimal128


def sold(since: datetime, until: datetime, by: Unit, geozone: str | None = None) -> Aggregation[list[Sold]]:
    """Sales from `since` on and before `until`, by day or hour in the shop's zone, of one geozone or of each.

    Walks the index over the period: a thousand documents a day where there are ten geozones.
    """
    begins = {"$dateTrunc": {"date": "$begins", "unit": by, "timezone": get_default_timezone_name()}}
    figures = ("orders", "pieces", "total", "paid", "refunded")
    return Aggregation(
        collection=QUARTERS,
        policy=ORDER_REPORTS,
        where={"begins": {"$gte": since, "$lt": until}, **({"geozone": geozone} if geozone else {})},
        stages=(
            {
                "$group": {
                    "_id": {"begins": begins, "geozone": "$geozone"},
                    **{figure: {"$sum": f"${figure}"} for figure in figures},
                }
            },
            {"$sort": {"_id.begins": 1, "_id.geozone": 1}},
        ),
        hint=BY_BEGIN,
        result=_sold,
    )


def _sold(found: Sequence[_Sums]) -> list[Sold]:
    return [
        Sold(
            begins=each["_id"]["begins"].replace(tzinfo=UTC).astimezone(get_default_timezone()),
            geozone=each["_id"]["geozone"],
            sales=Sales(
                orders=each["orders"],
                pieces=each["pieces"],
                total=each["total"].to_decimal(),
                paid=each["paid"].to_decimal(),
                refunded=each["refunded"].to_decimal(),
            ),
        )
        for each in found
    ]


def _freshness(found: Sequence[SalesProgressDocument]) -> Freshness:
    progress = found[0] if found else SalesProgressDocument(_id=THE_PROGRESS)
    seen, failed = progress.get("seen_until"), progress.get("failed_at")
    return Freshness(seen.replace(tzinfo=UTC) if seen else None, failed.replace(tzinfo=UTC) if failed else None)


FRESHNESS: Read[Freshness] = Read(
    collection=PROGRESS, policy=ORDER_REPORTS, where={"_id": THE_PROGRESS}, result=_freshness
)
