from argparse import ArgumentTypeError
from datetime import date, timedelta
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone
from pymongo.errors import PyMongoError

from cart.analytics import compute_days, days_between, open_since
from gateway.management.progress import Progress


class Command(BaseCommand):
    help = (
        "Compute the figures of abandoned carts anew for a period, on secondaries. A worker does it by itself for the"
        " days whose carts changed; this is for after an outage or a change of the rules. May be interrupted and"
        " repeated."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--from", dest="first", type=_day, required=True, metavar="YYYY-MM-DD", help="the first day"
        )
        parser.add_argument("--to", dest="last", type=_day, required=True, metavar="YYYY-MM-DD", help="the last day")

    def handle(self, *_args: Any, first: date, last: date, **_options: Any) -> None:
        today = timezone.now().date()
        first_open = open_since(today)
        if first > last:
            raise CommandError(f"--from {first} lies after --to {last}")
        if last > today:
            raise CommandError(f"--to {last} lies in the future: today is {today} (UTC)")
        if last < first_open:
            raise CommandError(f"all these days are final: carts made before {first_open} may be deleted already")
        if first < first_open:
            final = (first_open - first) // timedelta(days=1)
            self.stdout.write(f"{final} days before {first_open} are final: their carts may be deleted already")
        days = days_between(max(first, first_open), last)
        try:
            with Progress(self.stdout, "days", len(days)) as progress:
                computed = compute_days(days, progress.advance)
        except KeyboardInterrupt:
            raise CommandError("interrupted; the days done so far are kept", returncode=130) from None
        except PyMongoError as error:
            raise CommandError(f"{error}; the days done so far are kept") from error
        self.stdout.write(f"{computed.days} days with {computed.carts} carts computed in {progress.seconds:.1f} s")


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise ArgumentTypeError(f"{text!r} is no date: write it as 2026-11-17") from error
