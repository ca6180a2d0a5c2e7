"""Sending work to Celery from a write: for freshness, never as a promise.

Whatever must happen has a sweep behind it; the task only makes it happen sooner. So the broker may be away, and the
buyer's write is done all the same.
"""

import structlog
from celery import Task
from kombu.exceptions import OperationalError
from redis.exceptions import RedisError

from gateway.redis import redis_client

log = structlog.get_logger(__name__)

# Longer than a worker needs to begin with the task; after that a new one is sent in any case.
COALESCED_SECONDS = 30


def send_soon(task: Task, subject: str, *, delay: float = 0) -> None:
    """Run `task(subject)` in a worker, after `delay` seconds; while it waits for its turn, no second one is sent.

    The task calls `begun` first, so that a change made while it runs sends the next.
    """
    try:
        if redis_client().set(_key(task, subject), "1", nx=True, ex=COALESCED_SECONDS + round(delay)):
            task.apply_async((subject,), countdown=delay, retry=False)
    except (RedisError, OperationalError) as error:
        log.warning("task_not_sent", task=task.name, error=type(error).__name__)


def begun(task: Task, subject: str) -> None:
    """From here on a change is no longer covered by this run of the task."""
    try:
        redis_client().delete(_key(task, subject))
    except RedisError as error:
        log.warning("task_not_marked_begun", task=task.name, error=type(error).__name__)


def _key(task: Task, subject: str) -> str:
    return f"soon:{task.name}:{subject}"
