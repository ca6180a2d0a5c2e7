"""The health pages. /healthz: the process lives. /readyz: the state and latency of each dependency.

Without Cassandra or Redis the shop works, a little slower: 200 and «degraded». The same holds without MongoDB, as long
as Cassandra shows the catalog and the orders; without both it cannot work: 503. The page also says where sessions are
kept, and how much has still to be copied to Cassandra.

However often the page is asked for, and however long a dependency hangs, there is one check at a time and one a second.
"""

import asyncio
import json
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cache
from typing import Any, TypeVar

import pymongo
from django.conf import settings
from django.db.migrations.recorder import MigrationRecorder
from pymongo.errors import PyMongoError
from pymongo.read_preferences import PrimaryPreferred
from redis.exceptions import RedisError

from gateway.accounts.sessions.cache import count_unsynced
from gateway.cassandra.errors import CassandraError
from gateway.cassandra.reads import ping as ping_cassandra
from gateway.mongo.client import database
from gateway.redis.clients import cache_client, redis_client
from gateway.sync.backlog import backlogs
from gateway.web.http import Receive, Scope, Send, respond

# Longer than any healthy answer, shorter than the patience of a load balancer.
MONGODB_SECONDS = 2.0

# Anybody may ask; a load balancer does so every few seconds.
REPORT_SECONDS = 1.0

State = dict[str, Any]
T = TypeVar("T")


class HealthReport:
    """Runs the check at most once a second; all who ask meanwhile get the same outcome."""

    def __init__(self, check: Callable[[], Awaitable[State]]) -> None:
        self._check = check
        self._flight: asyncio.Future[State] | None = None
        self._until = float("-inf")

    async def state(self) -> State:
        if self._flight is None or (self._flight.done() and time.monotonic() >= self._until):
            self._flight = asyncio.ensure_future(self._fly())
        # Whoever is cancelled must not take the check away from the others.
        return await asyncio.shield(self._flight)

    async def _fly(self) -> State:
        try:
            return await self._check()
        finally:
            self._until = time.monotonic() + REPORT_SECONDS


async def healthz(scope: Scope, receive: Receive, send: Send) -> None:
    await respond(send, 200, b'{"status": "ok"}', "application/json", {"cache-control": "no-store"})


async def readyz(scope: Scope, receive: Receive, send: Send) -> None:
    report = await readiness.state()
    status = 503 if report["status"] == "unavailable" else 200
    await respond(send, status, json.dumps(report).encode(), "application/json", {"cache-control": "no-store"})


async def check_dependencies() -> State:
    """The state of every dependency, asked all at once, so that one that hangs does not hide the others."""
    names = ("mongodb", "cassandra", "redis", "redis_cache")
    checks = (_mongodb, _cassandra, _redis, _redis_cache)
    states = await asyncio.gather(*(_run(check) for check in checks))
    dependencies = dict(zip(names, states, strict=True))
    mongodb, cassandra, redis, _ = (state["state"] for state in states)
    sessions = await _run(lambda: _sessions(cassandra, redis))
    copies = await _run(lambda: _copies(mongodb, cassandra))
    if mongodb == "down" and cassandra != "up":
        overall = "unavailable"
    elif any(dependency["state"] == "down" for dependency in states):
        overall = "degraded"
    else:
        overall = "ok"
    return {"status": overall, "dependencies": dependencies, "sessions": sessions, "copies": copies}


readiness = HealthReport(check_dependencies)


async def _run(check: Callable[[], T]) -> T:
    return await asyncio.get_running_loop().run_in_executor(_pool(), check)


@cache
def _pool() -> ThreadPoolExecutor:
    """A pool with a thread for each dependency, which requests cannot fill. Made on first use."""
    return ThreadPoolExecutor(max_workers=4, thread_name_prefix="health")


def _mongodb() -> State:
    """MongoDB's state by a read, not a ping: a mongos answers pings when every shard behind it is gone."""

    def read() -> None:
        collection = database().get_collection(
            MigrationRecorder.Migration._meta.db_table, read_preference=PrimaryPreferred()
        )
        with pymongo.timeout(MONGODB_SECONDS):
            collection.find_one({}, {"_id": 1})

    return _timed(read, PyMongoError)


def _cassandra() -> State:
    if not settings.CASSANDRA_CONTACT_POINTS:
        return {"state": "not configured"}
    return _timed(ping_cassandra, CassandraError)


def _redis() -> State:
    return _timed(redis_client().ping, RedisError)


def _redis_cache() -> State:
    return _timed(cache_client().ping, RedisError)


def _sessions(cassandra: str, redis: str) -> State:
    """Where sessions are kept at the moment, and how many Cassandra has still to be told of."""
    kept_in = [name for name, state in (("cassandra", cassandra), ("redis", redis)) if state == "up"]
    if not kept_in:
        return {"state": "down", "kept_in": "nowhere"}
    report: State = {
        "state": "degraded" if "down" in (cassandra, redis) else "up",
        "kept_in": " and ".join(kept_in),
    }
    if redis == "up" and cassandra != "not configured":
        with suppress(RedisError):
            report["waiting_for_cassandra"] = count_unsynced()
    return report


def _copies(mongodb: str, cassandra: str) -> State:
    """How much has still to be copied to Cassandra, by collection."""
    if cassandra == "not configured" or mongodb == "down":
        return {}
    try:
        with pymongo.timeout(MONGODB_SECONDS):
            found = backlogs()
    except PyMongoError as error:
        return {"error": type(error).__name__}
    return {
        backlog.collection: {
            "owed": backlog.documents,
            "lag_seconds": round(backlog.oldest_seconds or 0.0, 1),
            "failing": backlog.failing,
        }
        for backlog in found
    }


def _timed(check: Callable[[], object], failure: type[Exception]) -> State:
    started = time.perf_counter()
    try:
        check()
    except failure as error:
        # The kind of the error only: addresses and credentials are nobody's business on a public page.
        return {"state": "down", "error": type(error).__name__, "latency_ms": _milliseconds_since(started)}
    return {"state": "up", "latency_ms": _milliseconds_since(started)}


def _milliseconds_since(started: float) -> float:
    return round((time.perf_counter() - started) * 1000, 1)
