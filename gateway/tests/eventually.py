"""Waiting for a state that comes by itself."""

import time
from collections.abc import Callable
from typing import Any

import pytest

TRUE = object()


def eventually(
    check: Callable[[], Any], expected: Any = TRUE, *, within: float = 20, why: Callable[[], str] | None = None
) -> Any:
    """Wait until the check gives what is expected, or anything true, and return it.

    When the time is over, the test fails and shows what the check gave last, and what `why` tells then.
    """
    deadline = time.monotonic() + within
    while True:
        seen = check()
        if (seen == expected) if expected is not TRUE else seen:
            return seen
        if time.monotonic() >= deadline:
            wanted = "" if expected is TRUE else f" instead of {expected!r}"
            pytest.fail(f"{seen!r}{wanted} after {within} s" + (f"\n{why()}" if why else ""))
        time.sleep(0.05)
