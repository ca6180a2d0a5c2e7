"""manage.py order_keys: orders of earlier releases are found by everything that new ones are found by."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from pymongo.errors import PyMongoError

from gateway.cassandra.errors import CassandraError
from gateway.management.progress import Progress
from gateway.mongo.client import collection_of
from ordering.archive.keys import complete_archived_keys, complete_keys
from ordering.cassandra.sync import ORDERS
from ordering.documents import OrderDocument


class Command(BaseCommand):
    help = (
        "Gives orders that an earlier release wrote the keys by which support finds new ones: products, references of "
        "payments, last digits of the telephone with a name. May be stopped at any time and run again; once is enough."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--archived", action="store_true", help="those that are only in Cassandra too")

    def handle(self, *_: Any, archived: bool, **__: Any) -> None:
        total = collection_of(ORDERS, OrderDocument).estimated_document_count()
        try:
            with Progress(self.stdout, "orders", total) as progress:
                completed = complete_keys(progress.advance)
            old = complete_archived_keys() if archived else 0
        except (CassandraError, PyMongoError) as error:
            raise CommandError(f"{error}; run it again to go on") from error
        except KeyboardInterrupt:
            raise CommandError("interrupted; run it again to go on", returncode=130) from None
        self.stdout.write(f"{completed} orders completed" + (f", {old} archived" if archived else ""))
