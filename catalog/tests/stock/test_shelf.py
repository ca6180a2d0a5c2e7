"""What runs low is known by every write of stock, and costs the indexes nothing until a mark is crossed."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from pymongo.database import Database

from catalog.models import BY_SHELF, LOW_ON_SALE, Product
from catalog.products.drafts import StockDraft
from catalog.products.upsert import upsert_product
from catalog.stock.adjust import adjust_stock
from catalog.stock.reservations import PUT_BACK, WRITE_OFF, Hold, Offer, Pieces, Purpose, change_stock, release, reserve
from catalog.structure.guard import place_in
from catalog.tests.shop import MARINA, assert_whole, draft
from gateway.mongo.client import Document, client
from gateway.mongo.client import database as sync_database
from gateway.mongo.lag import _shard_client as shard_client
from gateway.mongo.transactions import in_transaction

pytestmark = pytest.mark.usefixtures("two_shards")

HOLD = Hold("hold", Purpose.CHECKOUT, "order", "u:1")


def shelf(shop: Database[Document]) -> list[str]:
    (product,) = shop["products"].find()
    found: list[str] = product["shelf"]
    return found


def pieces(quantity: int) -> Pieces:
    return Pieces("audio", "PROD-1", quantity)


def change(quantity: int, what: Any, receipt: str) -> None:
    until = datetime.now(UTC) + timedelta(minutes=5)
    change_stock([pieces(quantity)], "msk", what, receipt=receipt, order_id="order", until=until)


def test_every_write_of_stock_moves_the_marks(shop: Database[Document]) -> None:
    shop["categories"].update_one({"_id": "sound"}, {"$set": {"low_at": 3}})
    upsert_product(draft(stock=(StockDraft("msk", 5), StockDraft("spb", 0))), actor=MARINA)
    seen = [shelf(shop)]

    reserve([Offer(pieces(2), Decimal("3990.00"))], "msk", HOLD)
    seen.append(shelf(shop))
    reserve([Offer(pieces(3), None)], "msk", HOLD._replace(id="another"))
    seen.append(shelf(shop))
    release([pieces(3)], "another")
    seen.append(shelf(shop))
    change(2, WRITE_OFF, "sent")
    seen.append(shelf(shop))
    change(1, PUT_BACK, "returned")
    seen.append(shelf(shop))
    adjust_stock("PROD-1", "spb", delta=3, actor=MARINA, reason="поставка")
    seen.append(shelf(shop))
    upsert_product(draft(stock=(StockDraft("msk", 0),)), actor=MARINA)
    seen.append(shelf(shop))

    assert seen == [
        ["spb:none"],
        ["msk:low", "spb:none"],
        ["msk:none", "spb:none"],
        ["msk:low", "spb:none"],
        ["msk:low", "spb:none"],
        ["spb:none"],
        ["spb:low"],
        ["msk:none", "spb:low"],
    ]
    assert_whole(shop)


def test_product_takes_the_threshold_of_the_category_it_comes_into(shop: Database[Document]) -> None:
    shop["categories"].update_one({"_id": "sound"}, {"$set": {"low_at": 10}})
    shop["categories"].update_one({"_id": "video"}, {"$set": {"low_at": 2}})

    made = upsert_product(draft(), actor=MARINA).document
    moved = upsert_product(draft(category="video"), actor=MARINA).document

    assert (made["low_at"], made["shelf"]) == (10, ["msk:low"])
    assert (moved["low_at"], moved["shelf"]) == (2, [])


def test_place_is_read_by_one_command_with_the_nearest_threshold(shop: Database[Document]) -> None:
    shop["categories"].insert_one({"_id": "ears", "name": "Наушники", "path": ["sound", "audio"], "position": 1})
    thresholds = {"sound": 7, "audio": None}
    for slug, low_at in thresholds.items():
        shop["categories"].update_one({"_id": slug}, {"$set": {"low_at": low_at}})

    ears, audio, video, nothing = in_transaction(lambda: [place_in(s) for s in ("ears", "audio", "video", "none")])

    assert (ears.errors, ears.low_at) == ([], 7)
    assert [error.code.value for error in audio.errors] == ["INVALID"]
    assert (video.errors, video.low_at) == ([], 5)
    assert [error.code.value for error in nothing.errors] == ["NOT_FOUND"]


# ---------------------------------------------------------------- what a sale costs the indexes


def index_writes() -> dict[str, int]:
    """How many keys were written to and removed from each index of the products, on all shards, since they started."""
    stages: list[Document] = [{"$collStats": {"storageStats": {}}}]
    counted = dict.fromkeys([index.name for index in Product.collection.indexes], 0)
    for shard in client().config.shards.find():
        for stats in shard_client(shard["host"])[sync_database().name]["products"].aggregate(stages):
            for name, details in stats["storageStats"]["indexDetails"].items():
                if name in counted:
                    counted[name] += details["cursor"]["insert calls"] + details["cursor"]["remove calls"]
    return counted


@contextmanager
def touched() -> Iterator[set[str]]:
    """The indexes that were written to meanwhile."""
    before, names = index_writes(), set[str]()
    yield names
    names |= {name for name, count in index_writes().items() if count != before[name]}


def test_selling_touches_an_index_only_where_a_mark_is_crossed(shop: Database[Document]) -> None:
    upsert_product(draft(stock=(StockDraft("msk", 9),)), actor=MARINA)

    with touched() as plenty:
        assert reserve([Offer(pieces(1), None)], "msk", HOLD)
    with touched() as crossing:
        assert reserve([Offer(pieces(3), None)], "msk", HOLD._replace(id="2"))
    with touched() as low:
        assert reserve([Offer(pieces(4), None)], "msk", HOLD._replace(id="3"))

    assert shelf(shop) == ["msk:low"]
    marks = {"created_at_1", "unsynced.due_1"}  # of the checkout and of the copy, as before
    assert BY_SHELF.name not in plenty
    assert plenty <= marks
    assert crossing - marks == {BY_SHELF.name, LOW_ON_SALE.name}
    assert low <= marks
