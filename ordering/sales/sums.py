"""What was sold in each quarter of an hour and geozone: summed from Cassandra's rows by a task, kept in MongoDB.

Whoever looks at a day reads a few hundred of these, however many orders there were. A quarter is summed anew while its
orders are young, and again when most payments, cancellations and refunds are behind it. Any run may be repeated, killed
or doubled: summing again replaces.
"""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

import structlog
from bson import Decimal128
from django.conf import settings
from pymongo import DeleteMany, ReplaceOne
from pymongo.errors import BulkWriteError

from gateway.cassandra.errors import CassandraError
from gateway.mongo.client import collection_of
from gateway.mongo.duplicates import duplicates_of
from ordering.documents import SalesProgressDocument, SalesQuarterDocument
from ordering.models import SalesProgress, SalesQuarter
from ordering.reading.reports import QUARTER, RegionQuarter, orders_by_quarter, quarter_of

log = structlog.get_logger(__name__)

QUARTERS = SalesQuarter._meta.db_table
PROGRESS = SalesProgress._meta.db_table
THE_PROGRESS = "sales"

# As far back as a page looks; what is older at the first run nobody asks for.
HISTORY = timedelta(days=92)
# Until then an order is paid or expired, and late rows have arrived.
YOUNG = timedelta(hours=2)
# When a quarter is summed once more: after the first day's cancellations, a week's deliveries, a month's returns.
AGES = (timedelta(days=1), timedelta(days=8), timedelta(days=31))
# A run catches up with so much at once and keeps how far it came: after a long outage several share the work.
STEP = timedelta(days=5)
STEPS = 4


class Window(NamedTuple):
    """Quarters from one beginning to another one, which is not among them."""

    since: datetime
    until: datetime


def sum_sales(now: datetime) -> int:
    """Sum what has become due by now; returns the number of quarters with orders. Raises CassandraError."""
    done = 0
    try:
        for _ in range(STEPS):
            seen = _seen_until() or now - HISTORY
            end = min(now, seen + STEP)
            done += sum(sum_window(window) for window in due_windows(seen, end))
            _note(seen_until=end)
            if end == now:
                break
    except CassandraError:
        if settings.CASSANDRA_CONTACT_POINTS:
            _note(failed_at=now)
        raise
    log.info("sales_summed", quarters=done)
    return done


def due_windows(seen: datetime, now: datetime) -> Iterator[Window]:
    """What must be summed at this moment when the last run was at `seen`."""
    yield Window(quarter_of(seen - YOUNG), quarter_of(now) + QUARTER)
    for age in AGES:
        window = Window(quarter_of(seen - age), quarter_of(now - age))
        if window.since < window.until:
            yield window


def sum_window(window: Window) -> int:
    """Sum these quarters anew and keep them; returns how many of them have orders. Raises CassandraError."""
    computed_at = datetime.now(UTC)
    found = orders_by_quarter(window.since, window.until)
    _replace(window, found, computed_at)
    return len(found)


def _replace(window: Window, found: Sequence[RegionQuarter], computed_at: datetime) -> None:
    """Keep the figures of the window. When two runs meet, those of the one that looked last stay."""
    not_newer = {"computed_at": {"$lte": computed_at}}
    documents = [_kept(quarter, computed_at) for quarter in found]
    writes = [ReplaceOne({"_id": document["_id"], **not_newer}, document, upsert=True) for document in documents]
    vanished = {
        "begins": {"$gte": window.since, "$lt": window.until},
        "_id": {"$nin": [document["_id"] for document in documents]},
        **not_newer,
    }
    try:
        collection_of(QUARTERS, SalesQuarterDocument).bulk_write([*writes, DeleteMany(vanished)], ordered=False)
    except BulkWriteError as error:
        # A newer document was not matched, so its id is taken.
        duplicates_of(error)


def _kept(quarter: RegionQuarter, computed_at: datetime) -> SalesQuarterDocument:
    figures = quarter.figures
    return {
        "_id": f"{quarter.begins:%Y-%m-%dT%H:%M}:{quarter.region}",
        "begins": quarter.begins,
        "geozone": quarter.region,
        "orders": figures.orders,
        "pieces": figures.pieces,
        "total": Decimal128(figures.total),
        "paid": Decimal128(figures.paid),
        "refunded": Decimal128(figures.refunded),
        "computed_at": computed_at,
    }


def _seen_until() -> datetime | None:
    kept = collection_of(PROGRESS, SalesProgressDocument).find_one({"_id": THE_PROGRESS})
    seen = kept.get("seen_until") if kept else None
    return seen.replace(tzinfo=UTC) if seen else None


def _note(**moments: datetime) -> None:
    collection_of(PROGRESS, SalesProgressDocument).update_one({"_id": THE_PROGRESS}, {"$max": moments}, upsert=True)
