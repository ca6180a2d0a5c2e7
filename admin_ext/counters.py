"""How much waits, as the sidebar and the home page tell on every page of everybody: remembered, so read seldom."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any, NamedTuple, TypeVar

import structlog
from pymongo.errors import PyMongoError

from admin_ext.boards.today import Compared, compared
from cart.reports import Day, abandoned_cart_report
from catalog.listing import inventory
from catalog.listing.filters import Wanted
from catalog.listing.inventory import Inventory
from catalog.listing.low_stock import count_low_stock
from catalog.listing.routes import Filter, Level, Shelf, State
from catalog.stock.findings import count_of_findings
from catalog.structure.names import GEOZONE_NAMES
from gateway import deadline
from gateway.mongo.reads import run, run_steps
from gateway.paging import Slice
from gateway.remembered import Remembered
from ordering.reading.queues import COUNTED, QUEUES, Queue, count_of, waiting_in
from ordering.sales.figures import FRESHNESS

T = TypeVar("T")

log = structlog.get_logger(__name__)

# A process asks for a queue four times a minute at most, however many pages it serves; nobody works faster than that.
REMEMBER_SECONDS = 15.0
# Computed every ten minutes, or changed by few.
REMEMBER_FIGURES_SECONDS = 60.0
# A count walks a thousand keys at most, in milliseconds. What takes longer is no longer worth waiting for.
MAX_SECONDS = 1.0


LowStock = Mapping[Shelf, int | None]
"""None: more than `COUNTED`."""


class Waiting(NamedTuple):
    number: int
    since: datetime | None = None
    """The moment by which the first stands in the queue; None when nothing waits, or nobody asked."""

    @property
    def shown(self) -> str:
        return f"{COUNTED}+" if self.number >= COUNTED else str(self.number)


def waiting(queue: Queue) -> Waiting | None:
    """What waited in the queue some seconds ago; None when the store did not tell."""
    return WAITING[queue.code].get()


def _told(name: str, read: Callable[[], T], *, seconds: float) -> Remembered[T | None]:
    """What `read` says. A failure is remembered too: a store that is away must not hold up every page."""

    def ask() -> T | None:
        try:
            with deadline.within(MAX_SECONDS):
                return read()
        except PyMongoError as error:
            log.warning("not_counted", what=name, error=type(error).__name__)
            return None

    return Remembered(ask, seconds=seconds)


def _count(queue: Queue) -> Waiting:
    number = count_of(queue)
    first = run(waiting_in(queue, Slice(1))).placed if number else ()
    return Waiting(number, first[0].position.value if first else None)


def _withdrawn() -> Waiting:
    counted = run_steps(inventory.count(Inventory(asked=Filter(wanted=Wanted(), state=State.WITHDRAWN))))
    return Waiting(COUNTED if counted is None else min(counted, COUNTED))


def _low_stock() -> LowStock:
    """By geozone and level: how many products for sale run out."""
    shelves = [Shelf(geozone, level) for geozone in GEOZONE_NAMES.get() for level in (Level.NONE, Level.LOW)]
    return {shelf: run(count_low_stock(shelf, COUNTED)) for shelf in shelves}


def _yesterday() -> Day:
    """What became of the carts of yesterday; days are those of UTC, in every report."""
    day = datetime.now(UTC).date() - timedelta(days=1)
    report = run_steps(abandoned_cart_report(day, day, None))
    return report.days[0] if report else Day(day)


def _today() -> Compared | None:
    """What was sold today, and by now a week ago; None when nothing was ever summed."""
    seen_until = run(FRESHNESS).seen_until
    return compared(seen_until, datetime.now(UTC)) if seen_until else None


WAITING: dict[str, Remembered[Waiting | None]] = {
    queue.code: _told(queue.code, partial(_count, queue), seconds=REMEMBER_SECONDS) for queue in QUEUES
}
FINDINGS = _told("findings", lambda: Waiting(run(count_of_findings(COUNTED))), seconds=REMEMBER_SECONDS)
WITHDRAWN = _told("withdrawn", _withdrawn, seconds=REMEMBER_FIGURES_SECONDS)
LOW_STOCK = _told("low stock", _low_stock, seconds=REMEMBER_SECONDS)
YESTERDAY = _told("yesterday", _yesterday, seconds=REMEMBER_FIGURES_SECONDS)
TODAY = _told("today", _today, seconds=REMEMBER_FIGURES_SECONDS)

REMEMBERED: tuple[Remembered[Any], ...] = (*WAITING.values(), FINDINGS, WITHDRAWN, LOW_STOCK, YESTERDAY, TODAY)


def forget_counts() -> None:
    """Count anew for the next page."""
    for remembered in REMEMBERED:
        remembered.forget()
