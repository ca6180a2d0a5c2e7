"""What replicas are for: nodes killed -9 under the shop, and how they get what they missed."""

import io
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal

import pytest
from django.conf import settings
from django.core.management import call_command
from django.test import override_settings

from deploy.local.start.stack import Stack
from gateway.cassandra.driver.circuit import CIRCUIT
from gateway.cassandra.driver.session import CONNECTOR
from gateway.cassandra.errors import CassandraUnavailable
from gateway.cassandra.maintenance import repair
from gateway.cassandra.reads import first, read
from gateway.cassandra.schema.live import find
from gateway.cassandra.statements import Consistency, Select
from gateway.cassandra.table import Table
from gateway.cassandra.tests.three_nodes import ONE, THREE, TWO, only, start, three_nodes
from gateway.cassandra.writes import write
from gateway.management.commands import cassandra
from gateway.tests.eventually import eventually
from gateway.tests.samples.cassandra.tables import REGIONAL

# Three nodes of Java on two cores: some ten seconds on an idle machine, a minute on one that has other things to do.
pytestmark = [pytest.mark.cluster, pytest.mark.timeout(300)]

READ_MENDED = Table(
    name="read_mended",
    kind="orders",
    serves="tests: replicas that differ are mended by the read that sees it",
    columns={"id": "text", "status": "text"},
    partition_key=("id",),
    write_at=Consistency.LOCAL_QUORUM,
    read_at=Consistency.LOCAL_QUORUM,
    read_repair="BLOCKING",
    repaired_nightly=False,
    versioned=True,
)
NEVER_MENDED = replace(READ_MENDED, name="never_mended", read_repair="NONE")
NIGHTLY_MENDED = replace(READ_MENDED, name="nightly_mended", read_repair="NONE", repaired_nightly=True)
DAMAGED = (READ_MENDED, NEVER_MENDED, NIGHTLY_MENDED)
TABLES = (*DAMAGED, REGIONAL)


