"""The process's Redis client: short time-outs, because everything kept there is a convenience."""

from functools import cache

from django.conf import settings
from redis import Redis


@cache
def redis_client() -> Redis:
    """One pool per process; redis-py opens its connections anew after a fork."""
    return Redis.from_url(
        settings.REDIS_URL,
        socket_timeout=settings.REDIS_TIMEOUT,
        socket_connect_timeout=settings.REDIS_TIMEOUT,
        decode_responses=True,
    )
