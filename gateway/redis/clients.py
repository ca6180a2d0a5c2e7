"""The process's Redis clients: short time-outs, because everything kept there is a convenience."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from functools import cache
from typing import TypeVar
from weakref import WeakKeyDictionary

import structlog
from django.conf import settings
from redis import Redis
from redis.asyncio import Redis as AsyncRedis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

log = structlog.get_logger(__name__)

# While Redis is away every question would cost a time-out: one request in this many seconds finds out.
RETRY_SECONDS = 2.0

T = TypeVar("T")


@cache
def redis_client() -> Redis:
    """The Redis for what must not be lost: queues, locks, sessions. One pool per process, opened anew after a fork."""
    return _client(settings.REDIS_URL)


@cache
def broker_client() -> Redis | None:
    """The Redis that holds Celery's queue; None when the broker is not a Redis."""
    url: str = settings.CELERY_BROKER_URL
    return _client(url) if url.startswith(("redis://", "rediss://")) else None


@cache
def cache_client() -> Redis:
    """The Redis for what strangers may write and anybody may lose: counters, persisted queries, caches."""
    return _client(settings.REDIS_CACHE_URL)


def _client(url: str) -> Redis:
    return Redis.from_url(
        url,
        socket_timeout=settings.REDIS_TIMEOUT,
        socket_connect_timeout=settings.REDIS_TIMEOUT,
        decode_responses=True,
    )


class Reachability:
    """Remembers that Redis did not answer, so that not every question costs a time-out."""

    def __init__(self) -> None:
        self._ask_again_at = float("-inf")

    def is_worth_asking(self) -> bool:
        return time.monotonic() >= self._ask_again_at

    def note_failure(self, error: Exception) -> None:
        self._ask_again_at = time.monotonic() + RETRY_SECONDS
        log.warning("redis_away", error=type(error).__name__)


_reachability = Reachability()
# An asynchronous client belongs to the loop it was first used on.
_async_clients: WeakKeyDictionary[asyncio.AbstractEventLoop, AsyncRedis] = WeakKeyDictionary()


async def ask_cache(question: Callable[[AsyncRedis], Awaitable[T]]) -> T | None:
    """The answer of the cache's Redis; None while it is away. Never raises for that nor waits past REDIS_TIMEOUT."""
    if not _reachability.is_worth_asking():
        return None
    try:
        async with asyncio.timeout(settings.REDIS_TIMEOUT):
            return await question(_async_client())
    except (RedisError, OSError, TimeoutError) as error:
        _reachability.note_failure(error)
        return None


def ask_cache_blocking(question: Callable[[Redis], T]) -> T | None:
    """Like `ask_cache`, for code that runs in a thread."""
    if not _reachability.is_worth_asking():
        return None
    try:
        return question(cache_client())
    except (RedisError, OSError) as error:
        _reachability.note_failure(error)
        return None


async def close_async_redis() -> None:
    if found := _async_clients.pop(asyncio.get_running_loop(), None):
        await found.aclose()


def _async_client() -> AsyncRedis:
    loop = asyncio.get_running_loop()
    if loop not in _async_clients:
        _async_clients[loop] = AsyncRedis.from_url(
            settings.REDIS_CACHE_URL,
            socket_timeout=settings.REDIS_TIMEOUT,
            socket_connect_timeout=settings.REDIS_TIMEOUT,
            decode_responses=True,
            # A second try could spend a client's points twice.
            retry=Retry(NoBackoff(), 0),
        )
    return _async_clients[loop]
