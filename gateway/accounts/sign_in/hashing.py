"""Password hashing, which is expensive on purpose: a few at once in a process, a few waiting, the rest refused.

However many people sign in, hashing takes the memory and the cores of `PASSWORD_THREADS` and none of the threads that
serve the shop.
"""

import asyncio
import contextvars
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache, partial
from typing import ParamSpec, TypeVar

from django.conf import settings
from django.contrib.auth.hashers import Argon2PasswordHasher

from gateway.accounts.errors import TooManySignIns
from gateway.mongo.outage import ask

P = ParamSpec("P")
T = TypeVar("T")


class HashingPool:
    """Runs `threads` calls at once and lets `waiting` more wait."""

    def __init__(self, *, threads: int, waiting: int) -> None:
        self._inside = threading.local()
        self._places = threading.BoundedSemaphore(threads + waiting)
        self._executor = ThreadPoolExecutor(threads, "password", initializer=self._enter)

    def submit(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Queue the call, which sees the caller's context. Raises TooManySignIns at once when the queue is full."""
        if not self._places.acquire(blocking=False):
            raise TooManySignIns
        call = partial(contextvars.copy_context().run, function, *args, **kwargs)
        try:
            future: Future[T] = self._executor.submit(call)
        except RuntimeError:
            self._places.release()
            raise
        # Also when whoever waits gives up: one that has not begun never does.
        future.add_done_callback(lambda _: self._places.release())
        return future

    def run(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Queue the call and wait for its result; a call from inside the pool is made directly."""
        if getattr(self._inside, "yes", False):
            return function(*args, **kwargs)
        return self.submit(function, *args, **kwargs).result()

    def _enter(self) -> None:
        self._inside.yes = True


@cache
def hashing_pool() -> HashingPool:
    """The process's pool, made on first use: one made before a fork would have no threads in the child."""
    return HashingPool(threads=settings.PASSWORD_THREADS, waiting=settings.PASSWORD_QUEUE)


async def run_hashing(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run something that hashes a password, as `run_write` runs a write, without taking a thread from the writes.

    Raises TooManySignIns, and MongoUnavailable.
    """
    return await asyncio.wrap_future(hashing_pool().submit(ask, partial(function, *args, **kwargs)))


class ServerArgon2(Argon2PasswordHasher):
    """Argon2id for a server that many sign in to; it runs in the pool, whoever calls it.

    It has OWASP's parameters for servers; Django's own take five times the memory, and eight threads for each password.
    Hashes made with other parameters are checked with those and replaced when their owner signs in.
    """

    time_cost = 2
    memory_cost = 19 * 1024  # KiB
    parallelism = 1

    def encode(self, password: str, salt: str) -> str:
        encoded: str = hashing_pool().run(super().encode, password, salt)
        return encoded

    def verify(self, password: str, encoded: str) -> bool:
        right: bool = hashing_pool().run(super().verify, password, encoded)
        return right
