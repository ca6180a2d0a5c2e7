"""Rate limits: each client has a bucket of points, which refills at a steady rate.

The buckets are in the cache's Redis, where all processes share them. While that is away, full or hangs, each process
counts by itself: clients then get as many times their limit as there are processes, but never more.
"""

import hashlib
import secrets
import threading
import time
from array import array
from typing import NamedTuple

from redis import Redis
from redis.asyncio import Redis as AsyncRedis

from gateway.redis.clients import ask_cache, ask_cache_blocking

# The fill and its time are one key, so that one script call, atomic in Redis, does everything; Redis's own clock is
# used, since the web servers' clocks differ. Points that come back go in first. Returns whether the points were taken,
# what is left, and how many more were lent: at most a tenth of what is left, so that the last points are lent to nobody
# while another process looks for them.
SCRIPT = """
local maximum, rate, wanted = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local returned, most = tonumber(ARGV[4]), tonumber(ARGV[5])
local time = redis.call('TIME')
local now = time[1] + time[2] / 1000000
local state = redis.call('HMGET', KEYS[1], 'left', 'at')
local left = maximum
if state[1] then
  left = math.min(maximum, tonumber(state[1]) + math.max(0, now - tonumber(state[2])) * rate + returned)
end
local taken, lent = 0, 0
if wanted <= left then
  taken = 1
  lent = math.min(most, math.floor((left - wanted) / 10))
  left = left - wanted - lent
end
redis.call('HSET', KEYS[1], 'left', tostring(left), 'at', string.format('%.6f', now))
redis.call('EXPIRE', KEYS[1], math.ceil(maximum / rate) + 1)
return {taken, tostring(left), lent}
"""

# Four independent cells per client out of 16 384 each, a megabyte in all. With 1 600 clients in debt at once, one
# client in 10 000 is taken for one of them; with 5 000, one in 200. It happens only while Redis is away.
ROWS = 4
CELLS = 16_384


class Rate(NamedTuple):
    """The size of a bucket, and how fast it refills."""

    capacity: float
    restore: float
    """Points a second."""


class Withdrawal(NamedTuple):
    """Whether the points were taken from the bucket, and how many are left."""

    allowed: bool
    left: float


class Loan(NamedTuple):
    """A withdrawal, and the points that were taken in advance beside it."""

    withdrawal: Withdrawal
    points: int


class Buckets:
    """The buckets of one limit, one for each client."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._stand_by = Debts()

    async def lend(self, client: str, points: float, rate: Rate, *, returned: float, most: int) -> "Loan":
        """Take the points if the client's bucket has so many, and up to `most` in advance. One round trip.

        `returned`: points taken in advance earlier and not spent.
        """

        async def ask(redis: AsyncRedis) -> tuple[int, str, int]:
            arguments = (*rate, points, returned, most)
            taken, left, lent = await redis.register_script(SCRIPT)(keys=[self.key(client)], args=arguments)
            return taken, left, lent

        answer = await ask_cache(ask)
        return Loan(self._judged(answer, client, points, rate), 0 if answer is None else answer[2])

    def take_blocking(self, client: str, points: float, rate: Rate) -> Withdrawal:
        """Take the points if the client's bucket has so many. One round trip; for code that runs in a thread."""

        def ask(redis: Redis) -> tuple[int, str, int]:
            taken, left, lent = redis.register_script(SCRIPT)(keys=[self.key(client)], args=(*rate, points, 0, 0))
            return taken, left, lent

        return self._judged(ask_cache_blocking(ask), client, points, rate)

    def key(self, client: str) -> str:
        """The Redis key of the client's bucket."""
        return f"{self._name}:{client}"

    def _judged(self, answer: tuple[int, str, int] | None, client: str, points: float, rate: Rate) -> Withdrawal:
        if answer is None:
            return self._stand_by.take(client, points, rate)
        taken, left, _ = answer
        return Withdrawal(allowed=bool(taken), left=float(left))


class Debts:
    """What clients have taken and not yet got back, in fixed memory however many there are: a count-min sketch.

    A client's debt is the least of its cells, which it shares with others. So nobody is ever forgotten, whatever number
    of addresses somebody comes from; at worst a client is taken for a debtor who shares all of its cells.
    """

    def __init__(self) -> None:
        self._owed = array("d", bytes(8 * ROWS * CELLS))
        self._at = array("d", bytes(8 * ROWS * CELLS))
        # Secret, so that nobody can choose addresses that share a victim's cells.
        self._salt = secrets.token_bytes(16)
        self._lock = threading.Lock()

    def take(self, client: str, points: float, rate: Rate) -> Withdrawal:
        cells = self._cells(client)
        with self._lock:
            now = time.monotonic()
            owed = [max(0.0, self._owed[cell] - (now - self._at[cell]) * rate.restore) for cell in cells]
            debt = min(owed)
            if debt + points > rate.capacity:
                return Withdrawal(allowed=False, left=rate.capacity - debt)
            for cell, before in zip(cells, owed, strict=True):
                # No more than this client's own debt asks for: the others of the cell owe nothing for it.
                self._owed[cell], self._at[cell] = max(before, debt + points), now
            return Withdrawal(allowed=True, left=rate.capacity - debt - points)

    def _cells(self, client: str) -> list[int]:
        digest = hashlib.blake2b(client.encode(), key=self._salt, digest_size=4 * ROWS).digest()
        numbers = memoryview(digest).cast("I")
        return [row * CELLS + number % CELLS for row, number in enumerate(numbers)]
