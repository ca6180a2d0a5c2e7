"""HTTP from many addresses of this machine, cheap enough to share two cores with the server that it loads."""

import asyncio
import json
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

HOST = "127.0.0.1"
VICTIM, ATTACKER = "127.0.0.2", "127.0.0.3"
"""The addresses of the buyers and of the stranger: the throttle counts them apart."""
# Whoever waits longer has left; a real browser would have, too.
PATIENCE_SECONDS = 30.0


@dataclass
class Seen:
    """What one side saw: the seconds of each answer, and how many answers had each status; 0: no answer."""

    seconds: list[float] = field(default_factory=list)
    statuses: Counter[int] = field(default_factory=Counter)

    def p95(self) -> float:
        ranked = sorted(self.seconds)
        return ranked[min(len(ranked) - 1, round(0.95 * len(ranked)))] if ranked else float("nan")


class Answer(NamedTuple):
    status: int
    body: bytes


class Connection:
    """A connection that stays open, like a browser's; opened again when the server closes it."""

    def __init__(self, port: int, address: str) -> None:
        self._port, self._address = port, address
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def post(self, content: object, path: str = "/graphql") -> int:
        """Send the content; returns the status of the answer, 0 when there was none."""
        return (await self.ask(content, path)).status

    async def ask(self, content: object, path: str = "/graphql", headers: str = "") -> Answer:
        """Send the content; returns the answer, of status 0 when there was none. `headers` end with a line break."""
        body = json.dumps(content).encode()
        head = (
            f"POST {path} HTTP/1.1\r\nHost: {HOST}\r\nContent-Type: application/json\r\n{headers}"
            f"Content-Length: {len(body)}\r\n\r\n"
        )
        kept_open = self._streams is not None
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                reader, writer = self._streams or await self._open()
                writer.write(head.encode() + body)
                await writer.drain()
                return await self._answer(reader)
        except (OSError, TimeoutError, asyncio.IncompleteReadError):
            self.close()
            # The server may close what was idle in the very moment in which it is used: browsers ask again, too.
            return await self.ask(content, path, headers) if kept_open else Answer(0, b"")

    def close(self) -> None:
        if self._streams is not None:
            self._streams[1].close()
        self._streams = None

    async def _open(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        self._streams = await asyncio.open_connection(HOST, self._port, local_addr=(self._address, 0))
        return self._streams

    async def _answer(self, reader: asyncio.StreamReader) -> Answer:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
        length = int(head.partition("content-length:")[2].partition("\r\n")[0])
        body = await reader.readexactly(length)
        if "connection: close" in head:
            self.close()
        return Answer(int(head.split(" ", 2)[1]), body)


async def ask_steadily(port: int, contents: Iterator[object], *, rate: float, seconds: float) -> Seen:
    """Ask at a steady rate, whether or not earlier requests were answered; times count from when each was due."""
    seen, pending = Seen(), set[asyncio.Task[None]]()
    idle: list[Connection] = []
    started = time.perf_counter()

    async def ask(due: float) -> None:
        connection = idle.pop() if idle else Connection(port, VICTIM)
        seen.statuses[await connection.post(next(contents))] += 1
        seen.seconds.append(time.perf_counter() - due)
        idle.append(connection)

    for number in range(round(rate * seconds)):
        due = started + number / rate
        await asyncio.sleep(max(0.0, due - time.perf_counter()))
        pending.add(asyncio.create_task(ask(due)))
    await asyncio.gather(*pending)
    for connection in idle:
        connection.close()
    return seen


def attack(port: int, content: Callable[[int], object], at_once: int, rate: float, seconds: float) -> Seen:
    """Attack with `at_once` clients at one address, which together send at most `rate` requests a second.

    Runs in a process of its own, so that the buyer's clock does not stop for it.
    """
    return asyncio.run(_attack(port, content, at_once, rate, seconds))


async def _attack(port: int, content: Callable[[int], object], at_once: int, rate: float, seconds: float) -> Seen:
    seen, numbers = Seen(), iter(range(round(rate * seconds)))
    began = time.monotonic()

    async def go_on() -> None:
        connection = Connection(port, ATTACKER)
        for number in numbers:
            if time.monotonic() - began > seconds:
                break
            await asyncio.sleep(max(0.0, began + number / rate - time.monotonic()))
            started = time.perf_counter()
            seen.statuses[await connection.post(content(number))] += 1
            seen.seconds.append(time.perf_counter() - started)
        connection.close()

    await asyncio.gather(*(go_on() for _ in range(at_once)))
    return seen
