"""Sales per second of our checkout and of one plain transaction, side by side: `make bench`.

Both run on the same cluster in turns, so that a noisy machine disturbs both. `hot`: everybody buys one product.
`uniform`: each buyer three of many. A database of its own, dropped afterwards. Prints medians over the rounds, and what
was oversold, which must be nothing.
"""

import argparse
import os
import statistics
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from decimal import Decimal
from typing import NamedTuple

os.environ["DJANGO_SETTINGS_MODULE"] = "gateway.settings"
os.environ["MONGODB_DATABASE"] = f"{os.environ.get('MONGODB_DATABASE', 'mobile_world')}_bench"

import django

django.setup()

from bson import Decimal128  # noqa: E402 - these need the apps loaded

from bench.plain_checkout import plain_check_out  # noqa: E402
from cart.opening import new_cart  # noqa: E402
from catalog.derived import derived_fields  # noqa: E402
from gateway.accounts.owners import customer_owner  # noqa: E402
from gateway.mongo import topology  # noqa: E402
from gateway.mongo.client import Document, client, database  # noqa: E402
from gateway.mongo.routing import ROUTING  # noqa: E402
from ordering.checkout import check_out  # noqa: E402
from ordering.holds import SETTLE_SECONDS, settle_queued  # noqa: E402
from ordering.purchase import AddressDetails, ContactDetails, Purchase  # noqa: E402

PRODUCTS = 200
CATEGORIES = ("headphones", "laptops", "smartphones", "tablets")
PURCHASE = Purchase(
    geozone="msk",
    contact=ContactDetails("Иван", "ivan@example.com", "+7 999 123-45-67"),
    shipping_address=AddressDetails("Москва", "Тверская, 1"),
    expected_total=Decimal(10) ** 9,
)

CheckOut = Callable[[str, Purchase], object]


class Round(NamedTuple):
    sales_per_second: float
    p95_ms: float


def main() -> None:
    arguments = _arguments()
    try:
        topology.apply(database())
        ROUTING.refresh(client(), database().name)
        for load in ("hot", "uniform"):
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


def _sell(load: str, check: CheckOut, buyers: int, threads: int) -> Round:
    owners = _prepare(load, buyers)

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
    """What a worker does in the shop: settles the holds of committed orders now and then. Its work is measured too."""
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


def _prepare(load: str, buyers: int) -> list[str]:
    """Empty the shop, stock it, fill a cart for each buyer."""
    for name in ("products", "product_directory", "carts", "orders", "order_numbers"):
        database()[name].delete_many({})
    products = [_product(number, buyers) for number in range(PRODUCTS)]
    database()["products"].insert_many(products)
    database()["product_directory"].insert_many(
        [{"_id": product["_id"], "category": product["category"]} for product in products]
    )
    database()["geozones"].replace_one({"_id": "msk"}, {"name": "Москва", "position": 1}, upsert=True)
    owners = [customer_owner(f"{number:024x}") for number in range(buyers)]
    database()["carts"].insert_many(
        [new_cart(owner, _items(load, number, products), "msk") for number, owner in enumerate(owners)]
    )
    return owners


def _product(number: int, buyers: int) -> Document:
    document: Document = {
        "_id": f"BENCH-{number}",
        "category": CATEGORIES[number % len(CATEGORIES)],
        "name": f"Товар {number}",
        "description": "",
        "prices": {"base": Decimal128("100.00"), "sale": None},
        "stock": [{"geozone": "msk", "quantity": buyers * 3, "reserved": 0}],
        "attributes": {},
        "images": [],
        "withdrawn": False,
        "holds": [],
        "version": 1,
        "synced_version": 0,
    }
    return document | derived_fields(document)


def _items(load: str, number: int, products: Sequence[Document]) -> list[Document]:
    chosen = [products[0]] if load == "hot" else [products[(number * 3 + step) % PRODUCTS] for step in range(3)]
    return [
        {
            "product_id": product["_id"],
            "category": product["category"],
            "name": product["name"],
            "quantity": 1,
            "price_seen": product["price"],
        }
        for product in chosen
    ]


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
