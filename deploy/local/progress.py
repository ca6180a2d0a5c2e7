"""One line per finished step, with its time; on a terminal also a live line of what is still under way."""

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import TracebackType
from typing import Self, TextIO

NAME_WIDTH = 11
TICK_SECONDS = 0.2


class Step:
    """A step under way: `text` may be refined until it is printed."""

    def __init__(self, name: str, text: str) -> None:
        self.name = name
        self.text = text
        self.began = time.monotonic()

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.began


class Progress:
    """Prints from several threads without mixing lines. Use as a context manager to get the live line."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stdout
        self._live = self._stream.isatty()
        self._lock = threading.Lock()
        self._active: list[Step] = []
        self._pending = ""  # what stands on the live line
        self._finished = threading.Event()
        self._ticker: threading.Thread | None = None

    def __enter__(self) -> Self:
        if self._live:
            self._ticker = threading.Thread(target=self._tick, daemon=True)
            self._ticker.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._finished.set()
        if self._ticker:
            self._ticker.join()
            self._write("")

    def say(self, name: str, text: str) -> None:
        with self._lock:
            self._write(f"{name:<{NAME_WIDTH}}{text}\n")

    @contextmanager
    def step(self, name: str, text: str) -> Iterator[Step]:
        """Time the block; its line appears when it ends well. A failure is reported by whoever catches it."""
        step = Step(name, text)
        with self._lock:
            self._active.append(step)
        try:
            yield step
            self.say(name, f"{step.text} … {step.seconds:.1f} s")
        finally:
            with self._lock:
                self._active.remove(step)

    def _tick(self) -> None:
        while not self._finished.wait(TICK_SECONDS):
            with self._lock:
                waiting = ", ".join(f"{step.name} {step.seconds:.0f} s" for step in self._active)
                if waiting != self._pending:
                    self._write("", live=waiting)

    def _write(self, text: str, *, live: str = "") -> None:
        erase = "\r\x1b[K" if self._pending else ""
        self._pending = live
        # A terminal that was closed must not keep us from stopping what we started.
        with suppress(OSError):
            self._stream.write(erase + text + (f"… {live}" if live else ""))
            self._stream.flush()
