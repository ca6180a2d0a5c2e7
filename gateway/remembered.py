"""What a process reads for many pages: read once, believed for some seconds."""

import threading
import time
from collections.abc import Callable
from typing import Generic, NamedTuple, TypeVar

T = TypeVar("T")


class _Answer(NamedTuple, Generic[T]):
    at: float
    value: T


class Remembered(Generic[T]):
    """The last answer of `read`. When it is too old, one caller reads anew while the others go on with the old one."""

    def __init__(self, read: Callable[[], T], *, seconds: float) -> None:
        self._read = read
        self._seconds = seconds
        self._reading = threading.Lock()
        self._answer: _Answer[T] | None = None

    def get(self) -> T:
        known = self._answer
        if known is None:
            with self._reading:
                return self._answer.value if self._answer else self._read_anew()
        if time.monotonic() - known.at < self._seconds or not self._reading.acquire(blocking=False):
            return known.value
        try:
            return self._read_anew()
        finally:
            self._reading.release()

    def forget(self) -> None:
        self._answer = None

    def _read_anew(self) -> T:
        value = self._read()
        self._answer = _Answer(time.monotonic(), value)
        return value
