"""manage.py rebuild TABLE: fills a table of Cassandra from MongoDB, while the shop goes on."""

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


class Command(BaseCommand):
    help = (
        "Writes the rows of one table again from the documents in MongoDB, while the shop goes on: never older ones "
        "than are there. Rows that no document makes stay; for an empty beginning TRUNCATE the table first."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("table", help="its name: orders_by_user")
        parser.add_argument("--after", metavar="ID", help="go on after the document where an earlier run ended")

    def handle(self, *_: Any, table: str, after: str | None, **__: Any) -> None:
        tables = rebuildable()
        if table not in tables:
            raise CommandError(f"{table} is not made from documents. These are: {', '.join(sorted(tables))}")
        synced, found = tables[table]
        self._rebuild(synced, found, after)
        try:
            note = synced.not_rebuilt()
        except CassandraError as error:
            raise CommandError(str(error)) from error
        if note:
            self.stdout.write(note)

    def _rebuild(self, synced: Synced, table: Table, after: str | None) -> None:
        documents, rows, last = 0, 0, after
        with Progress(self.stdout, table.name, database()[synced.collection].estimated_document_count()) as progress:
            try:
                for batch in rebuild(synced, table, after=after):
                    documents, rows, last = documents + batch.documents, rows + batch.rows, batch.last
                    progress.advance(batch.documents)
            except (CassandraError, PyMongoError, KeyboardInterrupt) as error:
                go_on = f"go on with --after {last}" if last else "begin again"
                raise CommandError(f"{str(error) or 'interrupted'}; {go_on}") from error
        rate = rows / progress.seconds if progress.seconds else 0.0
        self.stdout.write(
            f"{rows:,} writes for {documents:,} {synced.collection} in {progress.seconds:.1f} s ({rate:,.0f} a second)"
        )
