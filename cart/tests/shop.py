"""A shop with products to put into carts, and the carts of a guest and a customer."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

import pytest
from pymongo.database import Database

from cart.documents import CartDocument
from cart.line_checks import LineWanted
from cart.lines import add_lines
from catalog.products.cards import ProductKey
from catalog.products.drafts import StockDraft
from catalog.products.upsert import upsert_product
from catalog.tests.shop import MARINA, draft
from gateway.accounts.owners import customer_owner, guest_owner, session_hash
from gateway.mongo.client import Document
from gateway.sync.queue import sync_soon
from gateway.tests.beginnings import Beginning

GUEST = guest_owner(session_hash("a-session-of-a-guest"))
CUSTOMER = customer_owner("665f1c2ab0a1c2d3e4f50617")

NAMES = {"PROD-1": "Наушники Тишина", "PROD-2": "Телевизор Окно", "PROD-3": "Колонка Эхо"}
HOMES = {"PROD-1": "audio", "PROD-2": "video", "PROD-3": "audio"}


@pytest.fixture
def stocked(two_shards: None, shop: Database[Document]) -> Database[Document]:
    """Three products on two shards: 3990.00 (10 in Moscow), 49990.00 (2 in Moscow), 1990.00 (nowhere)."""
    _stock()
    sync_soon("products", [ProductKey(HOMES[product_id], product_id) for product_id in NAMES])
    return shop


def sell(product_id: str, price: Decimal, *, withdrawn: bool = False, **stock: int) -> None:
    """Make the product, or change its price."""
    upsert_product(
        draft(
            product_id=product_id,
            name=NAMES.get(product_id, product_id),
            category=HOMES.get(product_id, "audio"),
            base_price=price,
            sale_price=None,
            stock=tuple(StockDraft(geozone, quantity) for geozone, quantity in stock.items()) or None,
            withdrawn=withdrawn,
        ),
        actor=MARINA,
    )


def _sell_three() -> None:
    sell("PROD-1", Decimal("3990.00"), msk=10)
    sell("PROD-2", Decimal("49990.00"), msk=2)
    sell("PROD-3", Decimal("1990.00"))


_stock = Beginning(_sell_three, ("products", "product_directory", "catalog_structure", "audit"))


def sell_many(shop: Database[Document], number: int) -> list[str]:
    """Products MANY-0, MANY-1 … at 10.00, without their audit."""
    upsert_product(draft(product_id="MANY-0", name="MANY-0", base_price=Decimal(10), sale_price=None), actor=MARINA)
    first = shop["products"].find_one({"_id": "MANY-0"})
    assert first is not None
    ids = [f"MANY-{each}" for each in range(number)]
    shop["products"].insert_many([{**first, "_id": each, "name": each} for each in ids[1:]])
    shop["product_directory"].insert_many([{"_id": each, "category": "audio"} for each in ids[1:]])
    return ids


def line(product_id: str, quantity: int = 1) -> LineWanted:
    return LineWanted(ProductKey(HOMES.get(product_id, "audio"), product_id), quantity)


def fill(owner: str, *lines: tuple[str, int], geozone: str | None = None) -> CartDocument:
    cart = add_lines(owner, [line(*each) for each in lines], geozone).cart
    assert cart is not None
    return cart


def quantities(cart: Mapping[str, Any] | None) -> list[tuple[str, int]]:
    assert cart is not None
    return [(item["product_id"], item["quantity"]) for item in cart["items"]]


def carts(database: Database[Document], owner: str | None = None) -> Sequence[Document]:
    """As stored, oldest first."""
    return list(database["carts"].find({"owner": owner} if owner else {}).sort("created_at"))
