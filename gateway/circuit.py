"""A circuit breaker: once a server is known to be away, calls fail at once, and only one in a while tries again."""

import os
import threading
import time
from collections.abc import Callable

import structlog

log = structlog.get_logger(__name__)

# One request without an answer may be its own fault (a huge partition, a slow query); three in a row, with no answer to
# any other request of the process in between, are the server's.
SILENCES_TO_OPEN = 3


class Circuit:
    """Closed: calls pass. Open: they fail, save one per pause, whose success closes it. A forked process has its own.

    `pause`: returns the seconds between two tries. `away`: makes the error that refused callers get.
    """

    def __init__(self, name: str, *, pause: Callable[[], float], away: Callable[[str], Exception]) -> None:
        self._name = name
        self._gone_event, self._back_event = f"{name}.away", f"{name}.back"
        self._pause = pause
        self._away = away
        self.reset()
        os.register_at_fork(after_in_child=self.reset)

    def reset(self) -> None:
        """Close it, as in a new process."""
        self._lock = threading.Lock()
        self._silences = 0
        self._open_since: float | None = None
        self._next_try = 0.0

    def check(self) -> None:
        """Raise if the circuit is open and it is not this caller's turn to try."""
        with self._lock:
            if self._open_since is None:
                return
            now = time.monotonic()
            if now < self._next_try:
                raise self._away(f"{self._name} is away; next try in {self._next_try - now:.1f} s")
            # This caller tries. Should it die without a word, the next one may after the same pause.
            self._next_try = now + self._pause()

    def note_answer(self) -> None:
        """Note that a server answered, be it with an error: closes the circuit."""
        if not self._silences and self._open_since is None:
            return  # nearly always, and told of every answer: not worth the lock
        with self._lock:
            was_open = self._open_since is not None
            self._silences, self._open_since = 0, None
        if was_open:
            log.info(self._back_event)

    def note_silence(self, reason: str) -> bool:
        """Note that a request got no answer: opens the circuit after several in a row. Returns as `note_loss` does."""
        with self._lock:
            self._silences += 1
            enough = self._silences >= SILENCES_TO_OPEN or self._open_since is not None
        return self.note_loss(reason) if enough else False

    def note_loss(self, reason: str) -> bool:
        """Note that no server can be reached: opens the circuit at once.

        True: this was a later try, not the first failure.
        """
        with self._lock:
            now = time.monotonic()
            was_open = self._open_since is not None
            since = self._open_since = now if self._open_since is None else self._open_since
            self._next_try = now + self._pause()
        if not was_open:
            log.warning(self._gone_event, reason=reason)
        return now - since >= self._pause()
