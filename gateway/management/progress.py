"""A progress bar on a terminal, a few plain lines elsewhere."""

import time
from functools import partial
from typing import Any, Self

from django.core.management.base import OutputWrapper

WIDTH = 30
# A log needs to show that the load goes on, not each batch of it.
PLAIN_EVERY_SECONDS = 10.0


class Progress:
    """Shows progress: `with Progress(stream, "loading", total) as progress: progress.advance(n)`.

    There is no bar when the total is not known.
    """

    def __init__(self, stream: Any, title: str, total: int | None = None) -> None:
        self._stream = stream
        # A command's stdout would end each write with a new line, and the bar with it.
        self._write = partial(stream.write, ending="") if isinstance(stream, OutputWrapper) else stream.write
        self._title = title
        self._total = total
        self._done = 0
        self._started = self._said = time.monotonic()
        self._live = bool(stream.isatty())

    def __enter__(self) -> Self:
        if self._live:
            self._draw()
        return self

    def __exit__(self, *_: object) -> None:
        if self._live:
            self._write("\n")

    def say(self, line: str) -> None:
        """Write a line of its own, above the bar."""
        if self._live:
            self._write(f"\r{line}\x1b[K\n")
            self._draw()
        else:
            self._write(f"{line}\n")

    def advance(self, number: int) -> None:
        self._done += number
        if self._live:
            self._draw()
        elif time.monotonic() - self._said >= PLAIN_EVERY_SECONDS:
            self._said = time.monotonic()
            self._write(f"{self._title}: {self._figures()}\n")
            self._stream.flush()

    @property
    def seconds(self) -> float:
        return time.monotonic() - self._started

    def _draw(self) -> None:
        # Back to the line's start, and the rest of the old line is erased.
        self._write(f"\r{self._title} {self._bar()}{self._figures()}\x1b[K")
        self._stream.flush()

    def _bar(self) -> str:
        if self._total is None:
            return ""
        share = self._done / self._total if self._total else 1.0
        return f"{'█' * int(share * WIDTH):░<{WIDTH}} "

    def _figures(self) -> str:
        rate = self._done / self.seconds if self.seconds else 0.0
        if self._total is None:
            return f"{self._done:,}, {rate:,.0f}/s"
        left = f", {_minutes((self._total - self._done) / rate)} left" if rate and self._done < self._total else ""
        return f"{self._done:,} of {self._total:,}, {rate:,.0f}/s{left}"


def _minutes(seconds: float) -> str:
    return f"{int(seconds) // 60}:{int(seconds) % 60:02}"
