"""Whoever a session belongs to, remembered by this process for a second: a page sends several queries at once.

For reads alone: a write looks the session and its account up each time. So whoever is signed out, from wherever,
changes nothing from that moment on, and sees nothing of their own after a second.
"""

import time
from collections import OrderedDict
from typing import Generic, NamedTuple, TypeVar

from django.conf import settings

T = TypeVar("T")

# Of people who read within one second, at some kilobytes each: more than a process serves.
MOST = 1_000


class _Known(NamedTuple, Generic[T]):
    whom: T
    asked_at: float


class Remembered(Generic[T]):
    """What was found for each session a moment ago."""

    def __init__(self) -> None:
        self._known: OrderedDict[str, _Known[T]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._known)

    def find(self, session_id: str) -> T | None:
        known = self._known.get(session_id)
        if known is None or time.monotonic() - known.asked_at >= settings.SESSION_REMEMBERED_SECONDS:
            return None
        return known.whom

    def keep(self, session_id: str, whom: T, *, asked_at: float) -> None:
        """Remember it for a second after it was asked for, by the clock of `time.monotonic`."""
        self._known[session_id] = _Known(whom, asked_at)
        self._known.move_to_end(session_id)
        while len(self._known) > MOST:
            self._known.popitem(last=False)

    def forget(self, session_id: str) -> None:
        self._known.pop(session_id, None)
