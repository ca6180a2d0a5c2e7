"""What was sold by quarter, day and hour is what the orders say; runs may be repeated, late or doubled."""

import random
import threading
from collections.abc import Callable, Iterable
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from itertools import pairwise
from typing import cast
from zoneinfo import ZoneInfo

import pytest
from django.conf import settings
from pymongo.database import Database
from pytest_django import Settings

from gateway.cassandra.errors import CassandraError
from gateway.cassandra.partition_stats import PARTITION_STATS
from gateway.cassandra.writes import write
from gateway.mongo.client import Document
from gateway.mongo.commands import COMMANDS
from gateway.mongo.reads import run
from ordering import tasks
from ordering.documents import OrderDocument
from ordering.ledger.amounts import paid, refunded
from ordering.reading.reports import PeriodTooLong, orders_by_quarter, quarter_of
from ordering.sales.figures import FRESHNESS, Freshness, Sales, Sold, Unit, sold
from ordering.sales.sums import Window, due_windows, sum_sales, sum_window
from ordering.tests.days import a_day, copied_orders
from ordering.tests.sales.sold import Sale, arrived_everywhere, sell

pytestmark = pytest.mark.usefixtures("patient")

QUARTER = timedelta(minutes=15)
MOSCOW = ZoneInfo("Europe/Moscow")


def midnight(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)


