"""What became of the carts of a day: figures per day and geozone, computed on secondaries, kept as daily documents.

A cart belongs to the UTC day on which it was made. Only carts with lines count, and one that a customer's cart took in
does not: its lines count there. Computing a day again replaces its figures, so that any run may be repeated, killed or
doubled.
"""

from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import NamedTuple, TypedDict

import structlog
from bson import Decimal128
from django.conf import settings
from django.utils import timezone
from pymongo import DeleteMany, ReplaceOne
from pymongo.errors import BulkWriteError

from cart.documents import DayDocument, DayFigures, LostItem, ProgressDocument
from cart.models import AbandonedCartDay, AnalyticsProgress, Cart, CartStatus
from gateway.mongo.client import Expression, collection_of
from gateway.mongo.duplicates import duplicates_of
from gateway.mongo.lag import LAG
from gateway.mongo.policies import CART_ANALYTICS
from gateway.mongo.reads import Aggregation, run

log = structlog.get_logger(__name__)

CARTS = Cart._meta.db_table
# These two are small and not sharded.
DAYS = AbandonedCartDay._meta.db_table
PROGRESS = AnalyticsProgress._meta.db_table
THE_PROGRESS = "carts"

# Kept for each day and geozone: enough that the first twenty of a year are right, and still a small document.
TOP_PRODUCTS = 200
# Clocks of the gateway's machines differ, and a write may take a while between its clock and its commit.
OVERLAP = timedelta(minutes=5)


class Computed(NamedTuple):
    days: int
    carts: int


class _ProductRow(TypedDict):
    """A product in abandoned carts as the shards add it up; without an id it is the row of the carts themselves."""

    product_id: str | None
    name: str
    carts: int
    quantity: int
    lost_value: Decimal128 | int


class _GeozoneRow(TypedDict):
    """What the shards answer for one geozone of a day."""

    _id: str | None
    carts: int
    abandoned: int
    ordered: int
    lost_value: Decimal128 | int
    products: list[_ProductRow]


def open_since(today: date) -> date:
    """The first day whose carts are all still there; the figures of those before it are final."""
    return today - timedelta(days=settings.CART_KEPT_DAYS)


def days_between(first: date, last: date) -> list[date]:
    """All days from the first to the last, both included."""
    return [first + timedelta(days=number) for number in range((last - first).days + 1)]


def compute_days(days: Sequence[date], report: Callable[[int], None] = lambda _: None) -> Computed:
    """Compute these days anew, one at a time, except the final ones; `report` is told of each day done."""
    first_open = open_since(timezone.now().date())
    done, carts = 0, 0
    for day in days:
        if day >= first_open:
            carts += _compute(day)
            done += 1
        report(1)
    return Computed(done, carts)


def compute_changed() -> Computed:
    """Compute the days on which those carts were made that changed since the last run; the first run computes all."""
    started = timezone.now()
    first_open = midnight(open_since(started.date()))
    kept = collection_of(PROGRESS, ProgressDocument)
    progress = kept.find_one({"_id": THE_PROGRESS})
    since = max(progress["seen_until"].replace(tzinfo=UTC), first_open) if progress else first_open
    days = run(changed_days(since))
    computed = compute_days(days)
    # What the slowest secondary did not have yet is looked at again by the next run.
    behind = timedelta(seconds=LAG.worst(None) or 0.0)
    kept.update_one(
        {"_id": THE_PROGRESS},
        {"$max": {"seen_until": started - OVERLAP - behind, "computed_at": started}},
        upsert=True,
    )
    log.info("carts_analysed", days=computed.days, carts=computed.carts)
    return computed


def changed_days(since: datetime) -> Aggregation[list[date]]:
    """The days on which those carts were made that changed since then, oldest first. Asks all shards: any owner's."""
    return Aggregation(
        collection=CARTS,
        policy=CART_ANALYTICS,
        where={"updated_at": {"$gte": since}},
        stages=({"$group": {"_id": {"$dateTrunc": {"date": "$created_at", "unit": "day"}}}}, {"$sort": {"_id": 1}}),
        result=lambda documents: [document["_id"].date() for document in documents],
    )


def figures_of(day: date) -> Aggregation[list[DayFigures]]:
    """The figures of each geozone, as they are kept. Asks all shards: the carts of a day are of all owners."""
    return Aggregation(
        collection=CARTS,
        policy=CART_ANALYTICS,
        where={
            "created_at": {"$gte": midnight(day), "$lt": midnight(day + timedelta(days=1))},
            "items.0": {"$exists": True},
            "merged_into": None,
        },
        stages=_FIGURES,
        hint="created_at_1",
        result=lambda documents: [_kept(day, document) for document in documents],
    )


