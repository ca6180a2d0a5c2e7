"""What the stores have been asked so far, by their own counters."""

from collections import Counter
from collections.abc import Iterator

from django.conf import settings
from pymongo import MongoClient
from redis import Redis

from gateway.cassandra.reads import read
from gateway.cassandra.statements import Consistency, Select
from gateway.cassandra.table import declared_tables
from gateway.mongo.client import Document, client

# What drivers and the measurement itself send.
_NOT_COUNTED = {"hello", "isMaster", "ismaster", "ping", "serverStatus", "getShardMap", "listShards", "endSessions"}
_NOT_COUNTED_IN_REDIS = {"info", "ping", "client|setinfo", "hello", "brpop"}


def commands() -> Counter[str]:
    """Commands to MongoDB's routers and Redis, requests to Cassandra, and writes by table there."""
    return Counter({**dict(_mongo()), **dict(_redis()), **dict(_cassandra())})


def _mongo() -> Iterator[tuple[str, int]]:
    counted: Counter[str] = Counter()
    for host, port in client().nodes:
        with MongoClient[Document](host, port) as router:
            status = router.admin.command("serverStatus")
        for name, its in status["metrics"]["commands"].items():
            if name not in _NOT_COUNTED and isinstance(its, dict) and its.get("total"):
                counted[f"mongodb {name}"] += its["total"]
    yield from counted.items()


def _redis() -> Iterator[tuple[str, int]]:
    counted: Counter[str] = Counter()
    for url in {settings.REDIS_URL, settings.REDIS_CACHE_URL}:
        with Redis.from_url(url) as redis:
            stats = redis.info("commandstats")
        for name, its in stats.items():
            if (command := name.removeprefix("cmdstat_")) not in _NOT_COUNTED_IN_REDIS:
                counted[f"redis {command}"] += its["calls"]
    yield from counted.items()


def _cassandra() -> Iterator[tuple[str, int]]:
    asked = "SELECT request_count FROM system_views.clients"
    yield "cassandra requests", sum(row["request_count"] for row in read(_select(asked)))
    keyspaces = {table.keyspace for table in declared_tables()}
    for latency, what in (("write", "written"), ("read", "read")):
        counted = f"SELECT keyspace_name, table_name, count FROM system_views.local_{latency}_latency"  # noqa: S608
        for row in read(_select(counted)):
            if row["keyspace_name"] in keyspaces:
                yield f"cassandra {what} {row['table_name']}", row["count"]


def _select(cql: str) -> Select:
    return Select(cql, (), Consistency.ONE, page_size=5_000)
