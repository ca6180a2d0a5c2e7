"""Products in Cassandra: card, stock and regional rows follow every change, and no row is left where one was."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from typing import Any, cast

import pytest
from django.test import override_settings
from pymongo.database import Database

from catalog.cassandra.rows import Place, product_of, rows_of, stock_of
from catalog.cassandra.sync import SYNCED
from catalog.cassandra.tables import ANYWHERE, INVENTORY_BY_PRODUCT_GEO, PRODUCT_BY_ID, PRODUCTS_CACHE_BY_REGION
from catalog.documents import ProductDocument
from catalog.products.cards import ProductKey
from catalog.products.drafts import StockDraft
from catalog.products.upsert import upsert_product
from catalog.stock.adjust import adjust_stock
from catalog.stock.reservations import Hold, Offer, Pieces, Purpose, release, reserve
from catalog.tests.shop import MARINA, draft
from gateway.cassandra.driver.session import CONNECTOR
from gateway.cassandra.partition_stats import PARTITION_STATS, TRUSTED, buckets_of, measure
from gateway.cassandra.reads import read
from gateway.cassandra.statements import Row
from gateway.cassandra.writes import write
from gateway.mongo.client import Document
from gateway.redis.clients import redis_client
from gateway.sync import queue
from gateway.sync.copy import copy_documents
from gateway.sync.marks import CHANGED
from gateway.sync.queue import sync_soon

PRODUCT = "PROD-1"
NOT_ON_A_CARD = {
    *("holds", "places", "synced_version", "unsynced"),
    *("sort_name", "available_in", "facets", "terms", "standing", "discount", "shelf", "missing", "pictures"),
    # What staff alone ask for.
    *("low_at", "edited_at", "edited_by"),
}


@pytest.fixture(autouse=True)
def patient(cluster: None) -> Iterator[None]:
    with override_settings(CASSANDRA_CONNECT_TIMEOUT=20.0, CASSANDRA_REQUEST_TIMEOUT=20.0):
        CONNECTOR.close()
        TRUSTED.forget()
        write([PARTITION_STATS.delete({"table_name": PRODUCTS_CACHE_BY_REGION.name})])
        yield
        CONNECTOR.close()


def sell(product_id: str = PRODUCT, **changes: Any) -> ProductDocument:
    """At 3990.00, nowhere in stock, unless said otherwise."""
    stock = tuple(StockDraft(*level) for level in changes.pop("stock", ()))
    wanted = {"product_id": product_id, "base_price": Decimal("3990.00"), "sale_price": None, "stock": stock or None}
    return upsert_product(draft(**wanted | changes), actor=MARINA).document


def stored(shop: Database[Document], product_id: str = PRODUCT) -> Document:
    found = shop["products"].find_one({"_id": product_id})
    assert found is not None
    return found


def copy(shop: Database[Document], product_id: str = PRODUCT) -> None:
    assert copy_documents(SYNCED, [stored(shop, product_id)]) == 1


def regional_rows() -> list[Row]:
    """All there are, by brute force."""
    session = CONNECTOR.connection().session
    return list(session.execute(f"SELECT * FROM {PRODUCTS_CACHE_BY_REGION.full_name}"))  # noqa: S608 - our own name


def places() -> list[tuple[str, str, Decimal]]:
    return sorted((row["region"], row["category"], row["price"]) for row in regional_rows())


def assert_in_step(shop: Database[Document], product_id: str = PRODUCT) -> Document:
    now = stored(shop, product_id)
    assert now["synced_version"] == now["version"]
    assert "unsynced" not in now
    assert len(now["places"]) == 1
    expected: dict[str, list[Row]] = {table.name: [] for table in SYNCED.tables}
    for table, row in rows_of(cast("ProductDocument", now), Place(**now["places"][0])):
        expected[table.name].append(row)
    by_id = ("product_id = ?", product_id)
    assert read(PRODUCT_BY_ID.select(*by_id)) == expected["product_by_id"]
    inventory = read(INVENTORY_BY_PRODUCT_GEO.select(*by_id))
    assert sorted(inventory, key=_position) == expected["inventory_by_product_geo"]
    regional = [row for row in regional_rows() if row["product_id"] == product_id]
    assert sorted(regional, key=_region) == sorted(expected["products_cache_by_region"], key=_region)
    return now


def _position(row: Row) -> Any:
    return row["position"]


def _region(row: Row) -> Any:
    return row["region"]


def test_rows_make_the_card_and_the_stock_again(shop: Database[Document]) -> None:
    sell(stock=(("spb", 2), ("msk", 5)))
    copy(shop)

    now = assert_in_step(shop)

    card = {name: value for name, value in now.items() if name not in NOT_ON_A_CARD}
    (row,) = read(PRODUCT_BY_ID.select("product_id = ?", PRODUCT))
    assert product_of(row) == card
    assert list(product_of(row)["attributes"]) == list(now["attributes"])
    assert stock_of(read(INVENTORY_BY_PRODUCT_GEO.select("product_id = ?", PRODUCT))) == now["stock"]


def test_product_stands_where_it_can_be_had_and_anywhere(shop: Database[Document]) -> None:
    sell(stock=(("msk", 5), ("spb", 0)))
    copy(shop)

    assert places() == [("*", "audio", Decimal("3990.00")), ("msk", "audio", Decimal("3990.00"))]


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"base_price": Decimal("2990.00")}, [("*", "audio", "2990.00"), ("msk", "audio", "2990.00")]),
        ({"category": "video"}, [("*", "video", "3990.00"), ("msk", "video", "3990.00")]),
        ({"stock": (("msk", 0), ("spb", 1))}, [("*", "audio", "3990.00"), ("spb", "audio", "3990.00")]),
    ],
    ids=["price", "category", "availability"],
)
def test_change_that_moves_a_row_leaves_none_behind(
    shop: Database[Document], change: dict[str, Any], expected: list[tuple[str, str, str]]
) -> None:
    sell(stock=(("msk", 5),))
    copy(shop)

    sell(**change)
    copy(shop)

    assert places() == [(region, category, Decimal(price)) for region, category, price in expected]
    assert_in_step(shop)


def test_stock_of_a_geozone_that_the_product_has_left_is_gone(shop: Database[Document]) -> None:
    sell(stock=(("msk", 5), ("spb", 2)))
    copy(shop)

    shop["products"].update_one({"_id": PRODUCT}, [{"$set": {"stock": {"$slice": ["$stock", 1]}, **CHANGED}}])
    copy(shop)
    copy(shop)

    assert_in_step(shop)
    assert [row["geozone"] for row in read(INVENTORY_BY_PRODUCT_GEO.select("product_id = ?", PRODUCT))] == ["msk"]


def test_price_that_goes_and_comes_back_has_its_row_again(shop: Database[Document]) -> None:
    for price in ("3990.00", "2990.00", "3990.00"):
        sell(base_price=Decimal(price))
        copy(shop)

    assert places() == [("*", "audio", Decimal("3990.00"))]


def test_withdrawn_product_has_no_rows_and_one_that_returns_has_them_again(shop: Database[Document]) -> None:
    sell(stock=(("msk", 5),))
    copy(shop)

    sell(withdrawn=True)
    copy(shop)

    assert places() == []
    assert read(PRODUCT_BY_ID.select("product_id = ?", PRODUCT)) == []
    assert read(INVENTORY_BY_PRODUCT_GEO.select("product_id = ?", PRODUCT)) == []
    assert stored(shop)["places"] == []
    sell(withdrawn=False)
    copy(shop)
    assert_in_step(shop)


def test_late_copy_of_an_older_price_leaves_no_row(shop: Database[Document]) -> None:
    sell()
    before = cast("ProductDocument", stored(shop))
    older = cast("ProductDocument", {**before, **SYNCED.placed(before)})
    shop["products"].update_one({"_id": PRODUCT}, {"$set": {"places": older["places"]}})
    sell(base_price=Decimal("2990.00"))
    copy(shop)

    write(list(SYNCED.writes(older)))

    assert places() == [("*", "audio", Decimal("2990.00"))]
    assert_in_step(shop)


def test_prices_that_change_while_many_copy_leave_one_row(shop: Database[Document]) -> None:
    sell(stock=(("msk", 5),))

    def copy_often(_: int) -> None:
        for _each in range(8):
            copy_documents(SYNCED, [stored(shop)])

    def change_often(number: int) -> None:
        for step in range(8):
            sell(base_price=Decimal(1000 + 10 * step + number))

    with ThreadPoolExecutor(max_workers=4) as pool:
        running = [pool.submit(copy_often, number) for number in range(3)]
        running.append(pool.submit(change_often, 1))
        for each in running:
            each.result()

    copy_documents(SYNCED, [stored(shop)])
    assert places() == [("*", "audio", Decimal("1071.00")), ("msk", "audio", Decimal("1071.00"))]
    assert_in_step(shop)


def test_no_more_documents_wait_than_may(shop: Database[Document], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queue, "WAITING", 3)
    redis_client().delete("sync:products")

    for number in range(10):
        sync_soon("products", [("audio", f"PROD-{number}")])

    assert redis_client().scard("sync:products") == 3
    redis_client().delete("sync:products")


def test_sales_move_no_row_and_wait_as_one(shop: Database[Document]) -> None:
    sell(stock=(("msk", 5),))
    copy(shop)
    before = stored(shop)["places"]
    redis_client().delete("sync:products")

    pieces = Pieces("audio", PRODUCT, 1)
    for number in range(3):
        hold = Hold(f"hold-{number}", Purpose.CHECKOUT, f"order-{number}", "u:1")
        assert reserve([Offer(pieces, Decimal("3990.00"))], "msk", hold)
    release([pieces], "hold-0")
    adjust_stock(PRODUCT, "msk", actor=MARINA, reason="пересчёт", delta=1)

    assert redis_client().scard("sync:products") == 1
    copy(shop)
    assert assert_in_step(shop)["places"] == before


def test_large_category_gets_more_buckets_and_its_products_stay(shop: Database[Document]) -> None:
    early = [f"EARLY-{number}" for number in range(3)]
    for product_id in early:
        sell(product_id)
        copy(shop, product_id)
    measure(PRODUCTS_CACHE_BY_REGION, (ANYWHERE, "audio", 0))
    TRUSTED.forget()

    with override_settings(CASSANDRA_PARTITION_ROWS=1):
        for number in range(6):
            sell(f"LATE-{number}")
            copy(shop, f"LATE-{number}")
        for product_id in early:
            sell(product_id, base_price=Decimal("100.00"))
            copy(shop, product_id)

    assert {stored(shop, product_id)["places"][0]["bucket"] for product_id in early} == {0}
    assert len({stored(shop, f"LATE-{number}")["places"][0]["bucket"] for number in range(6)}) > 1
    assert buckets_of(PRODUCTS_CACHE_BY_REGION, ANYWHERE, "audio") == range(4)


def test_keys_of_products_are_what_the_sync_asks_by(shop: Database[Document]) -> None:
    sell()

    (found,) = SYNCED.find([ProductKey("audio", PRODUCT)])

    assert SYNCED.key_of(found) == ProductKey("audio", PRODUCT)
