"""How long the work in hand may still take: one moment, set where a request enters and seen by all that it calls.

Reads of MongoDB pass it on as maxTimeMS, so that a server stops working for a caller who has gone. `pymongo.timeout`
would do that too, but it also waits that long for a server when there is none.
"""

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_deadline: ContextVar[float | None] = ContextVar("deadline", default=None)
_longest_read: ContextVar[float | None] = ContextVar("longest_read", default=None)


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """End what runs inside after this many seconds, or earlier when a deadline around it says so."""
    moment = time.monotonic() + seconds
    outer = _deadline.get()
    token = _deadline.set(moment if outer is None else min(moment, outer))
    try:
        yield
    finally:
        _deadline.reset(token)


def remaining_ms() -> int | None:
    """Milliseconds left, at least 1, for servers that take 0 for «no limit»; None: no deadline."""
    moment = _deadline.get()
    return None if moment is None else max(1, math.floor((moment - time.monotonic()) * 1000))


@contextmanager
def reads_within(seconds: float) -> Iterator[None]:
    """Let servers work no longer than this for any one read of synchronous code inside, the ORM's reads too."""
    token = _longest_read.set(seconds)
    try:
        yield
    finally:
        _longest_read.reset(token)


def read_limit_ms(own: int | None) -> int | None:
    """What one read may take by its own limit, by `reads_within` and by the deadline; outside of that, its own."""
    longest = _longest_read.get()
    if longest is None:
        return own
    limits = (own, max(1, math.ceil(longest * 1000)), remaining_ms())
    return min(limit for limit in limits if limit is not None)
