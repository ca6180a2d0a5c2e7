"""Waiting for a state that comes by itself."""

import time
from collections.abc import Callable

from gateway.cassandra.errors import CassandraUnavailable
from gateway.cassandra.reads import ping


def becomes_true(condition: Callable[[], bool], *, within: float = 20) -> bool:
    deadline = time.monotonic() + within
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.05)
    return False


def answers() -> bool:
    try:
        ping()
    except CassandraUnavailable:
        return False
    return True
