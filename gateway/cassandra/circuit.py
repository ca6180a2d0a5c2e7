"""The circuit: once Cassandra is known to be away, calls fail at once, and only one in a while tries again."""

import os
import threading
import time

import structlog
from django.conf import settings

from gateway.cassandra.errors import CassandraUnavailable

log = structlog.get_logger(__name__)

# One request without an answer may be its own fault (a huge partition); three in a row, with no answer to any other
# request of the process in between, are the cluster's.
SILENCES_TO_OPEN = 3


class Circuit:
    """Closed: calls pass. Open: they fail, save one per CASSANDRA_CIRCUIT_SECONDS, whose success closes it."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Closed, as in a new process."""
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
                raise CassandraUnavailable(f"Cassandra is away; next try in {self._next_try - now:.1f} s")
            # This caller tries. Should it die without a word, the next one may after the same pause.
            self._next_try = now + settings.CASSANDRA_CIRCUIT_SECONDS

    def answered(self) -> None:
        """Some node answered, be it with an error."""
        with self._lock:
            was_open = self._open_since is not None
            self._silences, self._open_since = 0, None
        if was_open:
            log.info("cassandra.back")

    def silent(self, reason: str) -> bool:
        """A request got no answer. Opens after several in a row; answers as `lost` does."""
        with self._lock:
            self._silences += 1
            enough = self._silences >= SILENCES_TO_OPEN or self._open_since is not None
        return self.lost(reason) if enough else False

    def lost(self, reason: str) -> bool:
        """No node can be reached: opens at once. True: it was a later try that failed, not the first failure."""
        with self._lock:
            now = time.monotonic()
            was_open = self._open_since is not None
            since = self._open_since = now if self._open_since is None else self._open_since
            self._next_try = now + settings.CASSANDRA_CIRCUIT_SECONDS
        if not was_open:
            log.warning("cassandra.away", reason=reason)
        return now - since >= settings.CASSANDRA_CIRCUIT_SECONDS


CIRCUIT = Circuit()
os.register_at_fork(after_in_child=CIRCUIT.reset)
