"""Requests at a fixed rate: when each is sent is settled in advance, and its time counts from then."""

import asyncio
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

import uvloop

from bench.connection import NONE, Answer, Connection


@dataclass
class Seen:
    """What visitors saw, by the kind of what they asked."""

    seconds: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    failed: list[str] = field(default_factory=list)
    """Kinds of requests that were answered with an error, or not at all."""
    behind_seconds: float = 0.0
    """How long after the last request was due the last answer came."""

    def quantile_ms(self, kind: str, share: float) -> float:
        ranked = sorted(self.seconds[kind])
        return 1000 * ranked[min(len(ranked) - 1, int(share * len(ranked)))] if ranked else float("nan")


def send(port: int, kinds: Sequence[str], requests: Sequence[bytes], rate: float) -> Seen:
    """Send these requests at the rate, whether or not earlier ones were answered. Runs in a process of its own."""
    return uvloop.run(_send(port, kinds, requests, rate))


async def _send(port: int, kinds: Sequence[str], requests: Sequence[bytes], rate: float) -> Seen:
    seen, pending = Seen(), set[asyncio.Task[None]]()
    idle: list[Connection] = []
    started = time.perf_counter()

    async def ask(kind: str, request: bytes, due: float) -> None:
        answer = await _asked(port, request, idle)
        seen.seconds[kind].append(time.perf_counter() - due)
        if not answer.is_good or b'"order":null' in answer.body:
            seen.failed.append(kind)

    for number, (kind, request) in enumerate(zip(kinds, requests, strict=True)):
        due = started + number / rate
        await asyncio.sleep(max(0.0, due - time.perf_counter()))
        pending.add(asyncio.create_task(ask(kind, request, due)))
    await asyncio.gather(*pending)
    seen.behind_seconds = time.perf_counter() - (started + len(requests) / rate)
    for connection in idle:
        connection.close()
    return seen


async def _asked(port: int, request: bytes, idle: list[Connection]) -> Answer:
    """On a connection that is free, else on a new one."""
    while idle:
        connection = idle.pop()
        if connection.is_open:
            break
    else:
        try:
            connection = await Connection.open(port)
        except OSError:
            return NONE
    answer = await connection.ask(request)
    idle.append(connection)
    return answer
