"""The figures of staff are those of the orders, summed by hand."""

from collections import Counter
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import cast

import pytest
from pymongo.database import Database

from gateway.cassandra.partition_stats import PARTITION_STATS
from gateway.cassandra.writes import write
from gateway.mongo.client import Document
from ordering.cassandra.rows import day_of
from ordering.documents import OrderDocument
from ordering.ledger.amounts import paid, refunded
from ordering.ledger.ledger import Entry, Kind, Origin, State, new_entry
from ordering.reading.reports import (
    Figures,
    PeriodDay,
    PeriodTooLong,
    RegionDay,
    orders_by_region_and_day,
    orders_in_period,
)
from ordering.tests.days import a_day, copied_orders
from ordering.tests.payments_api import as_stored

pytestmark = pytest.mark.usefixtures("patient")


def entry(kind: Kind, amount: str, state: State = State.DONE) -> Entry:
    return new_entry(kind, state, Decimal(amount), "p", Origin(datetime(2026, 1, 1, tzinfo=UTC), "payments", "webhook"))


def summed(orders: Database[Document], day: date, region: str | None = None) -> Figures:
    """From MongoDB."""
    stored = cast("list[OrderDocument]", list(orders["orders"].find()))
    found = [order for order in stored if day_of(order) == day and region in {None, order["geozone"]}]
    return Figures(
        orders=len(found),
        pieces=sum(item["quantity"] for order in found for item in order["items"]),
        total=sum((order["total"].to_decimal() for order in found), Decimal(0)),
        paid=sum(map(paid, found), Decimal(0)),
        refunded=sum(map(refunded, found), Decimal(0)),
        by_status=Counter(order["status"] for order in found),
    )


def test_reports_equal_the_sums_over_the_orders(orders: Database[Document]) -> None:
    day = a_day()
    following, last = day + timedelta(days=1), day + timedelta(days=2)
    copied_orders(orders, day, 2)
    copied_orders(
        orders,
        day,
        1,
        status="delivered",
        money=as_stored(entry(Kind.PAYMENT, "3990.00"), entry(Kind.REFUND, "990.00")),
    )
    owed = as_stored(entry(Kind.PAYMENT, "500.00"), entry(Kind.EXCESS, "500.00", State.DUE))
    copied_orders(orders, day, 1, status="cancelled", money=owed)
    copied_orders(orders, day, 1, status="paid", geozone="spb", money=as_stored(entry(Kind.PAYMENT, "3990.00")))
    # A day that got another bucket in its course: the earlier orders stay where they were.
    write([PARTITION_STATS.upsert({"table_name": "orders_by_period", "partition_key": f"{last}/1"})])
    copied_orders(orders, last, 1, period_bucket=0)
    copied_orders(orders, last, 2, period_bucket=1)

    period = orders_in_period(day, last)
    regions = orders_by_region_and_day(["msk", "spb"], day, last)

    days = (day, following, last)
    assert period == [PeriodDay(each, summed(orders, each)) for each in days]
    assert regions == [
        RegionDay(region, each, summed(orders, each, region)) for region in ("msk", "spb") for each in days
    ]
    first = period[0].figures
    assert (first.orders, first.paid, first.refunded, first.revenue) == (
        5,
        Decimal("7980.00"),
        Decimal("990.00"),
        Decimal("6990.00"),
    )
    assert first.by_status == {"new": 2, "delivered": 1, "cancelled": 1, "paid": 1}


def test_report_of_more_than_a_year_is_refused() -> None:
    with pytest.raises(PeriodTooLong, match="367 days: a report has at most 366"):
        orders_in_period(date(2024, 1, 1), date(2025, 1, 1))
    with pytest.raises(PeriodTooLong, match="367 days: a report has at most 366"):
        orders_by_region_and_day(["msk"], date(2024, 1, 1), date(2025, 1, 1))
