"""Sales per second of our checkout and of one plain transaction, side by side: `make bench`.

Both run on the same cluster in turns, so that a noisy machine disturbs both. `hot`: everybody buys one product.
`uniform`: each buyer buys three of many. It uses a database of its own, dropped afterwards, and prints medians over the
rounds and what was oversold, which must be nothing.
"""

import argparse
import statistics
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import NamedTuple

from bench.plain_checkout import plain_check_out
from bench.shop import PURCHASE, Load, prepare
from gateway.mongo import topology
from gateway.mongo.client import client, database
from gateway.mongo.routing import ROUTING
from ordering.checkout.checkout import check_out
from ordering.checkout.holds import SETTLE_SECONDS, settle_queued
from ordering.checkout.request import Purchase

LOADS: tuple[Load, ...] = ("hot", "uniform")

CheckOut = Callable[[str, Purchase], object]


class Round(NamedTuple):
    sales_per_second: float
    p95_ms: float


def main() -> None:
    arguments = _arguments()
    try:
        topology.apply(database())
        ROUTING.refresh(client(), database().name)
        for load in LOADS:
            rounds: dict[str, list[Round]] = {"plain": [], "ours": []}
            for number in range(arguments.rounds):
                # Each goes first as often as the other.
                names = ("plain", "ours") if number % 2 else ("ours", "plain")
                for name in names:
                    check: CheckOut = check_out if name == "ours" else plain_check_out
                    rounds[name].append(_sell(load, check, arguments.buyers, arguments.threads))
            _report(load, rounds)
    finally:
        client().drop_database(database().name)


def _sell(load: Load, check: CheckOut, buyers: int, threads: int) -> Round:
    owners = prepare(load, buyers)

    def buy(owner: str) -> float:
        started = time.perf_counter()
        check(owner, PURCHASE)
        return time.perf_counter() - started

    with _settling(), ThreadPoolExecutor(threads) as pool:
        started = time.perf_counter()
        seconds = list(pool.map(buy, owners))
        elapsed = time.perf_counter() - started
    _check_stock()
    return Round(len(owners) / elapsed, 1000 * statistics.quantiles(seconds, n=20)[-1])


@contextmanager
def _settling() -> Iterator[None]:
    """Settle the holds of committed orders now and then, as a worker does in the shop. Its work is measured too."""
    ended = threading.Event()

    def work() -> None:
        while not ended.wait(SETTLE_SECONDS):
            settle_queued()
        settle_queued()

    worker = threading.Thread(target=work)
    worker.start()
    try:
        yield
    finally:
        ended.set()
        worker.join()


def _check_stock() -> None:
    ordered = sum(item["quantity"] for order in database()["orders"].find() for item in order["items"])
    reserved = sum(level["reserved"] for product in database()["products"].find() for level in product["stock"])
    if ordered != reserved:
        sys.exit(f"{ordered} pieces were ordered, {reserved} are reserved")


def _report(load: str, rounds: dict[str, list[Round]]) -> None:
    medians = {
        name: Round(*(statistics.median(values) for values in zip(*each, strict=True))) for name, each in rounds.items()
    }
    for name, median in medians.items():
        sys.stdout.write(f"{load:8} {name:6} {median.sales_per_second:7.1f} sales/s   p95 {median.p95_ms:8.1f} ms\n")
    ratio = medians["ours"].sales_per_second / medians["plain"].sales_per_second
    sys.stdout.write(f"{load:8} ours / plain: {ratio:.1f}, oversold 0\n")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Sales per second: our checkout and one plain transaction.")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--buyers", type=int, default=300, help="per round")
    parser.add_argument("--threads", type=int, default=64)
    return parser.parse_args()


if __name__ == "__main__":
    main()
