"""What every part of one start shares: the environment, the progress shown, and whether it was called off."""

import os
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from typing import TypeVar

from deploy.local.errors import StackError, StartCancelledError
from deploy.local.progress import Progress

POLL_SECONDS = 0.05

Key = TypeVar("Key")
Result = TypeVar("Result")


@dataclass(frozen=True)
class Launch:
    progress: Progress
    environ: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    cancelled: threading.Event = field(default_factory=threading.Event)

    def check(self) -> None:
        if self.cancelled.is_set():
            raise StartCancelledError("called off")

    def wait_for(self, condition: Callable[[], bool], *, seconds: float) -> bool:
        """Whether the condition became true in time. Raises when the start is called off."""
        deadline = time.monotonic() + seconds
        while not condition():
            self.check()
            if time.monotonic() > deadline:
                return False
            self.cancelled.wait(POLL_SECONDS)
        return True

    def together(self, tasks: Mapping[Key, Callable[[], Result]]) -> dict[Key, Result]:
        """Run the tasks at the same time; Ctrl-C calls them off, and all have ended when this returns or raises."""
        with ThreadPoolExecutor(max_workers=max(1, len(tasks))) as pool:
            futures = {key: pool.submit(task) for key, task in tasks.items()}
            try:
                wait(futures.values())
            except BaseException:
                self.cancelled.set()
                raise
        failures = [failure for future in futures.values() if (failure := future.exception())]
        unexpected = next((failure for failure in failures if not isinstance(failure, StackError)), None)
        if unexpected:
            raise unexpected
        if failures:
            # Two kinds of server may lack the same thing: said once.
            raise StackError("\n\n".join(dict.fromkeys(map(str, failures)))) from failures[0]
        return {key: future.result() for key, future in futures.items()}
