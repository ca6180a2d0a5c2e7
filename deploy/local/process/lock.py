"""Locks between processes. The kernel drops them when their holder dies, so none is ever stale."""

import fcntl
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

POLL_SECONDS = 0.05
# A lock that is only being looked at is free again sooner than this.
GLANCE_SECONDS = 0.2


@contextmanager
def exclusive(
    path: Path, *, note: str, when_taken: Callable[[str], None], while_waiting: Callable[[], None] = lambda: None
) -> Iterator[None]:
    """Hold the lock for the block.

    When somebody holds it, `when_taken` gets the note they left: it may raise to give up, otherwise we wait.
    """
    descriptor = _open(path)
    try:
        if not _take_within(descriptor, GLANCE_SECONDS):
            when_taken(path.read_text(encoding="utf-8"))
            while not _take_within(descriptor, GLANCE_SECONDS):
                while_waiting()
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, note.encode(), 0)
        yield
    finally:
        os.close(descriptor)


@contextmanager
def shared(path: Path) -> Iterator[None]:
    """Be counted among the users of something for the block."""
    descriptor = _open(path)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH)
        yield
    finally:
        os.close(descriptor)


def holder(path: Path) -> str | None:
    """The note left by whoever holds the lock; None when it is free."""
    descriptor = _open(path)
    try:
        return None if _take_within(descriptor, GLANCE_SECONDS) else path.read_text(encoding="utf-8")
    finally:
        os.close(descriptor)


def _take_within(descriptor: int, seconds: float) -> bool:
    """Take the lock; False when somebody else kept it all the time."""
    deadline = time.monotonic() + seconds
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > deadline:
                return False
            time.sleep(POLL_SECONDS)
        else:
            return True


def _open(path: Path) -> int:
    path.parent.mkdir(parents=True, exist_ok=True)
    return os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
