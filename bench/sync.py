"""How fast Cassandra is told: a backlog of products, orders at 80 % of the highest rate of sales beside one, a rebuild.

`make bench B=sync`; `ARGS="--products 5000 --buyers 200"` for a short run. A real Celery worker copies, a process per
core, and sweeps are sent as beat sends them. An order's lag is the time from the answer to its buyer until its rows are
acknowledged and marked, seen by looking every 20 ms. A database and keyspaces of its own, dropped afterwards.
"""

import argparse
import os
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from io import StringIO
from math import ceil
from typing import NamedTuple

from celery import current_app
from django.core.management import call_command

from bench.shop import PURCHASE, prepare
from catalog.cassandra.sync import SYNCED as PRODUCTS
from gateway.cassandra.driver.session import CONNECTOR, SCHEMA
from gateway.cassandra.table import declared_tables
from gateway.mongo import topology
from gateway.mongo.client import client, database
from gateway.mongo.routing import ROUTING
from gateway.redis.clients import redis_client
from gateway.sync.declarations import Synced
from gateway.sync.marks import UNSYNCED
from gateway.sync.rebuild import rebuild, rebuildable
from ordering.checkout.checkout import check_out

LOOK_SECONDS = 0.02
# After the last sale, for what is still on its way.
PATIENCE_SECONDS = 120.0
SWEEP, SWEEP_SECONDS = "gateway.tasks.sync_sweep", 10.0
SHARE_OF_HIGHEST_RATE = 0.8


class Sales(NamedTuple):
    lags: list[float]
    rate: float
    """Sales per second."""


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
            # The worker's first task costs it its connections: that is no lag of the shop's.
            _sell(prepare("uniform", arguments.threads), arguments.threads)
            highest = _sell(prepare("uniform", arguments.buyers), arguments.threads)
            _report("sold at the highest rate", highest)
            owners = prepare("uniform", arguments.buyers)
            _load_products(arguments.products)
            with _sweeps():
                rate = SHARE_OF_HIGHEST_RATE * highest.rate
                before, began = _owed(PRODUCTS), time.perf_counter()
                _report("sold beside a backlog", _sell(owners, arguments.threads, rate=rate))
                _report_drained("drained beside sales", before - _owed(PRODUCTS), began)
                before, began = _owed(PRODUCTS), time.perf_counter()
                _wait_until_drained(PRODUCTS)
                _report_drained("drained", before, began)
        _multiply_orders(arguments.orders)
        for table in arguments.tables:
            _rebuilt(table, arguments.processes)
    finally:
        client().drop_database(database().name)
        for keyspace in {table.keyspace for table in declared_tables()}:
            CONNECTOR.connection().session.execute(f"DROP KEYSPACE IF EXISTS {keyspace}", execution_profile=SCHEMA)


def _sell(owners: Sequence[str], threads: int, *, rate: float | None = None) -> Sales:
    """Sell to each owner: as fast as can be, or at a rate, whether or not the earlier ones have been served."""
    lags = Lags()
    ended = threading.Event()
    started = time.perf_counter()

    def buy(number: int) -> None:
        if rate:
            time.sleep(max(0.0, started + number / rate - time.perf_counter()))
        lags.note_sale(check_out(owners[number], PURCHASE).order["_id"])

    def look() -> None:
        while not ended.wait(LOOK_SECONDS):
            lags.look()

    looking = threading.Thread(target=look)
    looking.start()
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(buy, range(len(owners))))
        elapsed = time.perf_counter() - started
    ended.set()
    looking.join()
    deadline = time.monotonic() + PATIENCE_SECONDS
    while left := lags.look():
        if time.monotonic() > deadline:
            sys.exit(f"{left} orders were not copied within {PATIENCE_SECONDS:.0f} s")
        time.sleep(LOOK_SECONDS)
    return Sales(lags.seconds, len(owners) / elapsed)


