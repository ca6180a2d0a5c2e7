"""Three real nodes in two data centres, beside the one of the stack, for what only replicas can show."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from cassandra import ConsistencyLevel, OperationTimedOut, ReadTimeout, Unavailable
from cassandra.cluster import EXEC_PROFILE_DEFAULT, Cluster, ExecutionProfile, NoHostAvailable, Session
from cassandra.policies import WhiteListRoundRobinPolicy
from cassandra.query import dict_factory

from deploy.local.launch import Launch
from deploy.local.layout import Layout
from deploy.local.process.ports import PortBook
from deploy.local.progress import Progress
from deploy.local.servers.cassandra import Node, locate, plan
from deploy.local.start.stack import Stack
from gateway.cassandra.driver.session import PROTOCOL_VERSION
from gateway.tests.eventually import eventually

ONE, TWO, THREE = "cassandra-1", "cassandra-2", "cassandra-3"
NODES = (Node(ONE, "127.0.0.1", "dc1"), Node(TWO, "127.0.0.2", "dc1"), Node(THREE, "127.0.0.3", "dc2"))
HOSTS = {node.name: node.host for node in NODES}
# A table of Cassandra's own that has three replicas: a node serves this at ALL only while it sees the two others.
ANYTHING = (
    "SELECT parent_id FROM system_distributed.parent_repair_history "
    "WHERE parent_id = 00000000-0000-1000-8000-000000000000"
)
PATIENCE = 20.0


@contextmanager
def three_nodes(root: Path) -> Iterator[Stack]:
    """Started all at once, each on a host of its own; killed and forgotten afterwards."""
    layout, launch = Layout(root), Launch(Progress())
    layout.create()
    ports = PortBook(layout)
    part = plan(NODES, locate(launch), layout, ports)
    stack = Stack(layout, part.servers, served={"cassandra": part.address}, external={}, variables=part.variables)
    try:
        start(stack, *stack.names)
        yield stack
    finally:
        for name in stack.names:
            stack.kill(name)
        shutil.rmtree(root)


def start(stack: Stack, *names: str) -> None:
    """Start these nodes, and return when each of the three sees the others."""
    launch = Launch(Progress())
    for name in names:
        stack.spawn(name)
    for name in names:
        stack.await_serving(name, launch)
    eventually(lambda: all(_sees_all(stack, name) for name in stack.names), within=90)


@contextmanager
def only(stack: Stack, name: str, consistency: int = ConsistencyLevel.LOCAL_ONE) -> Iterator[Session]:
    """A session that asks this node and no other."""
    host = HOSTS[name]
    profile = ExecutionProfile(
        load_balancing_policy=WhiteListRoundRobinPolicy([host]),
        consistency_level=consistency,
        request_timeout=PATIENCE,
        row_factory=dict_factory,
    )
    cluster = Cluster(
        [(host, stack.port_of(name))],
        protocol_version=PROTOCOL_VERSION,
        execution_profiles={EXEC_PROFILE_DEFAULT: profile},
        connect_timeout=PATIENCE,
        control_connection_timeout=PATIENCE,
        schema_metadata_enabled=False,
    )
    try:
        yield cluster.connect()
    finally:
        cluster.shutdown()


def _sees_all(stack: Stack, name: str) -> bool:
    try:
        with only(stack, name, ConsistencyLevel.ALL) as session:
            session.execute(ANYTHING)
    except (Unavailable, ReadTimeout, OperationTimedOut, NoHostAvailable):
        return False
    return True