def some_sales(since: datetime, days: int, number: int) -> list[Sale]:
    """At random moments, most of them paid, some of them paid back in part."""
    chance = random.Random(7)  # noqa: S311 - no secret
    sales = []
    for _ in range(number):
        at = since + timedelta(seconds=chance.randrange(days * 24 * 3600), milliseconds=chance.randrange(1000))
        amount = chance.choice([0, 1000, 2500, 4000])
        geozone = chance.choice(["msk", "spb"])
        sales.append(Sale(at, geozone, amount, amount // 4 if chance.random() < 0.3 else 0))
    return sales


def by_hand(orders: Iterable[Document], since: datetime, until: datetime, by: Unit) -> list[Sold]:
    """From MongoDB, in Moscow's days or hours; for years they were longer and shorter in spring and autumn."""
    found: dict[tuple[datetime, str], Sales] = {}
    for order in cast("Iterable[OrderDocument]", orders):
        made = order["created_at"].replace(tzinfo=UTC)
        if since <= made < until:
            begins = made.astimezone(MOSCOW).replace(minute=0, second=0, microsecond=0)
            begins = begins.replace(hour=0) if by == "day" else begins
            key = begins.astimezone(UTC), order["geozone"]
            sales = Sales(
                orders=1,
                pieces=sum(item["quantity"] for item in order["items"]),
                total=order["total"].to_decimal(),
                paid=paid(order),
                refunded=refunded(order),
            )
            found[key] = found.get(key, Sales()).plus(sales)
    return [Sold(begins, geozone, sales) for (begins, geozone), sales in sorted(found.items())]


def freshness() -> Freshness:
    arrived_everywhere()
    return run(FRESHNESS)


def kept(since: datetime, until: datetime, by: Unit = "day", geozone: str | None = None) -> list[Sold]:
    arrived_everywhere()
    return run(sold(since, until, by, geozone))


@pytest.mark.parametrize("by", ["day", "hour"])
def test_sales_are_those_of_the_orders_in_the_days_of_the_shop(orders: Database[Document], by: Unit) -> None:
    since = datetime.combine(a_day(), time(), MOSCOW).astimezone(UTC)
    # On the borders of days: the last moment of one and the first of the next.
    borders = [Sale(since - timedelta(milliseconds=1), paid=700), Sale(since, "spb", 900)]
    sell(orders, *some_sales(since, 3, 40), *borders)
    until = since + timedelta(days=4)

    sum_window(Window(since - timedelta(hours=1), until))

    assert kept(since, until, by) == by_hand(orders["orders"].find(), since, until, by)
    part = since + timedelta(hours=10), since + timedelta(hours=30)
    assert kept(*part, by) == by_hand(orders["orders"].find(), *part, by)
    assert kept(since, until, by, "spb") == [each for each in kept(since, until, by) if each.geozone == "spb"]


def test_quarters_are_found_in_every_bucket_of_the_day(orders: Database[Document]) -> None:
    day = a_day()
    write([PARTITION_STATS.upsert({"table_name": "orders_by_period", "partition_key": f"{day}/1"})])
    noon = midnight(day) + timedelta(hours=12)
    for bucket in (0, 1):
        copied_orders(orders, day, 1, created_at=noon, period_bucket=bucket)

    (found,) = orders_by_quarter(noon, noon + QUARTER)

    assert (found.region, found.begins, found.figures.orders) == ("msk", noon, 2)
    assert orders_by_quarter(noon + QUARTER, noon + 2 * QUARTER) == []
    assert orders_by_quarter(noon, noon) == []
    with pytest.raises(PeriodTooLong):
        orders_by_quarter(noon, noon + timedelta(days=400))


def test_summing_again_replaces_and_takes_away_what_vanished(orders: Database[Document]) -> None:
    noon = midnight(a_day()) + timedelta(hours=12)
    sell(orders, Sale(noon, paid=1000))
    window = Window(noon, noon + QUARTER)
    orders["sales_quarters"].insert_one(
        {"_id": "elsewhere", "begins": noon, "geozone": "gone", "orders": 1, "computed_at": noon}
    )

    assert (sum_window(window), sum_window(window)) == (1, 1)

    (quarter,) = orders["sales_quarters"].find()
    assert (quarter["_id"], quarter["orders"]) == (f"{noon:%Y-%m-%dT%H:%M}:msk", 1)


def test_of_two_runs_the_one_that_looked_last_stays(orders: Database[Document]) -> None:
    noon = midnight(a_day()) + timedelta(hours=12)
    sell(orders, Sale(noon, paid=1000))
    window = Window(noon, noon + QUARTER)
    sum_window(window)
    ahead = datetime.now(UTC) + timedelta(hours=1)
    orders["sales_quarters"].update_one({}, {"$set": {"computed_at": ahead, "orders": 42}})

    sum_window(window)

    (quarter,) = orders["sales_quarters"].find()
    assert quarter["orders"] == 42


def test_runs_at_once_sum_once(orders: Database[Document]) -> None:
    since = midnight(a_day())
    sell(orders, *some_sales(since, 1, 12))
    window = Window(since, since + timedelta(days=1))

    def task() -> None:
        sum_window(window)

    runs = [threading.Thread(target=task) for _ in range(4)]
    for each in runs:
        each.start()
    for each in runs:
        each.join()

    assert kept(*window) == by_hand(orders["orders"].find(), *window, "day")


def test_every_quarter_is_summed_while_young_and_once_at_each_age() -> None:
    begin = datetime(2026, 11, 18, 12, 3, tzinfo=UTC)
    runs = [begin + timedelta(minutes=5 * number) for number in range(13)]
    windows = [window for seen, now in pairwise(runs) for window in due_windows(seen, now)]

    young = [window for window in windows if window.until > begin]
    old = [window for window in windows if window.until <= begin]

    assert young[0] == Window(datetime(2026, 11, 18, 10, 0, tzinfo=UTC), datetime(2026, 11, 18, 12, 15, tzinfo=UTC))
    assert young[-1].until == datetime(2026, 11, 18, 13, 15, tzinfo=UTC)
    for age in (1, 8, 31):
        first = quarter_of(begin - timedelta(days=age))
        expected = [Window(first + number * QUARTER, first + (number + 1) * QUARTER) for number in range(4)]
        assert [window for window in old if first <= window.since < first + timedelta(hours=1)] == expected


def test_first_run_looks_back_and_goes_on_where_it_stopped(orders: Database[Document]) -> None:
    now = midnight(a_day()) + timedelta(hours=12)
    sell(orders, Sale(now - timedelta(days=80), paid=1000), Sale(now - timedelta(days=30), paid=500))

    sum_sales(now)

    assert freshness().seen_until == now - timedelta(days=72)
    assert [each.sales.revenue for each in kept(now - timedelta(days=92), now)] == [Decimal(1000)]
    for _ in range(4):
        sum_sales(now)
    assert freshness().seen_until == now
    assert [each.sales.revenue for each in kept(now - timedelta(days=92), now)] == [Decimal(1000), Decimal(500)]


def test_without_cassandra_the_sums_stay_and_say_so_until_it_is_back(
    orders: Database[Document], cassandra_away: Callable[[], object]
) -> None:
    now = midnight(a_day()) + timedelta(hours=12)
    orders["sales_progress"].insert_one({"_id": "sales", "seen_until": now - timedelta(minutes=5)})
    sell(orders, Sale(now - timedelta(hours=1), paid=1000))
    sum_sales(now)
    before = list(orders["sales_quarters"].find())
    assert not freshness().is_behind

    cassandra_away()
    later = now + timedelta(minutes=5)
    with pytest.raises(CassandraError):
        sum_sales(later)

    assert list(orders["sales_quarters"].find()) == before
    assert freshness() == (now, later)
    assert freshness().is_behind


def test_where_there_is_no_cassandra_nothing_is_said_to_fail(orders: Database[Document], settings: Settings) -> None:
    settings.CASSANDRA_CONTACT_POINTS = []

    with pytest.raises(CassandraError):
        sum_sales(datetime(2026, 11, 18, tzinfo=UTC))

    assert list(orders["sales_progress"].find()) == []


def test_beat_sums_what_was_sold_until_now(orders: Database[Document]) -> None:
    now = datetime.now(UTC)
    sell(orders, Sale(now - timedelta(minutes=20), paid=1000))
    orders["sales_progress"].insert_one({"_id": "sales", "seen_until": now - timedelta(minutes=5)})
    task = settings.CELERY_BEAT_SCHEDULE["sum-sales"]["task"]

    assert task == tasks.sum_sales.name
    tasks.sum_sales()

    assert [each.sales.revenue for each in kept(now - timedelta(hours=1), now)] == [Decimal(1000)]


def test_page_of_a_month_is_one_command_on_a_secondary_of_one_shard(orders: Database[Document]) -> None:
    since = midnight(a_day())

    with COMMANDS.counted() as sent:
        run(sold(since, since + timedelta(days=31), "day"))

    (only,) = [each for each in sent if each.collection == "sales_quarters"]
    assert (only.command, only.policy, only.shards, sent[only]) == ("aggregate", "orders.reports", 1, 1)
