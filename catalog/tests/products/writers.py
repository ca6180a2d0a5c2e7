"""Processes that write until they are killed: `python -m catalog.tests.products.writers` on the test database."""

import os
import sys

import django

django.setup()

from catalog.products.drafts import StockDraft  # noqa: E402 - these need the apps loaded
from catalog.products.upsert import upsert_product  # noqa: E402
from catalog.stock.adjust import adjust_stock  # noqa: E402
from catalog.tests.shop import MARINA, draft  # noqa: E402

KILLS = 5


def write_until_killed(name: str) -> None:
    """Makes products, moves one of its own to and fro and changes its stock; says its pid when it has begun."""
    for number in range(100_000):
        upsert_product(draft(product_id=f"{name}-{number}", stock=(StockDraft("msk", 1),)), actor=MARINA)
        category = ("video", "audio")[number % 2]
        upsert_product(draft(product_id=name, category=category, stock=None), actor=MARINA)
        adjust_stock(name, "msk", delta=1, reason="поставка", actor=MARINA)
        if number == 0:
            os.write(sys.stdout.fileno(), f"{os.getpid()}\n".encode())


def main() -> None:
    """The writers are forked before anything is connected: Django starts once for all of them."""
    for number in range(KILLS):
        if os.fork() == 0:
            write_until_killed(f"KILL-{number}")
    for _ in range(KILLS):
        os.wait()


if __name__ == "__main__":
    main()
