"""Keeping the processes of this machine on cores of their own, so that what is measured shares none."""

import os
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from bench.purchase.processes import servers


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


def pin(pid: int, cores: Collection[int]) -> None:
    """Keep the process, what it has started and what it will start on these cores."""
    with suppress(FileNotFoundError, ProcessLookupError):  # ended meanwhile
        for thread in Path(f"/proc/{pid}/task").iterdir():
            os.sched_setaffinity(int(thread.name), cores)
            for child in (thread / "children").read_text(encoding="ascii").split():
                pin(int(child), cores)


@contextmanager
def stores_pinned(cores: Collection[int]) -> Iterator[int]:
    """Keep the stores that run on this machine on these cores for the block; tells how many there are."""
    before = {pid: os.sched_getaffinity(pid) for pids in servers().values() for pid in pids}
    try:
        for pid in before:
            pin(pid, cores)
        yield len(before)
    finally:
        for pid, allowed in before.items():
            pin(pid, allowed)
