"""A process killed anywhere in the middle of writes: everything it began is whole or absent."""

import os
import random
import signal
import time
from collections.abc import Iterator

import pytest
from pymongo.database import Database

from catalog.products.upsert import upsert_product
from catalog.stock.adjust import adjust_stock
from catalog.tests.products.writers import KILLS
from catalog.tests.shop import MARINA, assert_whole, draft
from gateway.mongo.client import Document
from gateway.tests.races import python_process, short_transactions


@pytest.fixture
def writers(shop: Database[Document]) -> Iterator[list[int]]:
    """Processes that write; each has done so before."""
    with short_transactions(), python_process(shop, "-m", "catalog.tests.products.writers") as parent:
        assert parent.stdout is not None
        yield [int(parent.stdout.readline()) for _ in range(KILLS)]


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
