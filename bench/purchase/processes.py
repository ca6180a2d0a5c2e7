"""CPU time of the servers of this machine, by what they are."""

import os
import socket
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import urlsplit

from django.conf import settings

from gateway.mongo.client import client

TICKS = os.sysconf("SC_CLK_TCK")
_LISTENING = "0A"


def servers() -> dict[str, list[int]]:
    """The ids of the processes of each store, found by the ports at which they listen."""
    admin = client().admin
    shards = [host for shard in admin.command("listShards")["shards"] for host in _members(shard["host"])]
    config = _members(admin.command("getShardMap")["map"]["config"])
    redis = [urlsplit(url).port or 6379 for url in (settings.REDIS_URL, settings.REDIS_CACHE_URL)]
    ports: dict[str, list[int]] = {
        "mongod": [_port(host) for host in (*shards, *config)],
        "mongos": [port or 27017 for _, port in client().nodes],
        "cassandra": [_port(point) for point in settings.CASSANDRA_CONTACT_POINTS],
        "redis": sorted(set(redis)),
    }
    owners = _owners_of_ports()
    return {name: sorted({owners[port] for port in its if port in owners}) for name, its in ports.items()}


def cpu_seconds(pids: Iterable[int]) -> float:
    """CPU that these processes and their living children have used."""
    return sum(_ticks(each) for pid in pids for each in _tree(pid)) / TICKS


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def _tree(pid: int) -> Iterable[int]:
    yield pid
    for task in Path(f"/proc/{pid}/task").iterdir():
        for child in (task / "children").read_text(encoding="ascii").split():
            yield from _tree(int(child))


def _ticks(pid: int) -> int:
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])


def _members(hosts: str) -> list[str]:
    return hosts.partition("/")[2].split(",")


def _port(host: str) -> int:
    return int(host.rpartition(":")[2])


def _owners_of_ports() -> dict[int, int]:
    """The process that listens at each port."""
    inodes = {}
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/net/{table}").read_text(encoding="ascii").splitlines()[1:]:
            fields = line.split()
            if fields[3] == _LISTENING:
                inodes[fields[9]] = int(fields[1].rpartition(":")[2], 16)
    owners: dict[int, int] = {}
    for pid in (int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()):
        for inode in _sockets(pid):
            if inode in inodes:
                owners[inodes[inode]] = pid
    return owners


def _sockets(pid: int) -> Iterable[str]:
    try:
        links = [str(entry.readlink()) for entry in Path(f"/proc/{pid}/fd").iterdir()]
    except OSError:
        # Another's process, or one that has just ended.
        return []
    return [link[8:-1] for link in links if link.startswith("socket:[")]
