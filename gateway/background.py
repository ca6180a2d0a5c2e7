"""Sending tasks to Celery from a write: to have the work done sooner, never as a promise.

Whatever must happen has a sweep behind it; the task only makes it happen sooner. So the broker may be away, and the
buyer's write is done all the same.
"""

from typing import Any

import structlog
from celery import Task, current_app
from kombu.exceptions import OperationalError
from redis.exceptions import RedisError

from gateway.redis.clients import broker_client, redis_client

log = structlog.get_logger(__name__)

# Longer than a worker needs to begin with the task; after that a new one is sent in any case.
COALESCED_SECONDS = 30
# Tasks that wait in the broker, about 1 kB each. So many wait only while no worker takes any, and buyers must not fill
# the broker meanwhile: the sweeps, which are sent all the same, find what is to be done.
WAITING = 20_000


class GivesUp(Task):
    """The base of a task whose last try may fail: with `throws` it leaves one line in the log and no traceback."""

    def on_failure(self, exc: Exception, task_id: str, args: Any, kwargs: Any, einfo: Any) -> None:
        log.warning("task_given_up", task=self.name, subject=args[0], error=exc)


def send_soon(task: str, subject: str, *, delay: float = 0) -> None:
    """Run the task of this name in a worker after `delay` seconds; while it waits for its turn, no second one is sent.

    By name, because tasks import the actions that send them. The task calls `mark_begun` first, so that a change made
    while it runs sends the next. Never raises for a broker or Redis that is away.
    """
    key = _key(task, subject)
    try:
        if not redis_client().set(key, "1", nx=True, ex=COALESCED_SECONDS + round(delay)):
            return
        try:
            if _is_queue_full():
                log.warning("task_not_sent", task=task, error="too many wait")
                return
            current_app.send_task(task, (subject,), countdown=delay, retry=False)
        except (RedisError, OperationalError):
            # Nothing waits for its turn: the next change shall try again.
            redis_client().delete(key)
            raise
    except (RedisError, OperationalError) as error:
        log.warning("task_not_sent", task=task, error=type(error).__name__)


def mark_begun(task: str, subject: str) -> None:
    """Let the next change send a task of its own: this run may not see it. Every task sent by `send_soon` begins so."""
    try:
        redis_client().delete(_key(task, subject))
    except RedisError as error:
        log.warning("task_not_marked_begun", task=task, error=type(error).__name__)


def _is_queue_full() -> bool:
    broker = broker_client()
    return broker is not None and broker.llen(current_app.conf.task_default_queue) >= WAITING


def _key(task: str, subject: str) -> str:
    return f"soon:{task}:{subject}"
