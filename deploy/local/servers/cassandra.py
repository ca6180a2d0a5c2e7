"""Cassandra: where its jars come from, the files it reads, its command line, and whether it answers.

One node for development and tests; several, in several data centres, for the tests of what only replicas can show.
"""

import shlex
import shutil
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from deploy.local.errors import StackError
from deploy.local.fetch.cache import cached, directory
from deploy.local.launch import Launch
from deploy.local.layout import Layout
from deploy.local.process.ports import HOST, PortBook
from deploy.local.servers import java
from deploy.local.servers.cassandra_jars import VERSION, fetch_jars
from deploy.local.servers.server import Blueprint, Part, Server


@dataclass(frozen=True)
class Node:
    """Nodes of one cluster have the same ports at hosts of their own, except JMX, which is always at 127.0.0.1."""

    name: str
    host: str
    centre: str

    @property
    def jmx(self) -> str:
        """The name of its JMX port."""
        return f"{self.name}-jmx"


ONE_NODE = (Node("cassandra", HOST, "dc1"),)
NAMES = tuple(node.name for node in ONE_NODE)
# The last two are used by Cassandra and nodetool alone.
PORTS = ("cassandra", "cassandra-storage", *(node.jmx for node in ONE_NODE))

EXPORTS = (
    "java.base/jdk.internal.misc",
    "java.base/java.lang.ref",
    "java.management.rmi/com.sun.jmx.remote.internal.rmi",
    "java.management/com.sun.jmx.remote.security",
    "java.rmi/sun.rmi.registry",
    "java.rmi/sun.rmi.server",
    "java.sql/java.sql",
    "jdk.unsupported/sun.misc",
)
OPENS = (
    *(
        f"java.base/{package}"
        for package in (
            *("java.lang", "java.lang.module", "java.lang.reflect", "java.io", "java.nio", "java.util", "sun.nio.ch"),
            *("jdk.internal.loader", "jdk.internal.ref", "jdk.internal.reflect", "jdk.internal.math"),
            *("jdk.internal.module", "jdk.internal.util.jar"),
        )
    ),
    "jdk.management/com.sun.management.internal",
)

# Unknown keys are refused by Cassandra. Small figures: a node or three for one developer.
CONFIGURATION = """\
cluster_name: mobile-world
num_tokens: 16
partitioner: org.apache.cassandra.dht.Murmur3Partitioner
seed_provider:
  - class_name: org.apache.cassandra.locator.SimpleSeedProvider
    parameters: [{{seeds: "{seeds}"}}]
listen_address: {host}
rpc_address: {host}
storage_port: {storage}
ssl_storage_port: {storage}
native_transport_port: {native}
commitlog_sync: periodic
commitlog_sync_period: 10s
commitlog_segment_size: 8MiB
commitlog_total_space: 128MiB
auto_snapshot: false
hints_flush_period: 1s
concurrent_reads: 8
concurrent_writes: 8
concurrent_counter_writes: 8
concurrent_compactors: 1
memtable_flush_writers: 1
file_cache_size: 32MiB
networking_cache_size: 16MiB
native_transport_max_threads: 32
endpoint_snitch: GossipingPropertyFileSnitch
auto_bootstrap: false
storage_compatibility_mode: NONE
uuid_sstable_identifiers_enabled: true
"""
RACK = "dc={centre}\nrack=rack1\n"
LOGBACK = """\
<configuration>
  <appender name="STDOUT" class="ch.qos.logback.core.ConsoleAppender">
    <encoder><pattern>%-5level %date{{ISO8601}} %F:%L - %msg%n</pattern></encoder>
  </appender>
  <root level="{level}"><appender-ref ref="STDOUT"/></root>
</configuration>
"""


@dataclass(frozen=True)
class Binaries:
    java: Path
    jars: Path


def locate(launch: Launch) -> Binaries:
    """Java of PATH and the jars of the cache, fetched if need be. Raises StackError when they cannot be had."""
    name = f"cassandra-{VERSION}"
    maven = shutil.which("mvn", path=launch.environ.get("PATH"))
    if maven is None and not (directory(launch.environ) / name).is_dir():
        raise StackError("there is no Maven (mvn) on PATH to fetch its jars with")
    found = java.locate(launch)
    jars = cached(
        launch,
        name,
        lambda into: fetch_jars(launch, into, maven=str(maven), java_home=found.resolve().parents[1]),
        announce=f"fetching org.apache.cassandra:cassandra-all:{VERSION} with Maven, 67 MB",
    )
    return Binaries(found, jars)


def prepare(launch: Launch) -> Blueprint:
    return partial(plan, ONE_NODE, locate(launch))


