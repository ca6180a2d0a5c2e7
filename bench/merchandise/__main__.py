"""The merchandisers' pages with ten thousand products and with a million, side by side, and the rate of bulk changes.

`make bench B=merchandise`. Of pages the median of the milliseconds and what the shards examined for one request: flat
is the claim. Of bulk changes products a second, of one category, with the audit; then of taking them back.
ARGS="--sizes 10000 100000" for a quick look, "--keep" to measure again without filling again.
"""

import os
import subprocess
import sys
from contextlib import ExitStack

from httpx import QueryParams

from bench.pages import Shop, filled_shop, measure, report, sizes_and_rounds
from catalog.demo.products import product_id

LIST = "/admin/catalog/product/"
# The largest category of the demo shop that has products in every geozone.
CATEGORY = "smartphones"


def main() -> None:
    parser = sizes_and_rounds("The pages of merchandisers, flat from few products to many.")
    parser.add_argument("--changes", type=int, default=10_000, help="products of a bulk change")
    arguments = parser.parse_args()
    with ExitStack() as ended:
        shops = [ended.enter_context(filled_shop("merchandise", size, keep=arguments.keep)) for size in arguments.sizes]
        measured = {name: measure(shops, lambda _, at=path: at, arguments.rounds) for name, path in _pages().items()}  # type: ignore[misc]
        report(shops, measured)
        for shop in shops:
            _change(shop, arguments.changes)


def _pages() -> dict[str, str]:
    filters = {
        "category": {"category": CATEGORY},
        "category, dearest": {"category": CATEGORY, "o": "-4"},
        "price": {"price_from": "5000", "price_to": "6000"},
        "discount": {"discount": "30"},
        "none in Moscow": {"stock": "msk:none"},
        "low in Moscow": {"stock": "msk:low", "category": CATEGORY},
        "attribute": {"attribute": "Цвет=чёрный"},
        "missing image": {"missing": "image"},
        "withdrawn": {"state": "withdrawn"},
        "changed this week": {"changed": "7d"},
        "three together": {"category": CATEGORY, "attribute": "Цвет=чёрный", "stock": "spb:low"},
        "search, a word": {"q": "смартфон"},
        "search, two words": {"q": "samsung чёрный"},
        "search in a category": {"q": "poco", "category": CATEGORY},
        "search, an id": {"q": product_id(4_321)},
        "search, nothing": {"q": "дирижабль"},
    }
    return {
        "home": "/admin/",
        "products": LIST,
        **{f"products, {name}": f"{LIST}?{QueryParams(given)}" for name, given in filters.items()},
        "form": f"{LIST}{product_id(4_321)}/change/",
        "bulk change of a filter": f"/admin/jobs/job/bulk-change/?{QueryParams({'category': CATEGORY})}",
    }


def _change(shop: Shop, changes: int) -> None:
    """In a process of its own, which sees the shop's database."""
    names = {
        "MONGODB_DATABASE": shop.database.removesuffix("_bench"),
        "CASSANDRA_KEYSPACE_PREFIX": shop.database.removesuffix("_bench"),
    }
    command = [sys.executable, "-m", "bench.merchandise.changes", str(changes)]
    subprocess.run(command, env={**os.environ, **names}, check=True)  # noqa: S603 - our own


if __name__ == "__main__":
    main()
