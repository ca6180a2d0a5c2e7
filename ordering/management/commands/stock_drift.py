"""manage.py stock_drift: compares what is reserved with what open orders wait for."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from catalog.stock.findings import CONFIRMED_AFTER
from ordering.stock.check import CheckedReservation, check_reservations

MINUTES = round(CONFIRMED_AFTER.total_seconds() / 60)


class Command(BaseCommand):
    help = (
        "Compares what is reserved with what open orders wait for, while the shop goes on selling. What differs is"
        f" written down; --repair corrects only what an earlier check, at least {MINUTES} minutes ago, found as well."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--repair", action="store_true", help="correct what an earlier check found, too")

    def handle(self, *args: Any, **options: Any) -> None:
        found = 0
        for checked in check_reservations(repair=options["repair"]):
            found += 1
            difference = checked.difference
            self.stdout.write(
                f"{difference.key.id} in {difference.geozone}: {difference.reserved} reserved, "
                f"{difference.expected} waited for, {_state(checked, repair=options['repair'])}"
            )
        self.stdout.write(f"{found} reservations differ." if found else "Every reservation is as it should be.")


def _state(checked: CheckedReservation, *, repair: bool) -> str:
    if checked.repaired:
        return "repaired"
    if not checked.confirmed:
        return f"to be confirmed by a check in {MINUTES} minutes"
    return "changed meanwhile" if repair else "found before"