def plan(nodes: Sequence[Node], binaries: Binaries, layout: Layout, ports: PortBook) -> Part:
    for name in ("cassandra", "cassandra-storage", *(node.jmx for node in nodes)):
        ports.settle(name, movable=True)
    for node in nodes:
        _configure(node, nodes, layout, ports)
    port = ports["cassandra"]
    return Part(
        [
            Server(node.name, "cassandra", port, _command(node, binaries, layout, ports), {}, host=node.host)
            for node in nodes
        ],
        ",".join(f"{node.host}:{port}" for node in nodes),
        {
            "CASSANDRA_NODETOOL": shlex.quote(str(_write_nodetool(binaries, layout))),
            "CASSANDRA_JMX": ",".join(f"{HOST}:{ports[node.jmx]}" for node in nodes),
        },
    )


def _command(node: Node, binaries: Binaries, layout: Layout, ports: PortBook) -> tuple[str, ...]:
    configuration = layout.run / node.name
    properties = {
        "cassandra.config": f"file://{configuration / 'cassandra.yaml'}",
        "cassandra-rackdc.properties": f"file://{configuration / 'rackdc.properties'}",
        "logback.configurationFile": f"file://{configuration / 'logback.xml'}",
        "cassandra.storagedir": str(layout.data / node.name),
        "cassandra.logdir": str(layout.log),
        "cassandra.triggers_dir": str(configuration),
        "cassandra-foreground": "yes",
        # One node has nobody to wait for; who starts several waits by itself until they see each other.
        "cassandra.skip_wait_for_gossip_to_settle": "0",
        "cassandra.ring_delay_ms": "2000",
        "cassandra.superuser_setup_delay_ms": "0",
        "cassandra.shutdown_announce_in_ms": "0",
        "cassandra.libjemalloc": "-",
        "cassandra.jmx.local.port": str(ports[node.jmx]),
        "java.net.preferIPv4Stack": "true",
        "jdk.attach.allowAttachSelf": "true",
        "io.netty.tryReflectionSetAccessible": "true",
        "chronicle.analytics.disable": "true",
    }
    return (
        *_java(binaries, heap="256m"),
        f"-javaagent:{next(binaries.jars.glob('jamm-*.jar'))}",
        *(f"-D{name}={value}" for name, value in properties.items()),
        "org.apache.cassandra.service.CassandraDaemon",
    )


def _java(binaries: Binaries, *, heap: str) -> tuple[str, ...]:
    """How everything of Cassandra's is run, the server and its tools."""
    return (
        str(binaries.java),
        *(f"-Xms{heap}", f"-Xmx{heap}", "-Xss512k"),
        *("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:+ExitOnOutOfMemoryError"),
        *(word for package in EXPORTS for word in ("--add-exports", f"{package}=ALL-UNNAMED")),
        *(word for package in OPENS for word in ("--add-opens", f"{package}=ALL-UNNAMED")),
        *("-cp", ":".join(str(jar) for jar in sorted(binaries.jars.glob("*.jar")))),
    )


def _configure(node: Node, nodes: Sequence[Node], layout: Layout, ports: PortBook) -> None:
    """Write the files that the command line names."""
    directory = layout.run / node.name
    directory.mkdir(parents=True, exist_ok=True)
    storage = ports["cassandra-storage"]
    # Every node is a seed: any of them may be the first to start, and none waits for another.
    seeds = ",".join(f"{other.host}:{storage}" for other in nodes)
    yaml = CONFIGURATION.format(host=node.host, seeds=seeds, storage=storage, native=ports["cassandra"])
    (directory / "cassandra.yaml").write_text(yaml, encoding="utf-8")
    (directory / "rackdc.properties").write_text(RACK.format(centre=node.centre), encoding="utf-8")
    (directory / "logback.xml").write_text(LOGBACK.format(level="INFO"), encoding="utf-8")


def _write_nodetool(binaries: Binaries, layout: Layout) -> Path:
    """A program like Cassandra's own `nodetool`, which the jars come without."""
    logback = layout.run / "nodetool.xml"
    logback.write_text(LOGBACK.format(level="WARN"), encoding="utf-8")
    command = (
        *_java(binaries, heap="64m"),
        f"-Dlogback.configurationFile=file://{logback}",
        # Where it keeps a history of its calls: not in the user's own home.
        f"-Duser.home={layout.run}",
        "org.apache.cassandra.tools.NodeTool",
    )
    script = layout.run / "nodetool"
    script.write_text(f'#!/bin/sh\nexec {shlex.join(command)} "$@"\n', encoding="utf-8")
    script.chmod(0o755)
    return script


def answers(host: str, port: int) -> bool:
    """Whether it answers an OPTIONS request of the native protocol with SUPPORTED."""
    options = bytes([4, 0, 0, 0, 5, 0, 0, 0, 0])
    try:
        with socket.create_connection((host, port), timeout=1.0) as connection:
            connection.sendall(options)
            reply = connection.recv(9)
    except OSError:
        return False
    return len(reply) == 9 and reply[4] == 6
