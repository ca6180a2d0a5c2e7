"""manage.py rebuild TABLE: fills a table of Cassandra from MongoDB, while the shop goes on."""

import os
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from pymongo.errors import PyMongoError

from gateway.cassandra.errors import CassandraError
from gateway.cassandra.table import Table
from gateway.management.progress import Progress
from gateway.mongo.client import database
from gateway.sync.declarations import Synced
from gateway.sync.rebuild import rebuild, rebuildable

# One takes some seconds to start, and writes as many rows in that time.
WORTH_A_PROCESS = 10_000


class Command(BaseCommand):
    help = (
        "Writes the rows of one table again from the documents in MongoDB, while the shop goes on: never older ones "
        "than are there. Rows that no document makes stay; for an empty beginning TRUNCATE the table first."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("table", help="its name: orders_by_user")
        parser.add_argument("--after", metavar="ID", help="go on after the document where an earlier run ended")
        parser.add_argument(
            "--processes",
            type=int,
            default=os.cpu_count() or 1,
            metavar="P",
            help="how many processes write (one per core when not said; fewer where there is little to do)",
        )

    def handle(self, *_: Any, table: str, after: str | None, processes: int, **__: Any) -> None:
        tables = rebuildable()
        if table not in tables:
            raise CommandError(f"{table} is not made from documents. These are: {', '.join(sorted(tables))}")
        synced, found = tables[table]
        self._rebuild(synced, found, after, processes)
        try:
            note = synced.not_rebuilt()
        except CassandraError as error:
            raise CommandError(str(error)) from error
        if note:
            self.stdout.write(note)

    def _rebuild(self, synced: Synced, table: Table, after: str | None, processes: int) -> None:
        documents, rows, last = 0, 0, after
        total = database()[synced.collection].estimated_document_count()
        processes = min(processes, 1 + total // WORTH_A_PROCESS)
        with Progress(self.stdout, table.name, total) as progress:
            try:
                for batch in rebuild(synced, table, after=after, processes=processes):
                    documents, rows, last = documents + batch.documents, rows + batch.rows, batch.last
                    progress.advance(batch.documents)
            except (CassandraError, PyMongoError, KeyboardInterrupt) as error:
                go_on = f"go on with --after {last}" if last else "begin again"
                raise CommandError(f"{str(error) or 'interrupted'}; {go_on}") from error
        rate = rows / progress.seconds if progress.seconds else 0.0
        self.stdout.write(
            f"{rows:,} writes for {documents:,} {synced.collection} in {progress.seconds:.1f} s ({rate:,.0f} a second)"
        )
