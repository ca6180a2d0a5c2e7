"""Orders and revenue for staff, summed over the rows of Cassandra: by region and day, and by period."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import Decimal

from gateway.cassandra.partition_stats import buckets_of
from gateway.cassandra.reads import scan
from gateway.cassandra.statements import Row
from gateway.cassandra.table import Table
from ordering.cassandra.tables import ORDER_HISTORY_BY_REGION, ORDERS_BY_PERIOD

# A leap year: each further day is another partition to be read while somebody waits for the page.
MAX_DAYS = 366

_SUMMED = ("status", "pieces", "total", "paid", "refunded")


class PeriodTooLong(ValueError):
    """More days than a report may have."""


@dataclass(frozen=True, slots=True)
class Figures:
    """Sums over orders. Cancelled and expired ones count as orders and bring nothing: nothing was paid and kept."""

    orders: int = 0
    pieces: int = 0
    total: Decimal = Decimal(0)
    """The sum of all orders, whatever became of them."""
    paid: Decimal = Decimal(0)
    refunded: Decimal = Decimal(0)
    by_status: Mapping[str, int] = field(default_factory=dict)

    @property
    def revenue(self) -> Decimal:
        return self.paid - self.refunded


@dataclass(frozen=True, slots=True)
class RegionDay:
    region: str
    day: date
    figures: Figures


@dataclass(frozen=True, slots=True)
class PeriodDay:
    day: date
    figures: Figures


def orders_by_region_and_day(regions: Sequence[str], first_day: date, last_day: date) -> list[RegionDay]:
    """Figures of each region and day, both days included, in that order. Raises PeriodTooLong, CassandraError."""
    days = _days(first_day, last_day)
    return [RegionDay(region, day, _figures(_rows_of_region(region, day))) for region in regions for day in days]


def orders_in_period(first_day: date, last_day: date) -> list[PeriodDay]:
    """Figures of each day, both included. Raises PeriodTooLong, CassandraError."""
    return [PeriodDay(day, _figures(_rows_of_day(day))) for day in _days(first_day, last_day)]


def _days(first_day: date, last_day: date) -> list[date]:
    number = (last_day - first_day).days + 1
    if number > MAX_DAYS:
        raise PeriodTooLong(f"{number} days: a report has at most {MAX_DAYS}")
    return [first_day + timedelta(days=each) for each in range(number)]


def _rows_of_region(region: str, day: date) -> Iterator[Row]:
    return _rows(ORDER_HISTORY_BY_REGION, "region = ? AND day = ?", region, day)


def _rows_of_day(day: date) -> Iterator[Row]:
    for bucket in buckets_of(ORDERS_BY_PERIOD, day):
        yield from _rows(ORDERS_BY_PERIOD, "day = ? AND bucket = ?", day, bucket)


def _rows(table: Table, where: str, *values: object) -> Iterator[Row]:
    return scan(table.select(where, *values, columns=_SUMMED))


def _figures(rows: Iterable[Row]) -> Figures:
    """The sums over the rows, taken as they come: a peak day is never in memory."""
    by_status: Counter[str] = Counter()
    pieces, total, paid, refunded = 0, Decimal(0), Decimal(0), Decimal(0)
    for row in rows:
        by_status[row["status"]] += 1
        pieces += row["pieces"]
        total += row["total"]
        paid += row["paid"]
        refunded += row["refunded"]
    return Figures(by_status.total(), pieces, total, paid, refunded, dict(by_status))
