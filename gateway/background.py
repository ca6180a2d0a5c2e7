"""Sending tasks to Celery from a write: to have the work done sooner, never as a promise.

Whatever must happen has a sweep behind it; the task only makes it happen sooner. So the broker may be away, and the
buyer's write is done all the same.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

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
# Subjects that wait in one queue, a hundred bytes each. Any beyond are left to the sweep, or to their next change.
QUEUED = 100_000
# Far longer than a worker needs for what it has taken: then it has died, and another may have it.
LEASE_SECONDS = 60

# What is free is taken until the lease ends, by Redis's own clock; a subject that is queued meanwhile is free again.
_TAKE = """
local time = redis.call('TIME')
local now = time[1] + time[2] / 1000000
local lease = string.format('%.6f', now + ARGV[2])
local taken = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now, 'LIMIT', 0, ARGV[1])
for _, subject in ipairs(taken) do redis.call('ZADD', KEYS[1], lease, subject) end
return {taken, lease, redis.call('ZCOUNT', KEYS[1], '-inf', now), redis.call('ZCARD', KEYS[1]) - #taken}
"""
_FINISH = """
local lease, done = tonumber(ARGV[1]), ARGV[2] == '1'
for place = 3, #ARGV do
  local held = redis.call('ZSCORE', KEYS[1], ARGV[place])
  if held and tonumber(held) == lease then
    if done then redis.call('ZREM', KEYS[1], ARGV[place]) else redis.call('ZADD', KEYS[1], 0, ARGV[place]) end
  end
end
"""


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
        if redis_client().set(key, "1", nx=True, ex=COALESCED_SECONDS + round(delay)):
            _send(task, subject, delay)
    except (RedisError, OperationalError) as error:
        log.warning("task_not_sent", task=task, error=type(error).__name__)


class Queue(NamedTuple):
    """Subjects that wait for a worker, each once however often it is queued, and the task that takes many of them."""

    name: str
    task: str
    delay: float = 0
    """Seconds for which they are gathered."""


def queue_soon(queue: Queue, *subjects: str) -> None:
    """Have a worker take the subjects soon. Like `send_soon`, but one task serves them all; one round trip."""
    if not subjects:
        return
    redis = redis_client()
    try:
        pipeline = redis.pipeline(transaction=False)
        pipeline.zadd(queue.name, dict.fromkeys(subjects, 0))
        pipeline.zcard(queue.name)
        pipeline.set(_key(queue.task, queue.name), "1", nx=True, ex=COALESCED_SECONDS + round(queue.delay))
        _, waiting, is_first = pipeline.execute()
        if waiting > QUEUED:
            redis.zremrangebyrank(queue.name, 0, waiting - QUEUED - 1)
        if is_first:
            _send(queue.task, queue.name, queue.delay)
    except (RedisError, OperationalError) as error:
        log.warning("task_not_sent", task=queue.task, error=type(error).__name__)


@contextmanager
def taken_from(queue: Queue, *, most: int) -> Iterator[list[str]]:
    """So many of the subjects at most, for the queue's task, which calls this first of all; gone from it afterwards.

    What raises leaves them in the queue, for the try that Celery makes; what dies, for a task that comes a lease later.
    One that is queued again meanwhile stays. What is left for others has tasks of its own.
    """
    mark_begun(queue.task, queue.name)
    redis = redis_client()
    subjects, lease, free, others = redis.register_script(_TAKE)(keys=[queue.name], args=(most, LEASE_SECONDS))
    if free:
        send_soon(queue.task, queue.name)
    elif others:
        # Under another subject: what is queued meanwhile must not wait as long.
        send_soon(queue.task, f"{queue.name}:leased", delay=LEASE_SECONDS)

    def finish(*, done: bool) -> None:
        if subjects:
            redis.register_script(_FINISH)(keys=[queue.name], args=(lease, int(done), *subjects))

    try:
        yield subjects
    except BaseException:
        finish(done=False)
        raise
    finish(done=True)


def mark_begun(task: str, subject: str) -> None:
    """Let the next change send a task of its own: this run may not see it. Every task sent by `send_soon` begins so."""
    try:
        redis_client().delete(_key(task, subject))
    except RedisError as error:
        log.warning("task_not_marked_begun", task=task, error=type(error).__name__)


def _send(task: str, subject: str, delay: float) -> None:
    try:
        if _is_queue_full():
            log.warning("task_not_sent", task=task, error="too many wait")
            return
        current_app.send_task(task, (subject,), countdown=delay, retry=False)
    except (RedisError, OperationalError):
        # Nothing waits for its turn: the next change shall try again.
        redis_client().delete(_key(task, subject))
        raise


def _is_queue_full() -> bool:
    broker = broker_client()
    return broker is not None and broker.llen(current_app.conf.task_default_queue) >= WAITING


def _key(task: str, subject: str) -> str:
    return f"soon:{task}:{subject}"
