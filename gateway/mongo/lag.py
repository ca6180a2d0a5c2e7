"""Replication lag per shard: measured by one beat task, kept in Redis, remembered for a second by every process.

MongoDB's own maxStalenessSeconds cannot go below 90 seconds; our policies need 5 and 30.
"""

import json
import threading
import time
from functools import cache
from typing import Any

import structlog
from django.db import DEFAULT_DB_ALIAS, connections
from pymongo import MongoClient
from pymongo.errors import PyMongoError
from pymongo.read_preferences import PrimaryPreferred
from pymongo.uri_parser import parse_uri
from redis.exceptions import RedisError

from gateway.mongo.client import Document, client
from gateway.mongo.routing import UNSHARDED, Shards, is_mongos
from gateway.redis.clients import redis_client

log = structlog.get_logger(__name__)

KEY = "mongo:lag"
# The beat measures every 2 s. When it stops, the lag is unknown after five missed measurements.
FORGET_AFTER_MS = 10_000
REMEMBER_SECONDS = 1.0
# With Redis away every look costs a time-out: not one per second and process.
RETRY_SECONDS = 5.0

Lags = dict[str, float | None]
"""For each shard, how many seconds its slowest readable secondary is behind; None: could not be measured."""


def measure() -> Lags:
    """The lag of every shard, or of the replica set when there are no shards; empty while all are away."""
    try:
        if not is_mongos(client()):
            return {UNSHARDED: _lag_of(client())}
        shards = {shard["_id"]: shard["host"] for shard in client().config.shards.find()}
    except PyMongoError as error:
        log.warning("lag_not_measured", error=error)
        return {}
    return {name: _lag_of(_shard_client(host)) for name, host in shards.items()}


def publish(lags: Lags) -> None:
    """Make the figures known to all processes, until FORGET_AFTER_MS have passed."""
    redis_client().set(KEY, json.dumps(lags), px=FORGET_AFTER_MS)


class LagBoard:
    """The published figures as this process last read them."""

    def __init__(self) -> None:
        self._lags: Lags = {}
        self._measured_at = float("-inf")
        self._read_again_at = float("-inf")
        self._reading = threading.Lock()

    def is_old(self) -> bool:
        return time.monotonic() >= self._read_again_at

    def refresh(self) -> None:
        """Read the figures, unless another thread is at it: then the remembered ones serve a moment longer.

        Never raises: without Redis the lag is unknown, and the policies know what that means.
        """
        if not self._reading.acquire(blocking=False):
            return
        try:
            published, left_ms = _read_published()
        except RedisError as error:
            log.warning("lag_unknown", error=error)
            self._lags = {}
            self._read_again_at = time.monotonic() + RETRY_SECONDS
        else:
            self._lags = json.loads(published) if published else {}
            # The time to live tells the age without comparing the clocks of two machines.
            self._measured_at = time.monotonic() - (FORGET_AFTER_MS - left_ms) / 1000
            self._read_again_at = time.monotonic() + REMEMBER_SECONDS
        finally:
            self._reading.release()

    def worst(self, shards: Shards | None) -> float | None:
        """The longest that a secondary of these shards may be behind now (None: of any shard); None when unknown."""
        lags = [self._lags.get(shard) for shard in (self._lags if shards is None else shards)]
        known = [lag for lag in lags if lag is not None]
        if not known or len(known) < len(lags):
            return None
        return max(known) + time.monotonic() - self._measured_at


LAG = LagBoard()


def _read_published() -> tuple[str | None, int]:
    pipeline = redis_client().pipeline()
    pipeline.get(KEY)
    pipeline.pttl(KEY)
    published, left_ms = pipeline.execute()
    return published, left_ms


def _lag_of(replica_set: MongoClient[Document]) -> float | None:
    try:
        hello = replica_set.admin.command("hello")
        if "setName" not in hello:
            return 0.0  # a standalone server has no secondaries
        status = replica_set.admin.command("replSetGetStatus", read_preference=PrimaryPreferred())
    except PyMongoError as error:
        log.warning("lag_not_measured", error=error)
        return None
    # Hidden and arbiter members are in the status but serve no reads.
    readable = {*hello["hosts"], *hello.get("passives", ())}
    members = [member for member in status["members"] if member["name"] in readable]
    primary = next((member for member in members if member["stateStr"] == "PRIMARY"), None)
    if primary is None:
        return None
    behind: list[float] = [
        (primary["optimeDate"] - member["optimeDate"]).total_seconds()
        for member in members
        if member["stateStr"] == "SECONDARY"
    ]
    return max([0.0, *behind])


@cache
def _shard_client(host: str) -> MongoClient[Document]:
    """A client of one shard's replica set, `name/host,host`, with the gateway's own credentials and TLS options."""
    name, _, members = host.partition("/")
    uri = parse_uri(connections[DEFAULT_DB_ALIAS].settings_dict["HOST"])
    options: dict[str, Any] = {**uri["options"], "replicaSet": name}
    if uri["username"]:
        options |= {"username": uri["username"], "password": uri["password"]}
    return MongoClient(members.split(","), serverSelectionTimeoutMS=1_000, **options)
