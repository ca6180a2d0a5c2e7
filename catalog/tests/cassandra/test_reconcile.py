"""Products and their rows in Cassandra, compared and repaired."""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.test import override_settings
from pymongo.database import Database

from catalog.cassandra.sync import SYNCED
from catalog.cassandra.tables import INVENTORY_BY_PRODUCT_GEO, PRODUCT_BY_ID, PRODUCTS_CACHE_BY_REGION
from catalog.products.drafts import StockDraft
from catalog.products.upsert import upsert_product
from catalog.tests.shop import MARINA, draft
from gateway.cassandra.driver.session import CONNECTOR
from gateway.cassandra.writes import write
from gateway.mongo.client import Document
from gateway.sync.batches import by_id
from gateway.sync.comparison import RowDifference
from gateway.sync.copy import copy_documents
from gateway.sync.marks import timestamp_of
from gateway.sync.repair import Finding, reconcile
from gateway.sync.strays import reconcile_strays


@pytest.fixture(autouse=True)
def patient(cluster: None) -> Iterator[None]:
    with override_settings(CASSANDRA_CONNECT_TIMEOUT=20.0, CASSANDRA_REQUEST_TIMEOUT=20.0):
        yield
        CONNECTOR.close()


def copied(shop: Database[Document], product_id: str, *, withdrawn: bool = False) -> Document:
    stock = (StockDraft("msk", 3), StockDraft("spb", 0))
    prices = {"base_price": Decimal("10.00"), "sale_price": None}
    upsert_product(draft(product_id=product_id, stock=stock, withdrawn=withdrawn, **prices), actor=MARINA)
    assert copy_documents(SYNCED, [stored(shop, product_id)]) == 1
    return stored(shop, product_id)


def stored(shop: Database[Document], product_id: str) -> Document:
    found = shop["products"].find_one({"_id": product_id})
    assert found is not None
    return found


def found(*, repair: bool = False) -> list[Finding]:
    return sorted(reconcile(SYNCED, by_id("products"), repair=repair, report=lambda _: None))


def test_rows_of_products_are_compared_and_repaired(shop: Database[Document]) -> None:
    level, page, card, gone, _ = [copied(shop, f"PROD-{number}", withdrawn=number == 4) for number in range(1, 6)]
    assert found() == []
    key = {"product_id": level["_id"], "geozone": "spb"}
    write([INVENTORY_BY_PRODUCT_GEO.delete(key, timestamp=timestamp_of(level))])
    place = {"region": "msk", "category": "audio", "bucket": page["places"][-1]["bucket"], "price": Decimal("10.00")}
    write([PRODUCTS_CACHE_BY_REGION.delete({**place, "product_id": page["_id"]}, timestamp=timestamp_of(page))])
    for product in (card, gone):
        spoilt = {"product_id": product["_id"], "name": "Не то"}
        write([PRODUCT_BY_ID.upsert(spoilt, timestamp=timestamp_of(product, after=True))])
    expected = sorted(
        [
            RowDifference("inventory_by_product_geo", level["_id"], "missing"),
            RowDifference("products_cache_by_region", page["_id"], "missing"),
            RowDifference("product_by_id", card["_id"], "different", ("name",)),
            RowDifference("product_by_id", gone["_id"], "stale"),
        ]
    )

    assert found() == [Finding(each, is_repaired=False) for each in expected]
    assert found(repair=True) == [Finding(each, is_repaired=True) for each in expected]
    assert found() == []


def strays(*, repair: bool = False) -> list[Finding]:
    return sorted(reconcile_strays(SYNCED, repair=repair, report=lambda _: None))


def put(product: Document, timestamp: int, **elsewhere: Any) -> None:
    """The product's row of the region «msk», with a part of its key changed."""
    place = product["places"][-1]
    key = {"region": "msk", "category": place["category"], "bucket": place["bucket"], "price": Decimal("10.00")}
    row = {"product_id": product["_id"], "name": product["name"], "version": product["version"]}
    write([PRODUCTS_CACHE_BY_REGION.upsert({**key, **row, **elsewhere}, timestamp=timestamp)])


def test_regional_rows_that_no_product_makes_are_found_and_deleted(shop: Database[Document]) -> None:
    dearer, abroad, moved, by_hand, _ = [copied(shop, f"PROD-{number}") for number in range(1, 6)]
    assert strays() == []
    put(dearer, timestamp_of(dearer), price=Decimal("11.00"))
    put(abroad, timestamp_of(abroad), region="spb")
    put(moved, timestamp_of(moved), category="video")
    put(by_hand, time.time_ns() // 1_000, bucket=7)
    changed = (dearer, abroad, moved, by_hand)
    expected = sorted(RowDifference("products_cache_by_region", each["_id"], "stale") for each in changed)

    assert strays() == [Finding(each, is_repaired=False) for each in expected]
    assert strays(repair=True) == [Finding(each, is_repaired=True) for each in expected]
    assert strays() == []
    assert found() == []


def test_rows_of_a_product_that_is_no_more_are_deleted_and_one_that_comes_after_it_has_its_own(
    shop: Database[Document],
) -> None:
    copied(shop, "PROD-1")
    for collection in ("products", "product_directory"):
        shop[collection].delete_one({"_id": "PROD-1"})
    names = ["inventory_by_product_geo"] * 2 + ["product_by_id"] + ["products_cache_by_region"] * 2
    expected = [RowDifference(name, "PROD-1", "only_copied") for name in names]

    assert strays() == [Finding(each, is_repaired=False) for each in expected]
    assert strays(repair=True) == [Finding(each, is_repaired=True) for each in expected]
    assert strays() == []
    copied(shop, "PROD-1")
    assert (found(), strays()) == ([], [])


def test_rows_that_move_while_they_are_walked_are_no_strays(shop: Database[Document]) -> None:
    for number in range(3):
        copied(shop, f"PROD-{number}")

    def move() -> None:
        for price in range(11, 16):
            for number in range(3):
                prices = {"base_price": Decimal(price), "sale_price": None}
                upsert_product(draft(product_id=f"PROD-{number}", **prices), actor=MARINA)
                copy_documents(SYNCED, [stored(shop, f"PROD-{number}")])

    with ThreadPoolExecutor(1) as pool:
        moving = pool.submit(move)
        while not moving.done():
            assert strays() == []
        moving.result()

    assert strays() == []


def test_command_compares_products_whole(shop: Database[Document]) -> None:
    product = copied(shop, "PROD-1")
    command = ("reconcile", "--collection", "products")

    output = StringIO()
    call_command(*command, stdout=output)
    assert output.getvalue() == "Nothing differs.\n"

    put(product, timestamp_of(product), region="spb")
    output = StringIO()
    call_command(*command, "--repair", stdout=output)
    assert output.getvalue() == (
        "products  products_cache_by_region  PROD-1  repaired  stale\n1 differences, 1 repaired, 0 left.\n"
    )
