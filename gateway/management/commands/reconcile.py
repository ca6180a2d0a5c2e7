"""manage.py reconcile: compares MongoDB with Cassandra by day, both ways, and repairs what differs."""

from argparse import ArgumentParser, ArgumentTypeError
from collections import Counter
from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from pymongo.errors import PyMongoError

from gateway.cassandra.errors import CassandraError
from gateway.management.progress import Progress
from gateway.mongo.client import database
from gateway.sync.declarations import Synced, declared
from gateway.sync.reconciliation import ByDay, compared_by_day, compared_whole, reconcile_documents
from gateway.sync.repair import Finding
from gateway.sync.strays import reconcile_strays

# Of one day or collection: a table that was lost differs in every order.
SHOWN = 100


class Command(BaseCommand):
    help = (
        "Compares what MongoDB and Cassandra hold, while the shop goes on: orders by the day on which they were made "
        "(UTC); other collections whole; both ways. Exit status 1 when something differs and was not repaired."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        today = datetime.now(UTC).date()
        yesterday = today - timedelta(days=1)
        parser.add_argument("--from", dest="first", type=_day, default=yesterday, help="first day (yesterday)")
        parser.add_argument("--to", dest="last", type=_day, default=today, help="last day, itself included (today)")
        parser.add_argument("--repair", action="store_true", help="make right what differs")
        names = sorted(synced.collection for synced in declared() if synced.rows)
        parser.add_argument("--collection", choices=names, help="this one only (all)")

    def handle(self, *_: Any, first: date, last: date, repair: bool, collection: str | None, **__: Any) -> None:
        if first > last:
            raise CommandError(f"--from {first} is after --to {last}")
        counted: Counter[bool] = Counter()
        try:
            for each in compared_by_day():
                if collection in {None, each.collection}:
                    counted += self._by_day(each, first, last, repair=repair)
            for synced in compared_whole():
                if collection in {None, synced.collection}:
                    counted += self._whole(synced, repair=repair)
        except (CassandraError, PyMongoError) as error:
            raise CommandError(f"{error}; what was found so far is above") from error
        except KeyboardInterrupt:
            raise CommandError("interrupted; run it again", returncode=130) from None
        self._summarise(counted)

    def _by_day(self, compared: ByDay, first: date, last: date, *, repair: bool) -> Counter[bool]:
        counted: Counter[bool] = Counter()
        with Progress(self.stdout, compared.collection, compared.count(first, last)) as progress:
            for number in range((last - first).days + 1):
                day = first + timedelta(days=number)
                found = compared.reconcile(day, repair=repair, report=progress.advance)
                counted += _shown(str(day), found, progress)
        return counted

    def _whole(self, synced: Synced, *, repair: bool) -> Counter[bool]:
        counted: Counter[bool] = Counter()
        total = database()[synced.collection].estimated_document_count()
        with Progress(self.stdout, synced.collection, total) as progress:
            found = reconcile_documents(synced, repair=repair, report=progress.advance)
            counted += _shown(synced.collection, found, progress)
        with Progress(self.stdout, f"rows of {synced.collection}") as progress:
            found = reconcile_strays(synced, repair=repair, report=progress.advance)
            counted += _shown(synced.collection, found, progress)
        return counted

    def _summarise(self, counted: Counter[bool]) -> None:
        if not counted.total():
            self.stdout.write("Nothing differs.")
            return
        self.stdout.write(f"{counted.total()} differences, {counted[True]} repaired, {counted[False]} left.")
        if counted[False]:
            raise CommandError("what is left differs still", returncode=1)


def _shown(subject: str, findings: Iterable[Finding], progress: Progress) -> Counter[bool]:
    """How many were repaired and how many not."""
    counted: Counter[bool] = Counter()
    for finding in findings:
        counted[finding.is_repaired] += 1
        if counted.total() <= SHOWN:
            table, id_, kind, columns = finding.difference
            state = "repaired" if finding.is_repaired else "left"
            progress.say(f"{subject}  {table:<24}  {id_}  {state:<8}  {kind} {', '.join(columns)}".rstrip())
    if counted.total() > SHOWN:
        progress.say(f"{subject}  and {counted.total() - SHOWN} more")
    return counted


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise ArgumentTypeError(f"{text!r} is no day: 2026-03-01") from None
