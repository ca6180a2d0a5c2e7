"""Ports: which are free, who holds a taken one, and which one each server of a root gets."""

import errno
import json
import os
import socket
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path

from deploy.local.errors import StackError
from deploy.local.layout import DEVELOPMENT_ROOT, SECOND_TEST_ROOT, TEST_ROOT, Layout, write_atomically

HOST = "127.0.0.1"
# By which name it is opened: that of frontends' development servers, whose pages get no cookies from 127.0.0.1.
NAME = "localhost"

# Offsets within the hundred ports of a root.
OFFSETS = {
    "mongos-1": 1,
    "mongos-2": 2,
    "config": 10,
    "shard1-1": 11,
    "shard1-2": 12,
    "shard1-3": 13,
    "shard2-1": 21,
    "shard2-2": 22,
    "shard2-3": 23,
    "redis": 30,
    "cache": 31,
    "cassandra": 40,
    "cassandra-storage": 41,
    "cassandra-jmx": 42,
    "cassandra-1-jmx": 43,
    "cassandra-2-jmx": 44,
    "cassandra-3-jmx": 45,
}
# All below 32768, where Linux begins to give ports to outgoing connections.
DEVELOPMENT_BASE = 23000
TEST_BASE = 24000
SECOND_TEST_BASE = 24500
# Any other root (the launcher's own tests) gets a hundred of its own by its path.
OTHER_BASE, OTHER_COUNT = 25000, 60


def base_of(root: Path) -> int:
    root = root.resolve()
    known = {DEVELOPMENT_ROOT: DEVELOPMENT_BASE, TEST_ROOT: TEST_BASE, SECOND_TEST_ROOT: SECOND_TEST_BASE}
    for ours, base in known.items():
        if root == ours.resolve():
            return base
    return OTHER_BASE + 100 * (zlib.crc32(os.fsencode(root)) % OTHER_COUNT)


def is_free(port: int) -> bool:
    with socket.socket() as probe:
        # As servers do: connections of a former server in TIME_WAIT do not count.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError as error:
            if error.errno in {errno.EADDRINUSE, errno.EACCES}:
                return False
            raise
    return True


class PortBook:
    """The port of each server of one root, the same at every start as long as that is possible."""

    def __init__(self, layout: Layout, *, running: Iterable[str] = ()) -> None:
        self._path = layout.ports
        self._running = frozenset(running)
        self._base = base_of(layout.root)
        self._ports = self._load()

    def __getitem__(self, name: str) -> int:
        return self._ports[name]

    def settle(self, name: str, *, movable: bool) -> None:
        """Make sure of a port for the server: its own if free or its own process has it, else another if `movable`."""
        if name in self._ports and name in self._running:
            return
        port = self._ports.get(name, self._base + OFFSETS[name])
        if not is_free(port):
            if name in self._ports and not movable:
                raise StackError(
                    f"port {port} of {name} is taken{taken_by(port)}, and its data is bound to that port.\n"
                    f"Stop that process and start again; or give up this stack's data: make clean."
                )
            port = self._next_free()
        self._ports[name] = port

    def save(self) -> None:
        write_atomically(self._path, json.dumps(self._ports, indent=2) + "\n")

    def _next_free(self) -> int:
        given = {*self._ports.values(), *(self._base + offset for offset in OFFSETS.values())}
        # Less than to the next base: two starts at once would choose the same port.
        for port in range(self._base + 50, self._base + 500):
            if port not in given and is_free(port):
                return port
        raise StackError(f"no free port between {self._base + 50} and {self._base + 500}")

    def _load(self) -> dict[str, int]:
        try:
            return {str(name): int(port) for name, port in json.loads(self._path.read_text(encoding="utf-8")).items()}
        except FileNotFoundError:
            return {}


def taken_by(port: int) -> str:
    """« by mongod (pid 4711)», or nothing when /proc does not tell."""
    for pid in listeners(port):
        return f" by {Path(f'/proc/{pid}/comm').read_text(encoding='utf-8').strip()} (pid {pid})"
    return ""


def listeners(port: int) -> Iterator[int]:
    """The processes that listen at the port, as far as /proc tells."""
    inodes = _listening_inodes(port)
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and inodes & _socket_inodes(entry):
            yield int(entry.name)


def _listening_inodes(port: int) -> set[str]:
    inodes = set()
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        try:
            lines = Path(table).read_text(encoding="ascii").splitlines()[1:]
        except FileNotFoundError:  # a kernel without IPv6
            continue
        for fields in map(str.split, lines):
            listening = fields[3] == "0A"
            if listening and int(fields[1].rpartition(":")[2], 16) == port:
                inodes.add(fields[9])
    return inodes


def _socket_inodes(entry: Path) -> set[str]:
    inodes = set()
    try:
        for descriptor in (entry / "fd").iterdir():
            target = str(descriptor.readlink())
            if target.startswith("socket:["):
                inodes.add(target[8:-1])
    except OSError:  # gone meanwhile, or somebody else's
        pass
    return inodes
