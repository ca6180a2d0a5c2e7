"""Answers kept in this process's memory, within a bound of bytes, and made once however many ask at the same time.

They are not in Redis: a round trip to it costs a process about half as much as a whole request whose answer is in
memory, and every request whose answer is not kept would pay that too.
"""

import asyncio
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from enum import StrEnum
from typing import Generic, NamedTuple, TypeVar

from gateway.graphql.documents.memory import Memory

A = TypeVar("A")

# For how long the requests of a key whose answer proved nobody else's business do not wait for each other.
APART_SECONDS = 10.0
# What is remembered of such keys, besides the answers themselves.
APART_SHARE = 1 / 16


class Lookup(StrEnum):
    """What became of a request that looked for a kept answer."""

    HIT = "hit"
    WAITED = "waited"
    """Answered by what another request of the same moment made."""
    MISS = "miss"
    """Made, and kept for others."""
    APART = "apart"
    """Made for this request alone: personal, degraded or with errors."""


class KeptAnswer(NamedTuple):
    """The data of an answer, as it is sent."""

    data: bytes
    cost: int
    """What it came to in the end."""
    seconds: int
    """How long it may be kept."""
    made_at: float

    def age(self) -> int:
        return int(time.monotonic() - self.made_at)

    def is_living(self) -> bool:
        return time.monotonic() - self.made_at < self.seconds


class Made(NamedTuple, Generic[A]):
    """A request's own answer, and what of it others may have."""

    answer: A
    kept: KeptAnswer | None


class Answers:
    """The kept answers of this process."""

    def __init__(self, most_bytes: Callable[[], int]) -> None:
        self._kept: Memory[KeptAnswer] = Memory(most_bytes)
        self._apart: Memory[float] = Memory(lambda: int(most_bytes() * APART_SHARE))
        self._flights: dict[bytes, asyncio.Future[Made[object] | None]] = {}
        self.counts: Counter[Lookup] = Counter()

    @property
    def size(self) -> int:
        """Bytes that everything kept takes."""
        return self._kept.bytes + self._apart.bytes

    def find(self, key: bytes) -> KeptAnswer | None:
        """The kept answer of this key, as long as it lives. It is the caller who counts it."""
        kept = self._kept.get(key)
        return kept if kept is not None and kept.is_living() else None

    async def find_or_make(self, key: bytes, make: Callable[[], Awaitable[Made[A]]]) -> KeptAnswer | A:
        """The kept answer of this key, or else the request's own, made now.

        Of requests at the same time one makes it and the others wait, each no longer than itself may. When that one
        fails or gives up, the next makes it; when its answer is nobody else's business, all make their own.
        """
        waited = False
        while True:
            if (kept := self.find(key)) is not None:
                self.counts[Lookup.WAITED if waited else Lookup.HIT] += 1
                return kept
            if self._is_apart(key):
                break
            flight = self._flights.get(key)
            if flight is None:
                return await self._fly(key, make)
            waited = True
            # A request that gives up must not take the flight away from the others.
            landed = await asyncio.shield(flight)
            if landed is None:
                continue
            if landed.kept is None:
                break
            self.counts[Lookup.WAITED] += 1
            return landed.kept
        self.counts[Lookup.APART] += 1
        return (await make()).answer

    async def _fly(self, key: bytes, make: Callable[[], Awaitable[Made[A]]]) -> A:
        flight: asyncio.Future[Made[object] | None] = asyncio.get_running_loop().create_future()
        self._flights[key] = flight
        landed: Made[A] | None = None
        try:
            landed = await make()
        finally:
            # Whatever happened, before the others go on.
            if landed is not None:
                self._keep(key, landed.kept)
            del self._flights[key]
            flight.set_result(landed)  # type: ignore[arg-type]
        self.counts[Lookup.MISS if landed.kept else Lookup.APART] += 1
        return landed.answer

    def _keep(self, key: bytes, kept: KeptAnswer | None) -> None:
        if kept is not None:
            self._kept.keep(key, kept, len(kept.data))
        else:
            self._apart.keep(key, time.monotonic() + APART_SECONDS, 0)

    def _is_apart(self, key: bytes) -> bool:
        until = self._apart.get(key)
        return until is not None and time.monotonic() < until
