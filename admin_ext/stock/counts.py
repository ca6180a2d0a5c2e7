"""How many products run out, in figures of a page."""

from admin_ext.counters import LowStock
from admin_ext.jobs.pages.words import number_text
from catalog.listing.routes import Level
from ordering.reading.queues import COUNTED


def sum_of(counts: LowStock, level: Level | None = None) -> int | None:
    """Over all geozones, of this level or of both; None beyond what is counted."""
    total = 0
    for shelf, number in counts.items():
        if level in (None, shelf.level):
            if number is None:
                return None
            total += number
    return total if total <= COUNTED else None


def counted_text(number: int | None) -> str:
    """«34», «1 000+»."""
    return f"{number_text(COUNTED)}+" if number is None else number_text(number)
