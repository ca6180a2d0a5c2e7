from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from ordering.drift import find_drift, repair


class Command(BaseCommand):
    help = "Compares what is reserved with what open orders wait for, while the shop goes on selling."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--repair", action="store_true", help="set what differs to what it should be")

    def handle(self, *args: Any, **options: Any) -> None:
        found = 0
        for drift in find_drift():
            found += 1
            self.stdout.write(
                f"{drift.key.id} in {drift.geozone}: {drift.reserved} reserved, {drift.expected} waited for"
                + (f", {'repaired' if repair(drift) else 'changed meanwhile'}" if options["repair"] else "")
            )
        self.stdout.write(f"{found} reservations differ." if found else "Every reservation is as it should be.")
