"""How far Cassandra is behind MongoDB while the shop sells as fast as it can, and how fast a table is rebuilt.

`make bench B=sync`. Buyers check out on many threads while a real Celery worker copies their orders. An order's lag
is the time from the answer to its buyer until its rows are acknowledged and marked, seen by looking every 20 ms. Then
a table is rebuilt from MongoDB. A database and keyspaces of its own, dropped afterwards.
"""

import argparse
import os
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from io import StringIO

from django.core.management import call_command

from bench.shop import PURCHASE, prepare
from gateway.cassandra.driver.session import CONNECTOR, SCHEMA
from gateway.cassandra.table import declared_tables
from gateway.mongo import topology
from gateway.mongo.client import client, database
from gateway.mongo.routing import ROUTING
from gateway.redis.clients import redis_client
from gateway.sync.rebuild import rebuild
from ordering.cassandra.sync import SYNCED
from ordering.cassandra.tables import ORDERS_BY_USER
from ordering.checkout.checkout import check_out

LOOK_SECONDS = 0.02
# After the last sale, for what is still on its way.
PATIENCE_SECONDS = 120.0


class Lags:
    """The seconds from each order's sale until it is copied to Cassandra, as they become known."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._sold: dict[str, float] = {}
        self.seconds: list[float] = []

    def note_sale(self, order_id: str) -> None:
        with self._lock:
            self._sold[order_id] = time.perf_counter()

    def look(self) -> int:
        """Note the orders that have been copied; returns how many are still on their way."""
        with self._lock:
            waiting = list(self._sold)
        copied = database()["orders"].find({"_id": {"$in": waiting}, "unsynced": {"$exists": False}}, ["_id"])
        ids, now = [order["_id"] for order in copied], time.perf_counter()
        with self._lock:
            self.seconds += [now - self._sold.pop(order_id) for order_id in ids]
            return len(self._sold)


def main() -> None:
    arguments = _arguments()
    try:
        topology.apply(database())
        ROUTING.refresh(client(), database().name)
        call_command("cassandra", "apply", stdout=StringIO())
        with _worker():
            _sales(arguments.buyers, arguments.threads)
        _rebuilt()
    finally:
        client().drop_database(database().name)
        for keyspace in {table.keyspace for table in declared_tables()}:
            CONNECTOR.connection().session.execute(f"DROP KEYSPACE IF EXISTS {keyspace}", execution_profile=SCHEMA)


def _sales(buyers: int, threads: int) -> None:
    # The worker's first task costs it its connections: that is no lag of the shop's.
    _sell(threads, threads)
    lags, elapsed = _sell(buyers, threads)
    quantiles = statistics.quantiles(lags, n=100)
    sys.stdout.write(f"sold    {buyers} orders, {buyers / elapsed:.1f} a second\n")
    sys.stdout.write(f"lag     p50 {quantiles[49]:.2f} s, p95 {quantiles[94]:.2f} s, longest {max(lags):.2f} s\n")


def _sell(buyers: int, threads: int) -> tuple[list[float], float]:
    owners = prepare("uniform", buyers)
    lags = Lags()
    ended = threading.Event()

    def buy(owner: str) -> None:
        lags.note_sale(check_out(owner, PURCHASE).order["_id"])

    def look() -> None:
        while not ended.wait(LOOK_SECONDS):
            lags.look()

    looking = threading.Thread(target=look)
    looking.start()
    with ThreadPoolExecutor(threads) as pool:
        started = time.perf_counter()
        list(pool.map(buy, owners))
        elapsed = time.perf_counter() - started
    ended.set()
    looking.join()
    deadline = time.monotonic() + PATIENCE_SECONDS
    while left := lags.look():
        if time.monotonic() > deadline:
            sys.exit(f"{left} orders were not copied within {PATIENCE_SECONDS:.0f} s")
        time.sleep(LOOK_SECONDS)
    return lags.seconds, elapsed


def _rebuilt() -> None:
    started = time.perf_counter()
    rows = sum(batch.rows for batch in rebuild(SYNCED, ORDERS_BY_USER))
    elapsed = time.perf_counter() - started
    sys.stdout.write(f"rebuild {rows} rows of {ORDERS_BY_USER.name}, {rows / elapsed:.0f} a second\n")


@contextmanager
def _worker() -> Iterator[None]:
    """Run a Celery worker as `make run` starts it, with a process per core."""
    redis_client().delete("celery", *redis_client().scan_iter("sync:*"), *redis_client().scan_iter("soon:*"))
    command = [sys.executable, "-m", "celery", "--quiet", "-A", "gateway", "worker"]
    with subprocess.Popen(command, env={**os.environ, "LOG_LEVEL": "WARNING"}) as worker:  # noqa: S603 - our own
        try:
            yield
        finally:
            worker.terminate()


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Lag of the sync at the highest rate of sales; a rebuild.")
    parser.add_argument("--buyers", type=int, default=600)
    parser.add_argument("--threads", type=int, default=32)
    return parser.parse_args()


if __name__ == "__main__":
    main()