def _report(title: str, sales: Sales) -> None:
    quantiles = statistics.quantiles(sales.lags, n=100)
    sys.stdout.write(
        f"{title:25} {len(sales.lags)} orders, {sales.rate:.1f} a second; "
        f"lag p50 {quantiles[49]:.2f} s, p95 {quantiles[94]:.2f} s, longest {max(sales.lags):.2f} s\n"
    )
    sys.stdout.flush()


def _report_drained(title: str, documents: int, began: float) -> None:
    elapsed = time.perf_counter() - began
    sys.stdout.write(f"{title:25} {documents} products, {documents / elapsed:.0f} a second\n")
    sys.stdout.flush()


def _load_products(number: int) -> None:
    """Add products that nothing has been copied of."""
    call_command("load_demo", "--products", str(number), stdout=StringIO())


def _multiply_orders(number: int) -> None:
    """Copies of the orders sold, each another buyer's: of a few a rebuild shows the start of its processes alone."""
    orders = database()["orders"]
    sold = list(orders.find())
    copies = [
        {**order, "_id": f"{order['_id']}-{copy}", "owner": f"{order['owner']}-{copy}"}
        for copy in range(1, ceil(number / len(sold)))
        for order in sold
    ]
    if copies:
        orders.insert_many(copies[: number - len(sold)], ordered=False)


def _owed(synced: Synced) -> int:
    return database()[synced.collection].count_documents(UNSYNCED)


def _wait_until_drained(synced: Synced) -> None:
    left, last = _owed(synced), time.monotonic()
    while left:
        time.sleep(LOOK_SECONDS)
        now = _owed(synced)
        if now < left:
            left, last = now, time.monotonic()
        if time.monotonic() - last > PATIENCE_SECONDS:
            sys.exit(f"{left} of {synced.collection} were not copied within {PATIENCE_SECONDS:.0f} s")


def _rebuilt(name: str, processes: int) -> None:
    synced, table = rebuildable()[name]
    started = time.perf_counter()
    batches = list(rebuild(synced, table, processes=processes))
    elapsed = time.perf_counter() - started
    documents, rows = sum(batch.documents for batch in batches), sum(batch.rows for batch in batches)
    sys.stdout.write(f"rebuilt {name:17} {rows} rows of {documents} documents, {rows / elapsed:.0f} a second\n")


@contextmanager
def _sweeps() -> Iterator[None]:
    """Send the sweep at once and then as often as beat does."""
    ended = threading.Event()

    def send() -> None:
        while True:
            current_app.send_task(SWEEP)
            if ended.wait(SWEEP_SECONDS):
                break

    sending = threading.Thread(target=send)
    sending.start()
    try:
        yield
    finally:
        ended.set()
        sending.join()


@contextmanager
def _worker() -> Iterator[None]:
    """Run a Celery worker as `make run` starts it, with a process per core."""
    redis_client().delete("celery", *redis_client().scan_iter("sync:*"), *redis_client().scan_iter("soon:*"))
    command = [sys.executable, "-m", "celery", "--quiet", "-A", "gateway", "worker"]
    # It prints the letters to the buyers.
    environment = {**os.environ, "LOG_LEVEL": "ERROR"}
    with subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL) as worker:  # noqa: S603 - our own
        try:
            yield
        finally:
            worker.terminate()


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="How far the copies are behind, and how fast they catch up.")
    parser.add_argument("--buyers", type=int, default=1_000, help="per run (%(default)s)")
    parser.add_argument("--threads", type=int, default=32, help="buyers at once (%(default)s)")
    parser.add_argument("--products", type=int, default=100_000, help="the backlog (%(default)s)")
    parser.add_argument("--orders", type=int, default=20_000, help="of which tables are rebuilt (%(default)s)")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1, help="that rebuild (one per core)")
    parser.add_argument("--tables", nargs="*", default=["orders_by_user", "product_by_id", "products_cache_by_region"])
    return parser.parse_args()


if __name__ == "__main__":
    main()
