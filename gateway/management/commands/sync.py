"""manage.py sync status|run: how much has still to be copied to Cassandra, and copying it now."""

from argparse import ArgumentParser
from datetime import UTC, timedelta
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from gateway.cassandra.errors import CassandraError
from gateway.cassandra.reads import ping
from gateway.outbox import COUNTED
from gateway.sync.backlog import Backlog, backlogs, failing
from gateway.sync.sweep import sweep_all


class Command(BaseCommand):
    help = (
        "The copies of documents in Cassandra. status shows how much is owed, for how long, and what keeps failing; "
        "run copies all that is due now, as the sweep of every 10 seconds does."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True)
        status = actions.add_parser("status", help="how much is owed, and what keeps failing")
        status.add_argument("--failing", type=int, default=20, metavar="N", help="list so many (%(default)s)")
        actions.add_parser("run", help="copy what is due, and say what is left")

    def handle(self, *_: Any, action: str, failing: int = 0, **__: Any) -> None:
        if not settings.CASSANDRA_CONTACT_POINTS:
            self.stdout.write("Cassandra is not configured (CASSANDRA_CONTACT_POINTS is empty): nothing is copied")
            return
        if action == "run":
            self._run()
        else:
            self._status(failing)

    def _run(self) -> None:
        try:
            ping()
        except CassandraError as error:
            raise CommandError(str(error)) from error
        while copied := sweep_all(grace=timedelta(0)):
            self.stdout.write(f"copied {copied:,} documents")
        for backlog in backlogs():
            self.stdout.write(_shown(backlog))

    def _status(self, listed: int) -> None:
        for backlog in backlogs():
            self.stdout.write(_shown(backlog))
        for each in failing(limit=listed):
            due = each.due.replace(tzinfo=UTC).isoformat(timespec="seconds")
            self.stdout.write(
                f"  {each.collection} {each.id}: failed {each.failures} times, next at {due}: {each.error}"
            )


def _shown(backlog: Backlog) -> str:
    if not backlog.documents:
        return f"{backlog.collection}: nothing is owed"
    number = f"{backlog.documents:,}" if backlog.documents < COUNTED else f"{COUNTED:,} or more"
    return (
        f"{backlog.collection}: {number} owed, the oldest for {backlog.oldest_seconds:.0f} s; {backlog.failing} failing"
    )
