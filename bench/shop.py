"""A shop for benchmarks: products in stock and a full cart for each buyer."""

from collections.abc import Sequence
from datetime import UTC, datetime
from decimal import Decimal
from io import StringIO
from typing import Literal

from bson import Decimal128
from django.core.management import call_command

from cart.documents import CartDocument, CartItem
from cart.new_cart import new_cart
from catalog.products.derived import derived_fields
from gateway.accounts.demo import ensure_demo_accounts
from gateway.accounts.owners import customer_owner
from gateway.mongo import topology
from gateway.mongo.client import Document, client, collection_of, database
from gateway.mongo.routing import ROUTING
from gateway.sync.marks import new_marks
from ordering.checkout.request import Purchase
from ordering.lifecycle.contacts import AddressDetails, ContactDetails

Load = Literal["hot", "uniform"]
"""`hot`: everybody buys one product. `uniform`: each buyer buys three of many."""

PRODUCTS = 200
CATEGORIES = ("headphones", "laptops", "smartphones", "tablets")
PURCHASE = Purchase(
    geozone="msk",
    contact=ContactDetails("Иван", "ivan@example.com", "+7 999 123-45-67"),
    shipping_address=AddressDetails("Москва", "Тверская, 1"),
    expected_total=Decimal(10) ** 9,
)


def begin_anew() -> None:
    """An empty database, with all that the pages of staff need."""
    client().drop_database(database().name)
    topology.apply(database())
    ROUTING.refresh(client(), database().name)
    call_command("migrate", stdout=StringIO())
    call_command("cassandra", "apply", stdout=StringIO())
    ensure_demo_accounts()


def prepare(load: Load, buyers: int) -> list[str]:
    """Empty the shop, stock it and fill a cart for each buyer; returns the owners of the carts."""
    for name in ("products", "product_directory", "carts", "orders", "order_numbers"):
        database()[name].delete_many({})
    products = [_product(number, buyers) for number in range(PRODUCTS)]
    database()["products"].insert_many(products)
    database()["product_directory"].insert_many(
        [{"_id": product["_id"], "category": product["category"]} for product in products]
    )
    database()["geozones"].replace_one({"_id": "msk"}, {"name": "Москва", "position": 1}, upsert=True)
    owners = [customer_owner(f"{number:024x}") for number in range(buyers)]
    collection_of("carts", CartDocument).insert_many(
        [new_cart(owner, _items(load, number, products), "msk") for number, owner in enumerate(owners)]
    )
    return owners


def _product(number: int, buyers: int) -> Document:
    now = datetime.now(UTC)
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
        "created_at": now,
        "updated_at": now,
        **new_marks(now),
    }
    return document | derived_fields(document)


def _items(load: Load, number: int, products: Sequence[Document]) -> list[CartItem]:
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
