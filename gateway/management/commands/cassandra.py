"""manage.py cassandra apply|status|repair: the keyspaces and tables that the apps declare."""

import shlex
import time
from argparse import ArgumentParser
from typing import Any

from cassandra import DriverException, UnresolvableContactPoints
from cassandra.cluster import NoHostAvailable, Session
from cassandra.protocol import ErrorMessage
from django.core.management.base import BaseCommand, CommandError

from gateway.cassandra.driver.outcomes import readable
from gateway.cassandra.driver.session import CONNECTOR
from gateway.cassandra.errors import CassandraNotConfigured, CassandraUnavailable
from gateway.cassandra.maintenance.handoff import hints
from gateway.cassandra.maintenance.lock import Locked, schema_lock
from gateway.cassandra.maintenance.repair import NodetoolMissing, repair, steps
from gateway.cassandra.schema.cql import ttl_seconds
from gateway.cassandra.schema.keyspaces import keyspace_name, replication
from gateway.cassandra.schema.live import LiveSchema, find
from gateway.cassandra.schema.plan import SchemaPlan, execute, plan
from gateway.cassandra.table import Table, declared_tables

# A job that runs at deployment may come a little before the node serves.
WAIT_SECONDS = 30.0
RETRY_SECONDS = 0.5


class Command(BaseCommand):
    help = (
        "Keyspaces, types and tables in Cassandra as the apps' cassandra/tables.py declare them. "
        "apply creates what is missing and adds new columns; other differences are reported as drift (exit status 1). "
        "status shows nodes with the hints they keep, keyspaces and the policies of each table. "
        "repair makes the replicas of the tables declared for it agree; a failure on one node leaves the others to be "
        "tried (exit status 1)."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True)
        apply = actions.add_parser("apply", help="create what is missing, report what differs")
        apply.add_argument("--dry-run", action="store_true", help="print the statements, change nothing")
        wait_help = "seconds to wait for a node that does not answer yet (%(default)s)"
        apply.add_argument("--wait", type=float, default=WAIT_SECONDS, metavar="SECONDS", help=wait_help)
        actions.add_parser("status", help="nodes, keyspaces, tables")
        repairing = actions.add_parser("repair", help="nodetool repair of the tables declared for it, on every node")
        repairing.add_argument("--dry-run", action="store_true", help="print the calls of nodetool, make none")

    def handle(self, *_: Any, action: str, dry_run: bool = False, wait: float = 0.0, **__: Any) -> None:
        try:
            if action == "repair":
                self._repair(dry_run=dry_run)
            elif action == "status":
                self._status(self._session(wait))
            else:
                self._apply(self._session(wait), dry_run=dry_run)
        except CassandraNotConfigured as error:
            self.stdout.write(f"{error}: nothing to do")
        except NodetoolMissing as error:
            self.stdout.write(str(error))
        except (CassandraUnavailable, NoHostAvailable, DriverException, ErrorMessage, Locked) as error:
            raise CommandError(str(error)) from error

    def _session(self, wait: float) -> Session:
        deadline = time.monotonic() + wait
        while True:
            try:
                return CONNECTOR.connection().session
            except (NoHostAvailable, UnresolvableContactPoints) as error:
                if time.monotonic() >= deadline:
                    raise CassandraUnavailable(readable(error)) from error
            time.sleep(RETRY_SECONDS)

    def _apply(self, session: Session, *, dry_run: bool) -> None:
        tables = declared_tables()
        if dry_run:
            made = plan(tables, _found(session, tables))
            for change in made.changes:
                self.stdout.write(f"would {change.what}\n    {change.cql};")
        else:
            with schema_lock(self.stderr.write) as renew:
                made = plan(tables, _found(session, tables))
                for change in made.changes:
                    renew()
                    execute(session, change)
                    self.stdout.write(change.what)
        self._report(made)

    def _report(self, made: SchemaPlan) -> None:
        for note in made.notes:
            self.stdout.write(note)
        for drift in made.drift:
            self.stderr.write(f"drift: {drift.what}" + (f"\n    to cure: {drift.cure}" if drift.cure else ""))
        if made.drift:
            raise CommandError("the schema differs from its declaration; the differences are left as they are")
        if not made.changes:
            self.stdout.write("nothing to change")

    def _repair(self, *, dry_run: bool) -> None:
        if dry_run:
            for step in steps():
                self.stdout.write(shlex.join(("nodetool", *step.arguments)))
            return
        repaired, failed = [], []
        for step, seconds, failure in repair(self.stderr.write):
            where = f"{step.keyspace} on {step.node}"
            if failure:
                failed.append(where)
                self.stderr.write(f"{where}: FAILED after {seconds:.1f} s: {failure}")
            else:
                repaired.append(where)
                self.stdout.write(f"{where}: {', '.join(step.tables)} repaired in {seconds:.1f} s")
        if failed:
            raise CommandError(f"{len(failed)} of {len(failed + repaired)} repairs failed: {'; '.join(failed)}")
        if not repaired:
            self.stdout.write("no table is declared to be repaired: nothing to do")

    def _status(self, session: Session) -> None:
        tables = declared_tables()
        found = _found(session, tables)
        self.stdout.write("nodes")
        for host in sorted(
            session.cluster.metadata.all_hosts(), key=lambda host: (host.datacenter, str(host.endpoint))
        ):
            state = {True: "up", False: "down"}.get(host.is_up, "not connected")
            where = f"{host.endpoint}  {host.datacenter}/{host.rack}  {host.release_version}"
            self.stdout.write(f"  {where}  {state}  {hints(session, host)}")
        for kind in sorted({table.kind for table in tables}):
            self._keyspace_status([table for table in tables if table.kind == kind], found)

    def _keyspace_status(self, tables: list[Table], found: LiveSchema) -> None:
        kind = tables[0].kind
        keyspace, wanted = keyspace_name(kind), replication(kind, found.nodes)
        actual = dict(found.replication[keyspace]) if keyspace in found.replication else "MISSING"
        self.stdout.write(f"keyspace {keyspace}  replication {actual}, declared {dict(wanted.declared)}")
        for table in tables:
            lifetime = f"rows live {ttl_seconds(table)} s" if table.ttl else "rows stay"
            compaction = table.compaction["class"].removesuffix("CompactionStrategy")
            nightly = "repaired nightly" if table.repaired_nightly else "not repaired"
            missing = "" if table.full_name in found.tables else "  MISSING"
            self.stdout.write(
                f"  {table.name}{missing}: {table.serves}\n"
                f"    write {table.write_at}, read {table.read_at}, read repair {table.read_repair}, {nightly}, "
                f"{lifetime}, {compaction}"
            )


def _found(session: Session, tables: tuple[Table, ...]) -> LiveSchema:
    return find(session, {table.keyspace for table in tables})
