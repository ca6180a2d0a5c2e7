"""What a cart or an order reads of products: fresh, withdrawn ones too, wherever they have moved."""

import pytest
from pymongo.database import Database

from catalog.products.cards import ProductKey, is_on_sale, products_to_buy
from catalog.products.upsert import upsert_product
from catalog.tests.shop import MARINA, draft
from gateway.mongo.client import Document
from gateway.mongo.commands import COMMANDS, Sent
from gateway.mongo.reads import run_steps

pytestmark = pytest.mark.usefixtures("two_shards", "shop", "known_tree")


def test_products_of_two_shards_come_by_one_command() -> None:
    upsert_product(draft(), actor=MARINA)
    upsert_product(draft(product_id="PROD-2", category="video", withdrawn=True), actor=MARINA)

    with COMMANDS.counted() as sent:
        found = run_steps(products_to_buy([ProductKey("audio", "PROD-1"), ProductKey("video", "PROD-2")]))

    assert sent == {Sent("find", "products", "stock.check", 2): 1}
    assert {product_id: is_on_sale(product) for product_id, product in found.items()} == {
        "PROD-1": True,
        "PROD-2": False,
    }


def test_product_that_moved_is_found_through_the_directory() -> None:
    upsert_product(draft(category="video"), actor=MARINA)

    with COMMANDS.counted() as sent:
        found = run_steps(products_to_buy([ProductKey("audio", "PROD-1")]))

    assert found["PROD-1"]["category"] == "video"
    assert sent == {
        Sent("find", "products", "stock.check", 1): 2,
        Sent("find", "product_directory", "stock.check", 1): 1,
    }


def test_unknown_product_is_absent() -> None:
    assert run_steps(products_to_buy([ProductKey("audio", "PROD-404")])) == {}


def test_nothing_asks_nothing() -> None:
    with COMMANDS.counted() as sent:
        assert run_steps(products_to_buy([])) == {}

    assert sent == {}


def test_checkouts_in_flight_are_left_out(shop: Database[Document]) -> None:
    upsert_product(draft(), actor=MARINA)
    shop["products"].update_one({"category": "audio", "_id": "PROD-1"}, {"$push": {"holds": {"quantity": 1}}})

    found = run_steps(products_to_buy([ProductKey("audio", "PROD-1")]))

    assert "holds" not in found["PROD-1"]
    assert "terms" not in found["PROD-1"]
