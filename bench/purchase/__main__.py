"""What a guest's purchase costs each server: CPU, commands, rows.

`make bench B=purchase`. A real web process and a real Celery worker, one core's worth of guests who each begin a
session, put a product into the cart and buy it, at a steady rate: an open loop. Counted are the servers' own CPU, above
what they use while nobody buys, and their own counters of commands, until everything a purchase causes is done. In a
database and keyspaces of its own, dropped afterwards; only ratios of runs on one quiet machine mean anything.
"""

import argparse
import asyncio
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import NamedTuple

import httpx

from bench.purchase.counters import commands
from bench.purchase.guests import buy_steadily
from bench.purchase.processes import cpu_seconds, free_port, servers
from bench.shop import begin_anew, prepare
from gateway.cassandra.driver.session import CONNECTOR, SCHEMA
from gateway.cassandra.table import declared_tables
from gateway.mongo.client import client, database
from gateway.redis.clients import cache_client, redis_client
from gateway.sync.sweep import sweep_all

STARTING_SECONDS = 60.0
# After the last purchase, for what it has caused.
PATIENCE_SECONDS = 60.0
WARM_UP_SECONDS = 5.0
# A quiet stretch as long tells what the servers use for themselves.
IDLE_SECONDS = 8.0
PRODUCTION = {"GRAPHQL_BUCKET_POINTS": "10000", "GRAPHQL_BUCKET_RESTORE": "500", "LOG_FORMAT": "json"}


class Measured(NamedTuple):
    seconds: float
    cpu: dict[str, float]
    commands: Counter[str]


def main() -> None:
    arguments = _arguments()
    purchases = round(arguments.rate * arguments.seconds)
    try:
        begin_anew()
        prepare("uniform", purchases)
        sweep_all(grace=timedelta())
        with _started() as (port, own):
            pids = servers() | own
            asyncio.run(buy_steadily(port, first=0, rate=arguments.rate, seconds=WARM_UP_SECONDS))
            _wait_until_done()
            with _measuring(pids) as idle:
                time.sleep(IDLE_SECONDS)
            with _measuring(pids) as busy:
                seen = asyncio.run(buy_steadily(port, first=100_000, rate=arguments.rate, seconds=arguments.seconds))
                _wait_until_done()
        if seen.statuses != {200: purchases}:
            sys.exit(f"not all were served: {dict(seen.statuses)}")
        _report(idle[0], busy[0], purchases)
        median = 1000 * statistics.median(seen.seconds)
        sys.stdout.write(f"both answers together: p50 {median:.0f} ms, p95 {1000 * seen.p95():.0f} ms\n")
    finally:
        client().drop_database(database().name)
        for keyspace in {table.keyspace for table in declared_tables()}:
            CONNECTOR.connection().session.execute(f"DROP KEYSPACE IF EXISTS {keyspace}", execution_profile=SCHEMA)


def _report(idle: Measured, busy: Measured, purchases: int) -> None:
    above = {
        name: 1000 * (busy.cpu[name] - idle.cpu[name] / idle.seconds * busy.seconds) / purchases for name in busy.cpu
    }
    sys.stdout.write(f"{purchases} purchases, done after {busy.seconds:.1f} s\n\nCPU, ms per purchase\n")
    for name, milliseconds in above.items():
        sys.stdout.write(f"  {name:12} {milliseconds:7.1f}   idle {1000 * idle.cpu[name] / idle.seconds:6.1f} ms/s\n")
    sys.stdout.write(f"  {'all':12} {sum(above.values()):7.1f}\n\ncommands, rows per purchase\n")
    for name, count in sorted((busy.commands - idle.commands).items()):
        if count >= purchases / 20:
            sys.stdout.write(f"  {name:45} {count / purchases:6.2f}\n")


@contextmanager
def _measuring(pids: dict[str, list[int]]) -> Iterator[list[Measured]]:
    measured: list[Measured] = []
    counted, used, began = commands(), {name: cpu_seconds(its) for name, its in pids.items()}, time.monotonic()
    yield measured
    seconds = time.monotonic() - began
    cpu = {name: cpu_seconds(its) - used[name] for name, its in pids.items()}
    measured.append(Measured(seconds, cpu, commands() - counted))


def _wait_until_done() -> None:
    """Wait until everything that was bought has been settled, told and copied."""
    owing = {"$or": [{"unsynced": {"$exists": True}}, {"mail_due.0": {"$exists": True}}]}
    deadline = time.monotonic() + PATIENCE_SECONDS
    while database()["orders"].find_one(owing) or database()["products"].find_one(
        {"$or": [{"unsynced": {"$exists": True}}, {"holds.0": {"$exists": True}}]}
    ):
        if time.monotonic() > deadline:
            sys.exit(f"not everything was done within {PATIENCE_SECONDS:.0f} s")
        time.sleep(0.5)
    time.sleep(3)  # copies of carts tell nobody


@contextmanager
def _started() -> Iterator[tuple[int, dict[str, list[int]]]]:
    """A web process and a worker as `make run` starts them; its port, and their ids by name."""
    waiting = [key for pattern in ("sync:*", "soon:*", "queue:*") for key in redis_client().scan_iter(pattern)]
    redis_client().delete("celery", *waiting)
    cache_client().flushdb()
    port = free_port()
    programs = Path(sys.executable).parent
    served = ("gateway.asgi:application", "--no-proxy-headers", "--host", "127.0.0.1", "--port", str(port))
    environment = {**os.environ, **PRODUCTION}
    with tempfile.TemporaryDirectory() as directory:
        with (Path(directory) / "log").open("wb") as log:
            web = subprocess.Popen([programs / "uvicorn", *served], env=environment, stdout=log, stderr=log)  # noqa: S603 - our own
            worker = subprocess.Popen(  # noqa: S603 - our own
                [programs / "celery", "--quiet", "-A", "gateway", "worker"], env=environment, stdout=log, stderr=log
            )
        try:
            _wait_for(port, Path(directory) / "log")
            yield port, {"web": [web.pid], "worker": [worker.pid]}
        finally:
            for process in (web, worker):
                process.terminate()
            for process in (web, worker):
                process.wait()


def _wait_for(port: int, log: Path) -> None:
    deadline = time.monotonic() + STARTING_SECONDS
    while time.monotonic() < deadline:
        try:
            httpx.get(f"http://127.0.0.1:{port}/healthz")
        except httpx.TransportError:
            time.sleep(0.2)
        else:
            return
    sys.exit(f"the web server does not answer:\n{log.read_text(encoding='utf-8')}")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="What a guest's purchase costs each server.")
    parser.add_argument("--rate", type=float, default=15.0, help="purchases a second")
    parser.add_argument("--seconds", type=float, default=20.0)
    return parser.parse_args()


if __name__ == "__main__":
    main()
