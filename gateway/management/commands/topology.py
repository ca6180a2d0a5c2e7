"""`manage.py topology`: the MongoDB cluster as the models declare it."""

from argparse import RawDescriptionHelpFormatter
from collections.abc import Callable, Sequence
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from gateway.mongo import client, topology
from gateway.mongo.topology.errors import explained

DRIFT_STATUS = 1
FAILURE_STATUS = 2

APPLY = """\
Creates what the models declare and the cluster lacks: collections, indexes, shard
keys, zones, and the first split of an empty collection. Run it on every deploy,
before the new code: what is there already is left alone, a second run changes
nothing, two runs at once do no harm, and a run that was killed is finished by the
next one.

What differs from the declaration is reported with the command that would cure it,
and is never dropped or altered: that decision is yours.

On a replica set without mongos everything but the sharding is applied.

exit status:
  0  the cluster is as declared
  1  it is, except for the differences reported
  2  it could not be read or changed; the message says why

examples:
  manage.py topology apply --dry-run    what would be done
  manage.py topology apply              do it
"""


class Command(BaseCommand):
    help = "Applies to the MongoDB cluster what the models declare: collections, indexes, shard keys, zones, splits."

    def add_arguments(self, parser: CommandParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True, metavar="action")
        apply = actions.add_parser(
            "apply",
            help="create what is missing, report what differs",
            description=APPLY,
            formatter_class=RawDescriptionHelpFormatter,
        )
        apply.add_argument("--dry-run", action="store_true", help="print the plan and change nothing")
        apply.set_defaults(run=self._apply)

    def handle(self, *_args: Any, run: Callable[..., None], **options: Any) -> None:
        run(**options)

    def _apply(self, *, dry_run: bool, **_options: Any) -> None:
        try:
            with explained("connecting", privilege="to connect"):
                database = client.database()
            plan = topology.plan(database) if dry_run else topology.apply(database, self.stdout.write)
        except topology.TopologyError as error:
            raise CommandError(str(error), returncode=FAILURE_STATUS) from error
        if dry_run:
            for step in plan.steps:
                self.stdout.write(f"{step.collection}: {step.text}")
        self._summarise(plan, database.name, dry_run=dry_run)
        if plan.drifts:
            self._report(plan.drifts)
            points = "1 point" if len(plan.drifts) == 1 else f"{len(plan.drifts)} points"
            raise CommandError(
                f"the cluster differs from the declaration in {points}; none of them was touched",
                returncode=DRIFT_STATUS,
            )

    def _summarise(self, plan: topology.TopologyPlan, database: str, *, dry_run: bool) -> None:
        if plan.unsharded:
            self.stdout.write(f"not a sharded cluster: sharding is skipped for {', '.join(plan.unsharded)}")
        steps = "1 step" if len(plan.steps) == 1 else f"{len(plan.steps)} steps"
        outcome = f"{steps} {'to do' if dry_run else 'done'}" if plan.steps else "nothing to change"
        self.stdout.write(self.style.SUCCESS(f"{outcome} in {database} ({plan.server})"))

    def _report(self, drifts: Sequence[topology.TopologyDrift]) -> None:
        for drift in drifts:
            self.stdout.write(self.style.WARNING(f"\n{drift.collection}: {drift.subject} differs"))
            self.stdout.write(f"  declared  {drift.declared}\n  found     {drift.found}\n  cure      {drift.cure}")
