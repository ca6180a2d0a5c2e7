"""The deadline of the work in hand: one moment, set where a request enters and seen by all that it calls.

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
    """Set a deadline this many seconds from now for what runs inside; an earlier one around it stays in force."""
    moment = time.monotonic() + seconds
    outer = _deadline.get()
    token = _deadline.set(moment if outer is None else min(moment, outer))
    try:
        yield
    finally:
        _deadline.reset(token)


def remaining_ms() -> int | None:
    """Milliseconds left until the deadline, at least 1, as 0 means «no limit» to servers; None without a deadline."""
    moment = _deadline.get()
    return None if moment is None else max(1, math.floor((moment - time.monotonic()) * 1000))


@contextmanager
def reads_within(seconds: float) -> Iterator[None]:
    """Limit each read of synchronous code inside to so many seconds of the servers' work, the ORM's reads too."""
    token = _longest_read.set(seconds)
    try:
        yield
    finally:
        _longest_read.reset(token)


def read_limit_ms(own: int | None) -> int | None:
    """The milliseconds that one read may take: the least of its own limit, `reads_within` and the deadline.

    Outside of `reads_within`, its own limit.
    """
    longest = _longest_read.get()
    if longest is None:
        return own
    limits = (own, max(1, math.ceil(longest * 1000)), remaining_ms())
    return min(limit for limit in limits if limit is not None)
