"""When the driver may send a request a second time."""

from typing import Any

from cassandra.policies import RetryPolicy

Decision = tuple[int, int | None]
"""What the driver shall do, and at which consistency (None: as before)."""


class CarefulRetryPolicy(RetryPolicy):  # type: ignore[misc]
    """At most one repetition, and never of a write that is not idempotent; the driver's default repeats those as well.

    A read that timed out is repeated by the inherited rule: once, if enough replicas answered but the data was missing.
    """

    def on_write_timeout(self, *_: Any, **__: Any) -> Decision:
        """Do not repeat: the caller can do better later than wait as long once more."""
        return self.RETHROW, None

    def on_unavailable(self, query: Any, *_: Any, retry_num: int, **__: Any) -> Decision:
        """Try another coordinator once: it may see more replicas alive."""
        # The driver notes the answer only after it has begun the repetition, which may have failed by then.
        query.was_answered = True
        return self._next_host_once(query, retry_num)

    def on_request_error(self, query: Any, *_: Any, retry_num: int, **__: Any) -> Decision:
        """Try another coordinator once: the connection broke, or the node is overloaded or starting."""
        return self._next_host_once(query, retry_num)

    def _next_host_once(self, query: Any, retry_num: int) -> Decision:
        return (self.RETRY_NEXT_HOST, None) if query.is_idempotent and retry_num == 0 else (self.RETHROW, None)
