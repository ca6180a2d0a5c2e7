"""Orders and revenue for staff, summed over the rows of Cassandra: by region and day, by period, and by quarter."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal

from gateway.cassandra.partition_stats import buckets_of
from gateway.cassandra.reads import scan
from gateway.cassandra.statements import Row
from gateway.cassandra.table import Table
from ordering.cassandra.tables import ORDER_HISTORY_BY_REGION, ORDERS_BY_PERIOD

# A leap year: each further day is another partition to be read while somebody waits for the page.
MAX_DAYS = 366

# All zones of the world differ from UTC by a number of them, so that any shop's day consists of whole ones.
QUARTER = timedelta(minutes=15)

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


@dataclass(frozen=True, slots=True)
class RegionQuarter:
    """A quarter of an hour in which there were orders."""

    region: str
    begins: datetime
    figures: Figures


def orders_by_region_and_day(regions: Sequence[str], first_day: date, last_day: date) -> list[RegionDay]:
    """Figures of each region and day, both days included, in that order. Raises PeriodTooLong, CassandraError."""
    days = _days(first_day, last_day)
    return [RegionDay(region, day, _figures(_rows_of_region(region, day))) for region in regions for day in days]


def orders_in_period(first_day: date, last_day: date) -> list[PeriodDay]:
    """Figures of each day, both included. Raises PeriodTooLong, CassandraError."""
    return [PeriodDay(day, _figures(_rows_of_day(day))) for day in _days(first_day, last_day)]


def orders_by_quarter(since: datetime, until: datetime) -> list[RegionQuarter]:
    """Figures of the orders made from `since` on and before `until`, two beginnings of quarters, in the order of time.

    Asks for this time alone, whatever else the day holds. Raises PeriodTooLong, CassandraError.
    """
    if since >= until:
        return []
    sums: dict[tuple[datetime, str], _Sums] = {}
    for day in _days(since.astimezone(UTC).date(), (until - QUARTER).astimezone(UTC).date()):
        for row in _rows_between(day, since, until):
            made = row["created_at"].replace(tzinfo=UTC)
            sums.setdefault((quarter_of(made), row["region"]), _Sums()).add(row)
    ordered = sorted(sums.items(), key=lambda found: found[0])
    return [RegionQuarter(region, begins, found.figures()) for (begins, region), found in ordered]


def quarter_of(moment: datetime) -> datetime:
    """The beginning of its quarter of an hour."""
    return moment - (moment - datetime.combine(moment.date(), time(), moment.tzinfo)) % QUARTER


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


def _rows_between(day: date, since: datetime, until: datetime) -> Iterator[Row]:
    for bucket in buckets_of(ORDERS_BY_PERIOD, day):
        where = "day = ? AND bucket = ? AND created_at >= ? AND created_at < ?"
        columns = (*_SUMMED, "region", "created_at")
        yield from scan(ORDERS_BY_PERIOD.select(where, day, bucket, since, until, columns=columns))


def _rows(table: Table, where: str, *values: object) -> Iterator[Row]:
    return scan(table.select(where, *values, columns=_SUMMED))


def _figures(rows: Iterable[Row]) -> Figures:
    """The sums over the rows, taken as they come: a peak day is never in memory."""
    sums = _Sums()
    for row in rows:
        sums.add(row)
    return sums.figures()


class _Sums:
    """Figures that grow by one row after the other."""

    def __init__(self) -> None:
        self._by_status: Counter[str] = Counter()
        self._pieces = 0
        self._total = self._paid = self._refunded = Decimal(0)

    def add(self, row: Row) -> None:
        self._by_status[row["status"]] += 1
        self._pieces += row["pieces"]
        self._total += row["total"]
        self._paid += row["paid"]
        self._refunded += row["refunded"]

    def figures(self) -> Figures:
        return Figures(
            orders=self._by_status.total(),
            pieces=self._pieces,
            total=self._total,
            paid=self._paid,
            refunded=self._refunded,
            by_status=dict(self._by_status),
        )
