"""Being told to stop: Ctrl-C, `kill` and a closed terminal mean the same."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def interrupt_on_stop_signals() -> None:
    """Let each of them raise KeyboardInterrupt in the main thread, also when the shell had SIGINT ignored (`&`)."""
    for number in STOPPING:
        signal.signal(number, _interrupt)


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Ignore them for the block: stopping is bounded in time and should not be left half done."""
    before = {number: signal.signal(number, signal.SIG_IGN) for number in STOPPING}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt
