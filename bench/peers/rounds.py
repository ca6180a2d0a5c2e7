"""Asking one server as fast as it answers, for a while, and what each request cost it."""

import asyncio
import itertools
import os
import statistics
import time
from collections.abc import Collection, Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing import get_context
from typing import NamedTuple

import uvloop

from bench.connection import Connection
from bench.purchase.processes import cpu_seconds
from bench.web import Server

# Of each five requests that a cache of responses sees, four have been asked before.
REPEATED, OF = 4, 5


class Requests(NamedTuple):
    fresh: list[bytes]
    repeated: list[bytes] = []  # noqa: RUF012 - never changed
    """Where there are any, four of five requests are taken from here."""

    def endless(self) -> Iterator[bytes]:
        fresh, repeated = itertools.cycle(self.fresh), itertools.cycle(self.repeated)
        for number in itertools.count():
            yield next(repeated if self.repeated and number % OF < REPEATED else fresh)


@dataclass
class Seen:
    """What those who asked saw."""

    seconds: list[float] = field(default_factory=list)
    failed: int = 0
    remembered: int = 0

    def quantile_ms(self, share: float) -> float:
        ranked = sorted(self.seconds)
        return 1000 * ranked[min(len(ranked) - 1, int(share * len(ranked)))]


class Measured(NamedTuple):
    cpu_us: float
    """Of the server and all its processes, for each request."""
    per_second: float
    p50_ms: float
    p95_ms: float
    failed: int
    remembered: float
    """The share that came from the server's cache of responses, as far as it tells."""


class Round(NamedTuple):
    connections: int
    seconds: float
    least: int
    """So many requests in any case, however long they take."""


@contextmanager
def client_process(cores: Collection[int]) -> Iterator[Executor]:
    """A process of its own on these cores for those who ask: what they cost is not the server's."""
    with ProcessPoolExecutor(1, get_context("spawn"), os.sched_setaffinity, (0, cores)) as client:
        yield client


def measure(server: Server, requests: Requests, of: Round, client: Executor) -> Measured:
    before, started = cpu_seconds([server.pid]), time.perf_counter()
    seen: Seen = client.submit(ask, server.port, requests, of).result()
    used, elapsed = cpu_seconds([server.pid]) - before, time.perf_counter() - started
    number = max(1, len(seen.seconds))
    return Measured(
        1e6 * used / number,
        number / elapsed,
        seen.quantile_ms(0.5),
        seen.quantile_ms(0.95),
        seen.failed,
        seen.remembered / number,
    )


def median(measured: Sequence[Measured]) -> Measured:
    """Of each figure by itself, the failed ones summed."""
    middle = Measured(*(statistics.median(values) for values in zip(*measured, strict=True)))
    return middle._replace(failed=sum(each.failed for each in measured))


def ask(port: int, requests: Requests, of: Round) -> Seen:
    """Ask on so many connections, on each as soon as it is answered."""
    return uvloop.run(_ask(port, requests, of))


async def _ask(port: int, requests: Requests, of: Round) -> Seen:
    seen, waiting = Seen(), requests.endless()
    ends = time.perf_counter() + of.seconds

    async def go_on() -> None:
        connection = await Connection.open(port)
        while (started := time.perf_counter()) < ends or len(seen.seconds) < of.least:
            if not connection.is_open:
                connection = await Connection.open(port)
            answer = await connection.ask(next(waiting))
            seen.seconds.append(time.perf_counter() - started)
            seen.failed += not answer.is_good
            seen.remembered += answer.is_remembered
        connection.close()

    await asyncio.gather(*(go_on() for _ in range(of.connections)))
    return seen
