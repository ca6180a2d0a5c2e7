"""manage.py archive_orders: orders that are old and done leave MongoDB, once Cassandra is seen to have them whole."""

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from pymongo.errors import PyMongoError

from gateway.cassandra.errors import CassandraError
from gateway.management.progress import Progress
from ordering.archive.archive import archive_orders, orders_to_archive


class Command(BaseCommand):
    help = (
        "Moves orders older than ORDER_KEPT_DAYS, with nothing owed, out of MongoDB: each only after all of its rows "
        "in Cassandra have been compared with it field by field. May be stopped at any time and run again."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--limit", type=int, metavar="N", help="at most so many, the oldest first")
        parser.add_argument("--dry-run", action="store_true", help="say how many there are, change nothing")

    def handle(self, *_: Any, limit: int | None, dry_run: bool, **__: Any) -> None:
        if limit is not None and limit < 1:
            raise CommandError("--limit is at least 1")
        due = orders_to_archive()
        if dry_run:
            self.stdout.write(f"{due} orders older than {settings.ORDER_KEPT_DAYS} days would be archived")
            return
        with Progress(self.stdout, "archiving", due if limit is None else min(due, limit)) as progress:
            try:
                done = archive_orders(limit=limit, report=progress.advance)
            except (CassandraError, PyMongoError) as error:
                raise CommandError(f"{error}; run it again to go on") from error
            except KeyboardInterrupt:
                raise CommandError("interrupted; run it again to go on", returncode=130) from None
        self.stdout.write(
            f"{done.left} orders archived, {done.differing} differ and are copied again, {done.changed} have changed"
        )
