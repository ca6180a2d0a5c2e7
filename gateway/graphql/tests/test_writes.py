"""The pool in which writes run."""

import asyncio
import threading
import time
from contextvars import ContextVar

import pytest
from django.test import override_settings

from gateway.graphql import writes

wanted: ContextVar[str] = ContextVar("wanted", default="nothing")


@pytest.fixture(autouse=True)
def small_pool() -> None:
    writes._pool.cache_clear()


def test_write_runs_beside_the_loop_and_sees_the_context_of_its_caller() -> None:
    async def call() -> tuple[str, bool]:
        wanted.set("a phone")
        loop_thread = threading.get_ident()
        return await writes.run_write(lambda: (wanted.get(), threading.get_ident() != loop_thread))

    assert asyncio.run(call()) == ("a phone", True)


def test_error_of_a_write_reaches_its_caller() -> None:
    def fail(*, reason: str) -> None:
        raise ValueError(reason)

    with pytest.raises(ValueError, match="sold out"):
        asyncio.run(writes.run_write(fail, reason="sold out"))


def test_no_more_writes_run_at_once_than_there_are_threads() -> None:
    running, most, lock = 0, 0, threading.Lock()

    def write() -> None:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        time.sleep(0.02)
        with lock:
            running -= 1

    async def many() -> None:
        await asyncio.gather(*(writes.run_write(write) for _ in range(20)))

    with override_settings(GRAPHQL_WRITE_THREADS=3):
        asyncio.run(many())

    assert most == 3


def test_cancelled_write_that_still_waited_never_starts_and_a_started_one_ends() -> None:
    done: list[str] = []

    def write(name: str) -> None:
        time.sleep(0.2)
        done.append(name)

    async def cancel_both() -> None:
        started = asyncio.ensure_future(writes.run_write(write, "started"))
        waiting = asyncio.ensure_future(writes.run_write(write, "waiting"))
        await asyncio.sleep(0.05)
        started.cancel()
        waiting.cancel()
        await asyncio.gather(started, waiting, return_exceptions=True)
        await asyncio.sleep(0.5)

    with override_settings(GRAPHQL_WRITE_THREADS=1):
        asyncio.run(cancel_both())

    assert done == ["started"]
