"""Tallies of what may not happen too often, in Redis; while Redis is away, in the process itself.

Something is counted before it is tried and taken back when it was harmless: however many come at once, no more than the
limit are tried. Once a tally is full, each further count makes the next one wait longer. What has to wait is not
counted.
"""

import math
import threading
import time
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from gateway.redis.clients import ask_cache_blocking

# Some 300 bytes each. Whoever makes new ones is itself limited by address, so that only the idle are forgotten.
REMEMBERED = 10_000

# A tally ends with its window, which begins with the first and is not prolonged: whoever waits is let in.
_COUNT = """
local time = redis.call('TIME')
local now, pause = time[1] + time[2] / 1000000, 0
for i = 1, #KEYS do
  pause = math.max(pause, tonumber(redis.call('HGET', KEYS[i], 'free_at') or 0) - now)
end
if pause > 0 then return tostring(pause) end
for i = 1, #KEYS do
  local limit, window, first, longest = unpack(ARGV, i * 4 - 3, i * 4)
  local number = redis.call('HINCRBY', KEYS[i], 'number', 1)
  if number == 1 then redis.call('EXPIRE', KEYS[i], window) end
  local over = number - limit
  if over >= 0 then
    local rest = math.min(first * 2 ^ over, longest, redis.call('TTL', KEYS[i]))
    redis.call('HSET', KEYS[i], 'free_at', string.format('%.6f', now + rest))
  end
end
return '0'
"""
_TAKE_BACK = """
for i = 1, #KEYS do
  if tonumber(redis.call('HGET', KEYS[i], 'number') or 0) > 0 then
    if redis.call('HINCRBY', KEYS[i], 'number', -1) < tonumber(ARGV[i]) then
      redis.call('HDEL', KEYS[i], 'free_at')
    end
  end
end
return '0'
"""


class Tally(NamedTuple):
    """One count, and how long it makes people wait once it is full."""

    key: str
    limit: int
    window: int
    """Seconds after which the count begins anew."""
    first_wait: int
    """Seconds to wait once the tally is full; each further count doubles them."""
    longest_wait: int


@dataclass(slots=True)
class _Local:
    number: int
    ends_at: float
    free_at: float = 0.0


class LocalTallies:
    """The tallies of this process alone, for when Redis is away; those not used for longest are forgotten."""

    def __init__(self, remembered: int = REMEMBERED) -> None:
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, _Local] = OrderedDict()
        self._remembered = remembered

    def __len__(self) -> int:
        return len(self._kept)

    def count(self, tallies: Sequence[Tally]) -> float:
        now = time.monotonic()
        with self._lock:
            found = [self._current(tally, now) for tally in tallies]
            pause = max(kept.free_at - now for kept in found)
            if pause > 0:
                return pause
            for tally, kept in zip(tallies, found, strict=True):
                kept.number += 1
                if (over := kept.number - tally.limit) >= 0:
                    rest = min(tally.first_wait * 2**over, tally.longest_wait, kept.ends_at - now)
                    kept.free_at = now + rest
            return 0.0

    def take_back(self, tallies: Sequence[Tally]) -> None:
        with self._lock:
            for tally in tallies:
                kept = self._kept.get(tally.key)
                if kept and kept.number > 0:
                    kept.number -= 1
                    if kept.number < tally.limit:
                        kept.free_at = 0.0

    def _current(self, tally: Tally, now: float) -> _Local:
        kept = self._kept.get(tally.key)
        if kept is None or kept.ends_at <= now:
            kept = self._kept[tally.key] = _Local(0, now + tally.window)
        self._kept.move_to_end(tally.key)
        while len(self._kept) > self._remembered:
            self._kept.popitem(last=False)
        return kept


_local = LocalTallies()


class Counted(NamedTuple):
    """What was counted, so that it can be taken back."""

    tallies: tuple[Tally, ...]
    locally: bool
    """Whether it was counted in this process, because Redis was away."""

    def take_back(self) -> None:
        """Uncount it: it was harmless after all."""
        if self.locally:
            _local.take_back(self.tallies)
            return
        keys, limits = [tally.key for tally in self.tallies], [tally.limit for tally in self.tallies]
        ask_cache_blocking(lambda redis: redis.register_script(_TAKE_BACK)(keys=keys, args=limits))


class Full(Exception):
    """A tally is full; `seconds`: how long to wait."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"{seconds:.0f} s to wait")
        self.seconds = max(1, math.ceil(seconds))


def count(*tallies: Tally) -> Counted:
    """Count one more in each tally, or raise Full and count in none."""
    keys = [tally.key for tally in tallies]
    arguments = [number for tally in tallies for number in tally[1:]]
    answer = ask_cache_blocking(lambda redis: redis.register_script(_COUNT)(keys=keys, args=arguments))
    pause = _local.count(tallies) if answer is None else float(answer)
    if pause > 0:
        raise Full(pause)
    return Counted(tallies, locally=answer is None)
