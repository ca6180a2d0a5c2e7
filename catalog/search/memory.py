"""What every search needs, as this process last read it: whole, and looked for anew behind the searchers' backs."""

import asyncio
import threading
import time
from collections.abc import Callable
from typing import Generic, TypeVar

import structlog
from pymongo.errors import PyMongoError

from gateway.mongo.outage import MongoUnavailable
from gateway.mongo.reads import Steps, run_steps, run_steps_async

log = structlog.get_logger(__name__)

T = TypeVar("T")

# What has changed is known after this to every process that is asked.
LOOK_SECONDS = 30.0
# A process that nobody asked for so long is not asked for old news either: the first who comes waits for one read.
WAIT_SECONDS = 120.0


class Remembered(Generic[T]):
    """Something as this process last read it. While it is asked for, nobody waits for a newer one."""

    def __init__(self, name: str, look: Callable[[T], Steps[Callable[[], T]]], nothing: T) -> None:
        """`look` is given what is held and returns how to make what is held from now on.

        That is called in a thread: it may take some ten milliseconds. `nothing` is held by a process that has not been
        able to read any.
        """
        self._name, self._look, self._nothing = name, look, nothing
        self._lock = threading.Lock()
        self.forget()

    def forget(self) -> None:
        """Read it anew next time."""
        self._held = self._nothing
        self._read_at = self._looked_at = float("-inf")
        self._looking: asyncio.Task[T] | None = None

    def get(self) -> T:
        """For the admin, Celery and commands: may read."""
        if _age(self._looked_at) < LOOK_SECONDS:
            return self._held
        with self._lock:
            if _age(self._looked_at) >= LOOK_SECONDS:
                self._looked_at = time.monotonic()
                try:
                    self._hold(run_steps(self._look(self._held))())
                except PyMongoError as error:
                    self._log(error)
            return self._held

    async def get_async(self) -> T:
        """For GraphQL: waits only in a process that has none yet, or has not been asked for long."""
        looking = self._looking
        if looking is None or looking.done() or looking.get_loop() is not asyncio.get_running_loop():
            if _age(self._looked_at) < LOOK_SECONDS:
                return self._held
            looking = self._looking = asyncio.create_task(self._look_async())
        # A field that is cancelled must not take it away from the others.
        return self._held if _age(self._read_at) < WAIT_SECONDS else await asyncio.shield(looking)

    async def _look_async(self) -> T:
        self._looked_at = time.monotonic()
        try:
            self._hold(await asyncio.to_thread(await run_steps_async(self._look(self._held))))
        except (MongoUnavailable, PyMongoError) as error:
            self._log(error)
        return self._held

    def _hold(self, found: T) -> None:
        self._held, self._read_at = found, time.monotonic()

    def _log(self, error: Exception) -> None:
        log.warning("search_memory_not_read", memory=self._name, error=type(error).__name__)


def _age(moment: float) -> float:
    return time.monotonic() - moment