@pytest.fixture(scope="module")
def stack(patience: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """The three nodes, with everything of the gateway's pointed at them, and an old row in each table to be damaged."""
    if not settings.CASSANDRA_CONTACT_POINTS:
        pytest.skip("Cassandra is not configured")
    with three_nodes(tmp_path_factory.mktemp("three") / "root") as stack, pytest.MonkeyPatch.context() as patch:
        patch.setattr(cassandra, "declared_tables", lambda: TABLES)
        patch.setattr(repair, "declared_tables", lambda: TABLES)
        env = stack.env()
        with override_settings(
            CASSANDRA_CONTACT_POINTS=env["CASSANDRA_CONTACT_POINTS"].split(","),
            CASSANDRA_NODETOOL=env["CASSANDRA_NODETOOL"],
            CASSANDRA_JMX=env["CASSANDRA_JMX"].split(","),
        ):
            _reconnect()
            yield stack
        _reconnect()


@pytest.fixture(scope="module")
def applied(stack: Stack) -> str:
    """What apply said, and an old row in each of the tables that will be damaged."""
    out = io.StringIO()
    call_command("cassandra", "apply", stdout=out)
    write(table.upsert({"id": "order", "status": "old"}, timestamp=1) for table in DAMAGED)
    return out.getvalue()


@pytest.fixture(scope="module")
def replica_down(stack: Stack, applied: str) -> None:
    """One of the two nodes of the shop's own data centre is killed."""
    stack.kill(TWO)


@dataclass(frozen=True)
class Mended:
    read: dict[str, str]
    """What a read at the table's own consistency gave, by table, once the node was back."""
    repaired: str
    """What `cassandra repair` printed afterwards."""
    alone: dict[str, str]
    """What the node has by itself at the end, the others being dead."""


@pytest.fixture(scope="module")
def mended(stack: Stack, replica_down: None) -> Mended:
    """While the node was away every row became new, and nobody kept a hint for it."""
    _nodetool("disablehandoff")
    write(
        replace(table, write_at=Consistency.ONE).upsert({"id": "order", "status": "new"}, timestamp=2)
        for table in DAMAGED
    )
    start(stack, TWO)
    reads = {table.name: first(_row(table)) for table in (READ_MENDED, NEVER_MENDED)}
    out = io.StringIO()
    call_command("cassandra", "repair", stdout=out)
    stack.kill(ONE)
    stack.kill(THREE)
    with only(stack, TWO) as session:
        found = {
            table.name: session.execute(f"SELECT status FROM {table.full_name} WHERE id = 'order'").one()  # noqa: S608
            for table in DAMAGED
        }
    return Mended(
        {name: row["status"] for name, row in reads.items() if row},
        out.getvalue(),
        {name: row["status"] for name, row in found.items() if row},
    )


def test_apply_caps_replication_by_the_nodes_of_each_data_centre(applied: str) -> None:
    found = find(CONNECTOR.connection().session, {READ_MENDED.keyspace, REGIONAL.keyspace})

    assert found.nodes == {"dc1": 2, "dc2": 1}
    assert found.replication == {READ_MENDED.keyspace: {"dc1": 2, "dc2": 1}, REGIONAL.keyspace: {"dc1": 2}}
    assert (
        f"keyspace {READ_MENDED.keyspace}: replication {{dc1: 3, dc2: 3}} capped to {{dc1: 2, dc2: 1}} "
        "by the nodes there are\n"
    ) in applied


def test_other_data_centre_killed_is_not_missed_and_gets_by_hints_what_it_missed(stack: Stack, applied: str) -> None:
    ids = {f"during {number}" for number in range(20)}
    stack.kill(THREE)

    write(READ_MENDED.upsert({"id": row_id, "status": "written"}, timestamp=1) for row_id in ids)

    assert {row["id"] for row in read(READ_MENDED.select("id IN ?", list(ids)))} == ids
    start(stack, THREE)
    with only(stack, THREE) as session:
        # At LOCAL_ONE the single node of its data centre can have them from nobody but itself.
        query = f"SELECT id FROM {READ_MENDED.full_name} WHERE token(id) > {-(2**63)}"  # noqa: S608
        eventually(lambda: ids <= {row["id"] for row in session.execute(query)}, within=60)


def test_regional_history_is_written_and_read_with_one_replica_down(replica_down: None) -> None:
    key = {"region": "msk", "day": "2026-11-18", "order_id": "order"}

    write([REGIONAL.upsert({**key, "total": Decimal("959.00")}, timestamp=1)])

    assert first(REGIONAL.select("region = ? AND day = ?", "msk", "2026-11-18", columns=["order_id", "total"])) == {
        "order_id": "order",
        "total": Decimal("959.00"),
    }


def test_orders_are_refused_without_a_quorum_of_their_data_centre(replica_down: None) -> None:
    with pytest.raises(CassandraUnavailable):
        write([NEVER_MENDED.upsert({"id": "refused", "status": "written"}, timestamp=1)])


def test_read_sees_the_newest_whatever_one_replica_missed(mended: Mended) -> None:
    assert mended.read == {"read_mended": "new", "never_mended": "new"}


def test_read_mends_the_replica_where_read_repair_is_declared_and_only_there(mended: Mended) -> None:
    assert mended.alone["read_mended"] == "new"
    assert mended.alone["never_mended"] == "old"


def test_repair_mends_without_any_read_what_is_declared_for_it(mended: Mended) -> None:
    lines = mended.repaired.splitlines()
    nodes = settings.CASSANDRA_JMX

    assert [line.rsplit(" in ", 1)[0] for line in lines] == [
        *(f"{REGIONAL.keyspace} on {node}: sample_regional repaired" for node in nodes),
        *(f"{READ_MENDED.keyspace} on {node}: nightly_mended repaired" for node in nodes),
    ]
    assert mended.alone["nightly_mended"] == "new"


def _row(table: Table) -> Select:
    return table.select("id = ?", "order", columns=["status"])


def _nodetool(command: str) -> None:
    """Tell the first node."""
    host, port = settings.CASSANDRA_JMX[0].split(":")
    subprocess.run([settings.CASSANDRA_NODETOOL, "-h", host, "-p", port, command], check=True, timeout=60)


def _reconnect() -> None:
    CONNECTOR.close()
    CIRCUIT.reset()
