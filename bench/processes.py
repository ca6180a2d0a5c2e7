"""Processes of this machine: the CPU time that they have used, and the cores that they may run on."""

import os
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from django.conf import settings

from deploy.local.process.ports import HOST, listeners
from gateway.mongo.client import client

TICKS = os.sysconf("SC_CLK_TCK")


class Cores(NamedTuple):
    server: frozenset[int]
    others: frozenset[int]

    @property
    def are_apart(self) -> bool:
        return not self.server & self.others


def divided_cores() -> Cores:
    """One core for the server that is measured, the others for those who ask and the stores; all for all if one."""
    *others, last = sorted(os.sched_getaffinity(0))
    return Cores(frozenset({last}), frozenset(others or {last}))


def cpu_seconds(pid: int) -> float:
    """What the process and all below it have used; those that have ended are not counted."""
    return sum(map(_own_cpu_seconds, _tree(pid)))


def pin(pid: int, cores: Collection[int]) -> None:
    """Keep the process, and what it will start, on these cores."""
    for thread in Path(f"/proc/{pid}/task").iterdir():
        with suppress(ProcessLookupError):  # ended meanwhile
            os.sched_setaffinity(int(thread.name), cores)


@contextmanager
def stores_pinned(cores: Collection[int]) -> Iterator[int]:
    """Keep the stores that run on this machine on these cores for the block; tells how many there are."""
    before = {pid: os.sched_getaffinity(pid) for pid in _stores()}
    try:
        for pid in before:
            pin(pid, cores)
        yield len(before)
    finally:
        for pid, allowed in before.items():
            pin(pid, allowed)


def _stores() -> set[int]:
    """The processes of MongoDB, Cassandra and Redis whose ports on this machine we know."""
    shards = client().admin.command("getShardMap")["hosts"]
    mongos = [f"{host}:{port}" for host, port in client().nodes]
    addresses = [*shards, *mongos, *settings.CASSANDRA_CONTACT_POINTS]
    urls = [settings.REDIS_URL, settings.REDIS_CACHE_URL, *(f"//{address}" for address in addresses)]
    ports = {url.port for url in map(urlsplit, urls) if url.port and url.hostname in {HOST, "localhost"}}
    return {pid for port in ports for pid in listeners(port)}


def _tree(pid: int) -> Iterator[int]:
    yield pid
    with suppress(FileNotFoundError, ProcessLookupError):
        for thread in Path(f"/proc/{pid}/task").iterdir():
            for child in (thread / "children").read_text(encoding="ascii").split():
                yield from _tree(int(child))


def _own_cpu_seconds(pid: int) -> float:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return 0.0
    # The second field is the name in parentheses, which may itself contain anything.
    fields = stat.rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS
