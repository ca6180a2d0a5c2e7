"""Pages of the admin in shops of several sizes, side by side: milliseconds, and what the shards examined.

Each size has a database and a web server of its own, and one person signed in to each opens the same pages in turns, so
that a noisy machine disturbs all alike.
"""

import argparse
import logging
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import NamedTuple

import httpx

from bench.profiler import Examined, examined
from gateway.accounts.demo import DOMAIN, PASSWORD
from gateway.cassandra.driver.session import CONNECTOR, SCHEMA
from gateway.cassandra.table import declared_tables
from gateway.mongo.client import client
from gateway.mongo.lag import measure as measure_lag
from gateway.tests.redis_servers import free_port

STARTING_SECONDS = 60.0
# Members tell how far they are in whole seconds.
CLOSE_SECONDS = 1.0


class Shop(NamedTuple):
    size: int
    database: str
    browser: httpx.Client


class Measured(NamedTuple):
    milliseconds: float
    examined: Examined


def measure(shops: Sequence[Shop], path: Callable[[Shop], str], rounds: int) -> list[Measured]:
    """In turns: each shop is asked first as often as the other. One request before that fills caches."""
    seconds: dict[int, list[float]] = {shop.size: [] for shop in shops}
    for number in range(rounds + 1):
        for shop in shops if number % 2 else reversed(shops):
            started = time.perf_counter()
            _open(shop, path(shop))
            if number:
                seconds[shop.size].append(time.perf_counter() - started)
    return [
        Measured(
            1000 * statistics.median(seconds[shop.size]), examined(shop.database, partial(_open, shop, path(shop)))
        )
        for shop in shops
    ]


def report(shops: Sequence[Shop], measured: Mapping[str, Sequence[Measured]]) -> None:
    sizes = "".join(f"{shop.size:>24,}".replace(",", " ") for shop in shops)
    units = f"{'ms':>10}{'keys':>7}{'docs':>7}" * len(shops)
    sys.stdout.write(f"{'':29}{sizes}\n{'':29}{units}{'ms ×':>11}{'keys ×':>7}\n")
    for name, each in measured.items():
        columns = "".join(f"{one.milliseconds:10.0f}{one.examined.keys:7}{one.examined.documents:7}" for one in each)
        first, last = each[0], each[-1]
        times = last.milliseconds / first.milliseconds
        keys = last.examined.keys / max(1, first.examined.keys)
        sys.stdout.write(f"{name:29}{columns}{times:11.1f}{keys:7.1f}\n")


@contextmanager
def filled_shop(name: str, size: int, *, keep: bool) -> Iterator[Shop]:
    """A database that `python -m bench.<name>.filling <size>` has filled, with a web server and somebody signed in."""
    logging.getLogger("httpx").setLevel(logging.WARNING)
    names = {"MONGODB_DATABASE": f"{name}_{size}", "CASSANDRA_KEYSPACE_PREFIX": f"{name}_{size}"}
    started = time.perf_counter()
    # The package of the benchmarks adds its mark to the names, there as here.
    filling = [sys.executable, "-m", f"bench.{name}.filling", str(size)]
    subprocess.run(filling, env={**os.environ, **names}, check=True)  # noqa: S603 - our own
    _wait_for_copies()
    sys.stdout.write(f"{size} filled in {time.perf_counter() - started:.0f} s\n")
    sys.stdout.flush()
    marked = {variable: f"{value}_bench" for variable, value in names.items()}
    database = marked["MONGODB_DATABASE"]
    try:
        with _serving(marked) as browser:
            yield Shop(size, database, browser)
    finally:
        if not keep:
            _drop(database, marked["CASSANDRA_KEYSPACE_PREFIX"])


def sizes_and_rounds(description: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 1_000_000])
    parser.add_argument("--rounds", type=int, default=15, help="per page and size")
    parser.add_argument("--keep", action="store_true", help="leave the databases, for the next run")
    return parser


def _wait_for_copies() -> None:
    """Filled faster than the secondaries follow, and commits wait for these."""
    while any(lag is None or lag > CLOSE_SECONDS for lag in measure_lag().values()):
        time.sleep(1)


def _open(shop: Shop, path: str) -> None:
    answer = shop.browser.get(path, follow_redirects=True)
    if answer.status_code != 200 or "login" in answer.url.path:
        sys.exit(f"{answer.status_code} {answer.url}")


def _drop(database: str, prefix: str) -> None:
    client().drop_database(database)
    for keyspace in {table.keyspace for table in declared_tables()}:
        name = re.sub(r"^.*_bench", prefix, keyspace)
        CONNECTOR.connection().session.execute(f"DROP KEYSPACE IF EXISTS {name}", execution_profile=SCHEMA)


@contextmanager
def _serving(names: dict[str, str]) -> Iterator[httpx.Client]:
    port = free_port()
    command = [sys.executable, "-m", "uvicorn", "gateway.asgi:application", "--no-proxy-headers", "--port", str(port)]
    environment = {**os.environ, **names, "DEBUG": "false"}
    with (
        tempfile.TemporaryFile() as log,
        subprocess.Popen(command, env=environment, stdout=log, stderr=log) as web,  # noqa: S603 - our own
        httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60) as browser,
    ):
        try:
            if not _is_signed_in(browser):
                log.seek(0)
                sys.exit(f"the web server does not answer:\n{log.read().decode()}")
            yield browser
        finally:
            web.terminate()


def _is_signed_in(browser: httpx.Client) -> bool:
    """Whether the server answered in time and took the password."""
    deadline = time.monotonic() + STARTING_SECONDS
    while time.monotonic() < deadline:
        try:
            page = browser.get("/admin/login/")
        except httpx.ConnectError:
            time.sleep(0.1)
            continue
        token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page.text)
        form = {"username": f"staff@{DOMAIN}", "password": PASSWORD, "csrfmiddlewaretoken": token[1] if token else ""}
        return browser.post("/admin/login/?next=/admin/", data=form).has_redirect_location
    return False
