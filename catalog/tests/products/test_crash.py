"""A process killed anywhere in the middle of writes: everything it began is whole or absent."""

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from pymongo.database import Database

from catalog.products.drafts import StockDraft
from catalog.products.upsert import upsert_product
from catalog.stock.adjust import adjust_stock
from catalog.tests.shop import MARINA, assert_whole, draft, shop, two_shards
from gateway.mongo.client import Document

__all__ = ["shop", "two_shards"]

ROOT = Path(__file__).parents[3]
KILLS = 5
# The writers are forked before anything is connected: Django starts once for all of them.
PROGRAM = """
import os, django
django.setup()
from catalog.tests.test_crash import KILLS, write_until_killed
for number in range(KILLS):
    if os.fork() == 0:
        write_until_killed(f"KILL-{number}")
for number in range(KILLS):
    os.wait()
"""


@pytest.fixture
def writers(shop: Database[Document]) -> Iterator[list[int]]:
    """Processes that write; each has done so before."""
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "gateway.test_settings", "MONGODB_DATABASE": shop.name}
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM], cwd=ROOT, env=environment, stdout=subprocess.PIPE, start_new_session=True
    ) as parent:
        try:
            assert parent.stdout is not None
            yield [int(parent.stdout.readline()) for _ in range(KILLS)]
        finally:
            os.killpg(parent.pid, signal.SIGKILL)


@pytest.mark.usefixtures("two_shards")
def test_process_killed_at_any_moment_leaves_nothing_half_done(shop: Database[Document], writers: list[int]) -> None:
    chance = random.Random(7)  # noqa: S311 - the same test every time
    for writer in writers:
        time.sleep(chance.uniform(0.0, 0.2))
        os.kill(writer, signal.SIGKILL)

    # Each waits until the server has dropped the transaction of the dead.
    for number in range(KILLS):
        upsert_product(draft(product_id=f"KILL-{number}", name="Жив"), actor=MARINA)
        adjust_stock(f"KILL-{number}", "msk", delta=1, reason="проверка", actor=MARINA)
    assert_whole(shop)
    products = list(shop["products"].find())
    assert len(products) > KILLS
    for product in products:
        told = shop["audit"].count_documents({"target": f"product:{product['_id']}"})
        assert product["version"] == told, "each version has its audit entry and each entry its version"


def write_until_killed(name: str) -> None:
    """Makes products, moves one of its own to and fro and changes its stock; says its pid when it has begun."""
    for number in range(100_000):
        upsert_product(draft(product_id=f"{name}-{number}", stock=(StockDraft("msk", 1),)), actor=MARINA)
        category = ("video", "audio")[number % 2]
        upsert_product(draft(product_id=name, category=category, stock=None), actor=MARINA)
        adjust_stock(name, "msk", delta=1, reason="поставка", actor=MARINA)
        if number == 0:
            os.write(sys.stdout.fileno(), f"{os.getpid()}\n".encode())
