"""Anti-entropy repair of the tables declared `repaired_nightly`, by Cassandra's own nodetool, node after node."""

import shlex
import shutil
import subprocess
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import structlog
from django.conf import settings

from gateway.cassandra.driver.outcomes import typed_errors
from gateway.cassandra.driver.session import CONNECTOR
from gateway.cassandra.errors import CassandraError, CassandraNotConfigured
from gateway.cassandra.maintenance.lock import Locked, Renew, Say, repair_lock
from gateway.cassandra.table import Table, declared_tables

log = structlog.get_logger(__name__)

JMX_PORT = 7199
# Full: an incremental repair never looks again at what it once marked as repaired, so a file lost since stays lost; and
# it splits the files of each table in two. Primary ranges: each range once, not once per replica; hence on every node.
REPAIR = ("repair", "--full", "--partitioner-range")
# One keyspace on one node. What takes longer has outgrown the night.
CALL_SECONDS = 2 * 3600.0
# Well within the lease of the lock.
RENEW_SECONDS = 30.0
# How nodetool begins the line that says why it failed.
REASONS = ("error: ", "nodetool: ")


class NodetoolMissing(Exception):
    """Repairs are started through JMX, which Python does not speak: without nodetool there are none."""

    def __init__(self) -> None:
        super().__init__(
            "there is no nodetool on PATH: repair is skipped. CASSANDRA_NODETOOL may name the command line that runs it"
        )


@dataclass(frozen=True, slots=True)
class RepairStep:
    """One call of nodetool: one keyspace on one node."""

    keyspace: str
    tables: tuple[str, ...]
    node: str
    """Where the node's JMX listens, as host:port."""

    @property
    def arguments(self) -> tuple[str, ...]:
        host, _, port = self.node.rpartition(":")
        return ("-h", host, "-p", port, *REPAIR, self.keyspace, *self.tables)


class RepairOutcome(NamedTuple):
    """How a step went; `failure`: why it failed, or None."""

    step: RepairStep
    seconds: float
    failure: str | None


def repair(say: Say) -> Iterator[RepairOutcome]:
    """Run the repair, yielding each step's outcome; a step that fails does not stop the others.

    Raises NodetoolMissing, CassandraError, and Locked while another repair runs.
    """
    due, nodetool = steps(), _nodetool()
    with repair_lock(say) as renew:
        for step in due:
            renew()
            yield _take(step, nodetool, renew)


def repair_and_log() -> None:
    """The nightly repair, which tells the log how it went."""
    try:
        for step, seconds, failure in repair(lambda warning: log.warning("cassandra.repair_unlocked", warning=warning)):
            about = log.bind(node=step.node, keyspace=step.keyspace, tables=step.tables, seconds=round(seconds, 1))
            if failure:
                about.error("cassandra.repair_failed", error=failure)
            else:
                about.info("cassandra.repaired")
    except (NodetoolMissing, CassandraError, Locked) as error:
        log.warning("cassandra.repair_skipped", reason=str(error))


def steps() -> list[RepairStep]:
    """The steps that a repair would take now. Raises CassandraError when it has to ask for the nodes."""
    if not settings.CASSANDRA_CONTACT_POINTS:
        raise CassandraNotConfigured
    return planned(declared_tables(), _nodes())


def planned(tables: Iterable[Table], nodes: Iterable[str]) -> list[RepairStep]:
    """The steps for these tables on these nodes: keyspace by keyspace, node by node."""
    nodes = tuple(nodes)
    nightly: dict[str, list[str]] = {}
    for table in tables:
        if table.repaired_nightly:
            nightly.setdefault(table.keyspace, []).append(table.name)
    return [RepairStep(keyspace, tuple(nightly[keyspace]), node) for keyspace in sorted(nightly) for node in nodes]


def _nodetool() -> tuple[str, ...]:
    if settings.CASSANDRA_NODETOOL:
        return tuple(shlex.split(settings.CASSANDRA_NODETOOL))
    found = shutil.which("nodetool")
    if found is None:
        raise NodetoolMissing
    return (found,)


def _nodes() -> list[str]:
    """The JMX addresses of the nodes of every data centre."""
    if settings.CASSANDRA_JMX:
        return list(settings.CASSANDRA_JMX)
    with typed_errors():
        hosts = CONNECTOR.connection().cluster.metadata.all_hosts()
    return sorted(f"{host.address}:{JMX_PORT}" for host in hosts)


def _take(step: RepairStep, nodetool: tuple[str, ...], renew: Renew) -> RepairOutcome:
    started = time.monotonic()
    failure = _failure((*nodetool, *step.arguments), renew)
    return RepairOutcome(step, time.monotonic() - started, failure)


def _failure(command: tuple[str, ...], renew: Renew) -> str | None:
    """Run the command to its end; returns why it failed, or None."""
    deadline = time.monotonic() + CALL_SECONDS
    try:
        process = subprocess.Popen(  # noqa: S603 an operator's command, without a shell
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
    except OSError as error:
        return str(error)
    with process:
        try:
            while time.monotonic() < deadline:
                try:
                    output, _ = process.communicate(timeout=RENEW_SECONDS)
                except subprocess.TimeoutExpired:
                    renew()
                else:
                    return _reason(output) if process.returncode else None
        finally:
            process.kill()
    return f"not done after {CALL_SECONDS:.0f} s; nodetool is ended, the nodes may go on"


def _reason(output: str) -> str:
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    for line in lines:
        for beginning in REASONS:
            if line.startswith(beginning):
                return line.removeprefix(beginning)
    return lines[-1] if lines else "it says nothing"
