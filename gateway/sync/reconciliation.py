"""MongoDB and Cassandra compared, collection by collection, while the shop goes on selling: every night, or by command.

Most collections are compared whole. One that grows without end is compared by the day on which its documents were made:
its app declares how, as BY_DAY in its archive/reconcile.py.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from importlib import import_module
from typing import Protocol

import structlog
from django.apps import apps
from django.utils.module_loading import module_has_submodule

from gateway.sync.batches import by_id
from gateway.sync.declarations import Synced, declared
from gateway.sync.repair import Finding, reconcile
from gateway.sync.strays import reconcile_strays

log = structlog.get_logger(__name__)

Report = Callable[[int], None]


class ReconcileDay(Protocol):
    def __call__(self, day: date, *, repair: bool, report: Report) -> Iterator[Finding]:
        """What differs, as it is found; `report` is told of every so many documents looked at."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ByDay:
    """How a collection is compared by the day on which its documents were made, both ways."""

    collection: str
    reconcile: ReconcileDay
    count: Callable[[date, date], int]
    """How many documents were made between two days, both included."""
    nightly_days: Callable[[date], Sequence[date]]
    """The days that are compared in the night of this date."""


def compared_by_day() -> list[ByDay]:
    found: list[ByDay] = []
    for app in apps.get_app_configs():
        if app.module is None or not module_has_submodule(app.module, "archive"):
            continue
        if module_has_submodule(import_module(f"{app.name}.archive"), "reconcile"):
            found.append(import_module(f"{app.name}.archive.reconcile").BY_DAY)
    return found


def compared_whole() -> list[Synced]:
    by_day = {each.collection for each in compared_by_day()}
    return [synced for synced in declared() if synced.rows and synced.collection not in by_day]


def reconcile_documents(synced: Synced, *, repair: bool, report: Report) -> Iterator[Finding]:
    """Compare all documents of the collection with their rows; `reconcile_strays` goes the other way."""
    return reconcile(synced, by_id(synced.collection), repair=repair, report=report)


def reconcile_nightly() -> None:
    """Differences are repaired and logged: a difference is a bug, or a disk, but the shop must read in the morning."""
    today = datetime.now(UTC).date()
    for each in compared_by_day():
        for day in each.nightly_days(today):
            _log(str(day), each.reconcile(day, repair=True, report=_nobody))
    for synced in compared_whole():
        _log(synced.collection, reconcile_documents(synced, repair=True, report=_nobody))
        _log(f"rows of {synced.collection}", reconcile_strays(synced, repair=True, report=_nobody))


def _log(subject: str, findings: Iterable[Finding]) -> None:
    counted = Counter(finding.is_repaired for finding in findings)
    log.info("reconciled", subject=subject, repaired=counted[True], left=counted[False])


def _nobody(_: int) -> None:
    """A night's work has no audience."""
