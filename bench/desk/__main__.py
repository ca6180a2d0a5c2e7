"""The support desk with ten thousand orders and with a million, side by side: `make bench B=desk`.

Two databases, two web servers, one person signed in to each who opens the same pages in turns, so that a noisy machine
disturbs both. Printed are the median of the milliseconds and what the shards examined for one request: flat is the
claim. ARGS="--sizes 10000 100000" for a quick look, "--keep" to measure again without filling again.
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
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import NamedTuple

import httpx

from bench.desk.orders import (
    ORDERS,
    RARE_NAME,
    WAITING,
    contact_of,
    let_expire_soon,
    number_of,
    product_of,
    reference_of,
)
from bench.desk.profiler import Examined, examined
from gateway.accounts.demo import DOMAIN, PASSWORD
from gateway.cassandra.driver.session import CONNECTOR, SCHEMA
from gateway.cassandra.table import declared_tables
from gateway.mongo.client import client
from gateway.tests.redis_servers import free_port

LIST = "/admin/ordering/order/"
STARTING_SECONDS = 60.0
# One that has reached its end, with a payment; in the smallest shop, too.
SOUGHT = 4 * WAITING + 1


class Shop(NamedTuple):
    size: int
    database: str
    browser: httpx.Client
    order_id: str


class Measured(NamedTuple):
    milliseconds: float
    examined: Examined


def main() -> None:
    arguments = _arguments()
    logging.getLogger("httpx").setLevel(logging.WARNING)
    with ExitStack() as ended:
        shops = [ended.enter_context(_shop(size, keep=arguments.keep)) for size in arguments.sizes]
        _report(shops, {name: _measure(shops, path, arguments.rounds) for name, path in _pages().items()})


def _pages() -> dict[str, str]:
    """What a person opens; `{id}` is the order's."""
    contact = contact_of(SOUGHT)
    sought = {
        "number": number_of(SOUGHT),
        "phone": contact.phone,
        "e-mail": contact.email,
        "name": contact.name,
        "a rare name": RARE_NAME,
        "last four and name": f"{contact.phone.replace('-', '')[-4:]} {contact.name}",
        "product id": product_of(SOUGHT),
        "payment reference": reference_of(SOUGHT),
        "nothing": "Никтоев Никто",
    }
    return {
        "home with its queues": "/admin/",
        "orders": LIST,
        "orders, delivered": f"{LIST}?status=delivered",
        "orders, to pack": f"{LIST}?queue=to_pack",
        "orders, to refund": f"{LIST}?queue=to_refund",
        **{f"search, {what}": f"{LIST}?{httpx.QueryParams({'q': text})}" for what, text in sought.items()},
        "an order": f"{LIST}{{id}}/change/",
    }


def _measure(shops: Sequence[Shop], path: str, rounds: int) -> list[Measured]:
    """In turns: each shop is asked first as often as the other. One request before that fills caches."""
    seconds: dict[int, list[float]] = {shop.size: [] for shop in shops}
    for number in range(rounds + 1):
        for shop in shops if number % 2 else reversed(shops):
            started = time.perf_counter()
            _open(shop, path)
            if number:
                seconds[shop.size].append(time.perf_counter() - started)
    return [_measured(shop, path, seconds[shop.size]) for shop in shops]


def _measured(shop: Shop, path: str, seconds: Sequence[float]) -> Measured:
    return Measured(1000 * statistics.median(seconds), examined(shop.database, lambda: _open(shop, path)))


def _open(shop: Shop, path: str) -> None:
    answer = shop.browser.get(path.format(id=shop.order_id), follow_redirects=True)
    if answer.status_code != 200 or "login" in answer.url.path:
        sys.exit(f"{answer.status_code} {answer.url}")


def _report(shops: Sequence[Shop], measured: dict[str, list[Measured]]) -> None:
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
def _shop(size: int, *, keep: bool) -> Iterator[Shop]:
    """A filled database with a web server on it, and somebody signed in."""
    names = {"MONGODB_DATABASE": f"desk_{size}", "CASSANDRA_KEYSPACE_PREFIX": f"desk_{size}"}
    started = time.perf_counter()
    # The package of the benchmarks adds its mark to the names, there as here.
    subprocess.run([sys.executable, "-m", "bench.desk.orders", str(size)], env={**os.environ, **names}, check=True)  # noqa: S603 - our own
    sys.stdout.write(f"{size} orders filled in {time.perf_counter() - started:.0f} s\n")
    sys.stdout.flush()
    marked = {name: f"{value}_bench" for name, value in names.items()}
    database = marked["MONGODB_DATABASE"]
    try:
        let_expire_soon(client()[database][ORDERS])
        found = client()[database][ORDERS].find_one({"keys": f"number:{number_of(SOUGHT)}"}, ["_id"])
        if found is None:
            sys.exit(f"{size} orders are too few")
        with _serving(marked) as browser:
            yield Shop(size, database, browser, found["_id"])
    finally:
        if not keep:
            _drop(database, marked["CASSANDRA_KEYSPACE_PREFIX"])


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


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="The pages of the support desk, flat from few orders to many.")
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 1_000_000])
    parser.add_argument("--rounds", type=int, default=15, help="per page and size")
    parser.add_argument("--keep", action="store_true", help="leave the databases, for the next run")
    return parser.parse_args()


if __name__ == "__main__":
    main()