def midnight(day: date) -> datetime:
    return datetime.combine(day, time(), tzinfo=UTC)


def _one_if(status: CartStatus) -> Expression:
    return {"$cond": [{"$eq": ["$status", status.value]}, 1, 0]}


_LINES: Expression = {"$cond": [{"$eq": ["$status", CartStatus.ABANDONED.value]}, "$items", []]}
_IS_CART_ROW: Expression = {"$eq": ["$_id.product_id", None]}
_LOST: Expression = {"$multiply": ["$line.quantity", "$line.price_seen"]}

# One pass: the shards turn a cart into a row for itself (without a product) and one per abandoned line, and add the
# rows up by geozone and product; what travels is a row per product, not per cart.
_FIGURES: tuple[Expression, ...] = (
    {
        "$project": {
            "geozone": {"$ifNull": ["$geozone", None]},
            "abandoned": _one_if(CartStatus.ABANDONED),
            "ordered": _one_if(CartStatus.ORDERED),
            "line": {"$concatArrays": [[{"product_id": None}], _LINES]},
        }
    },
    {"$unwind": "$line"},
    {
        "$group": {
            "_id": {"geozone": "$geozone", "product_id": "$line.product_id"},
            "name": {"$max": "$line.name"},
            "carts": {"$sum": 1},
            "abandoned": {"$sum": "$abandoned"},
            "ordered": {"$sum": "$ordered"},
            "quantity": {"$sum": "$line.quantity"},
            "lost_value": {"$sum": _LOST},
        }
    },
    {
        "$group": {
            "_id": "$_id.geozone",
            **{
                figure: {"$sum": {"$cond": [_IS_CART_ROW, f"${figure}", 0]}}
                for figure in ("carts", "abandoned", "ordered")
            },
            "lost_value": {"$sum": "$lost_value"},
            "products": {
                "$topN": {
                    "n": TOP_PRODUCTS + 1,  # the row of the carts may be among them
                    "sortBy": {"lost_value": -1, "_id.product_id": 1},
                    "output": {
                        "product_id": "$_id.product_id",
                        "name": "$name",
                        "carts": "$carts",
                        "quantity": "$quantity",
                        "lost_value": "$lost_value",
                    },
                }
            },
        }
    },
)


def _compute(day: date) -> int:
    computed_at = timezone.now()
    figures = run(figures_of(day))
    _replace(day, figures, computed_at)
    return sum(figure["carts"] for figure in figures)


def _replace(day: date, figures: Sequence[DayFigures], computed_at: datetime) -> None:
    """Keep the figures of a day. When two runs meet, those of the one that looked last stay."""
    not_newer = {"computed_at": {"$lte": computed_at}}
    documents: list[DayDocument] = [{**figure, "computed_at": computed_at} for figure in figures]
    writes = [ReplaceOne({"_id": document["_id"], **not_newer}, document, upsert=True) for document in documents]
    vanished = {"day": midnight(day), "_id": {"$nin": [figure["_id"] for figure in figures]}, **not_newer}
    try:
        collection_of(DAYS, DayDocument).bulk_write([*writes, DeleteMany(vanished)], ordered=False)
    except BulkWriteError as error:
        # A newer document was not matched, so its id is taken.
        duplicates_of(error)


def _kept(day: date, figure: _GeozoneRow) -> DayFigures:
    return {
        "_id": f"{day.isoformat()}:{figure['_id'] or ''}",
        "day": midnight(day),
        "geozone": figure["_id"],
        "carts": figure["carts"],
        "abandoned": figure["abandoned"],
        "ordered": figure["ordered"],
        "lost_value": _money(figure["lost_value"]),
        "products": _lost_items(figure["products"])[:TOP_PRODUCTS],
    }


def _lost_items(rows: Sequence[_ProductRow]) -> list[LostItem]:
    return [
        {
            "product_id": row["product_id"],
            "name": row["name"],
            "carts": row["carts"],
            "quantity": row["quantity"],
            "lost_value": _money(row["lost_value"]),
        }
        for row in rows
        if row["product_id"] is not None
    ]


def _money(total: Decimal128 | int) -> Decimal128:
    """The sum as kept; MongoDB answers a sum over nothing with a plain 0."""
    return total if isinstance(total, Decimal128) else Decimal128(str(total))
