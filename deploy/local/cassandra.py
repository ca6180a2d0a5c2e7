"""Cassandra: where its jars come from, the files it reads, its command line, and whether it answers."""

import shutil
import socket
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from deploy.local import java
from deploy.local.cache import cached, directory
from deploy.local.cassandra_jars import VERSION, fetch_jars
from deploy.local.errors import StackError
from deploy.local.launch import Launch
from deploy.local.layout import Layout
from deploy.local.ports import HOST, PortBook
from deploy.local.server import Blueprint, Part, Server

NAMES = ("cassandra",)
# The last two are used by Cassandra alone.
PORTS = ("cassandra", "cassandra-storage", "cassandra-jmx")

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

# Unknown keys are refused by Cassandra. Small figures: one node for one developer.
CONFIGURATION = """\
cluster_name: mobile-world
num_tokens: 16
partitioner: org.apache.cassandra.dht.Murmur3Partitioner
seed_provider:
  - class_name: org.apache.cassandra.locator.SimpleSeedProvider
    parameters: [{{seeds: "{host}:{storage}"}}]
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
RACK = "dc=dc1\nrack=rack1\n"
LOGBACK = """\
<configuration>
  <appender name="STDOUT" class="ch.qos.logback.core.ConsoleAppender">
    <encoder><pattern>%-5level %date{ISO8601} %F:%L - %msg%n</pattern></encoder>
  </appender>
  <root level="INFO"><appender-ref ref="STDOUT"/></root>
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
    return partial(_plan, locate(launch))


def _plan(binaries: Binaries, layout: Layout, ports: PortBook) -> Part:
    for name in PORTS:
        ports.settle(name, movable=True)
    _configure(layout, ports)
    server = Server("cassandra", "cassandra", ports["cassandra"], _command(binaries, layout, ports), {})
    return Part([server], f"{HOST}:{ports['cassandra']}")


def _command(binaries: Binaries, layout: Layout, ports: PortBook) -> tuple[str, ...]:
    home = layout.data / "cassandra"
    configuration = layout.run / "cassandra"
    properties = {
        "cassandra.config": f"file://{configuration / 'cassandra.yaml'}",
        "cassandra-rackdc.properties": f"file://{configuration / 'rackdc.properties'}",
        "logback.configurationFile": f"file://{configuration / 'logback.xml'}",
        "cassandra.storagedir": str(home),
        "cassandra.logdir": str(layout.log),
        "cassandra.triggers_dir": str(configuration),
        "cassandra-foreground": "yes",
        # One node has nobody to wait for.
        "cassandra.skip_wait_for_gossip_to_settle": "0",
        "cassandra.ring_delay_ms": "2000",
        "cassandra.superuser_setup_delay_ms": "0",
        "cassandra.shutdown_announce_in_ms": "0",
        "cassandra.libjemalloc": "-",
        "cassandra.jmx.local.port": str(ports["cassandra-jmx"]),
        "java.net.preferIPv4Stack": "true",
        "jdk.attach.allowAttachSelf": "true",
        "io.netty.tryReflectionSetAccessible": "true",
        "chronicle.analytics.disable": "true",
    }
    return (
        str(binaries.java),
        *("-Xms256m", "-Xmx256m", "-Xss512k"),
        *("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:+ExitOnOutOfMemoryError"),
        f"-javaagent:{next(binaries.jars.glob('jamm-*.jar'))}",
        *(word for package in EXPORTS for word in ("--add-exports", f"{package}=ALL-UNNAMED")),
        *(word for package in OPENS for word in ("--add-opens", f"{package}=ALL-UNNAMED")),
        *(f"-D{name}={value}" for name, value in properties.items()),
        *("-cp", ":".join(str(jar) for jar in sorted(binaries.jars.glob("*.jar")))),
        "org.apache.cassandra.service.CassandraDaemon",
    )


def _configure(layout: Layout, ports: PortBook) -> None:
    """Write the files that the command line names."""
    directory = layout.run / "cassandra"
    directory.mkdir(parents=True, exist_ok=True)
    yaml = CONFIGURATION.format(host=HOST, storage=ports["cassandra-storage"], native=ports["cassandra"])
    (directory / "cassandra.yaml").write_text(yaml, encoding="utf-8")
    (directory / "rackdc.properties").write_text(RACK, encoding="utf-8")
    (directory / "logback.xml").write_text(LOGBACK, encoding="utf-8")


def answers(port: int) -> bool:
    """Whether it answers an OPTIONS request of the native protocol with SUPPORTED."""
    options = bytes([4, 0, 0, 0, 5, 0, 0, 0, 0])
    try:
        with socket.create_connection((HOST, port), timeout=1.0) as connection:
            connection.sendall(options)
            reply = connection.recv(9)
    except OSError:
        return False
    return len(reply) == 9 and reply[4] == 6
