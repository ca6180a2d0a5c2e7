"""Running writes, which are synchronous functions, in a bounded pool of threads beside the event loop."""

import asyncio
import contextvars
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from typing import ParamSpec, TypeVar

from django.conf import settings

from gateway.mongo.outage import ask

P = ParamSpec("P")
T = TypeVar("T")


async def run_write(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run the function once, in a thread that sees the caller's context: request id, deadline, read policies.

    Nothing repeats it. When the caller is cancelled, a write that still waits for a thread never starts; one that has
    started runs to its end, as the answer to the caller must say. Raises MongoUnavailable; while MongoDB is known to be
    away, at once and with nothing done.
    """
    return await run_beside(ask, partial(function, *args, **kwargs))


async def run_beside(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Like `run_write`, for a function that needs no MongoDB."""
    context = contextvars.copy_context()
    call = partial(context.run, function, *args, **kwargs)
    return await asyncio.get_running_loop().run_in_executor(_pool(), call)


@cache
def _pool() -> ThreadPoolExecutor:
    """The process's pool, made on first use: one made before a fork would have no threads in the child."""
    return ThreadPoolExecutor(max_workers=settings.GRAPHQL_WRITE_THREADS, thread_name_prefix="graphql-write")
