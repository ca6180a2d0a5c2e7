"""`manage.py persist_queries FILE…`: register the operations of a frontend."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from gateway.graphql.documents.registration import NotRegistrable, read_operations, register


class Command(BaseCommand):
    help = (
        "Register GraphQL operations: from .graphql files, or from the manifests (.json) that Apollo's and Relay's"
        " tools write. With GRAPHQL_OPERATIONS=enforce no others are served. All files are checked against the schema"
        " and the limits first; if one operation does not pass, nothing is registered. Repeating it changes nothing."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
        parser.add_argument("--check", action="store_true", help="only check the files")

    def handle(self, *args: Any, files: list[Path], check: bool, **options: Any) -> None:
        try:
            operations = read_operations(files)
            if check:
                self.stdout.write(f"{len(set(operations.values()))} operations, all valid")
                return
            done = register(operations)
        except NotRegistrable as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"ids registered: {done.new}, known before: {done.known}")
