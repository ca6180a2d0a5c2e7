"""Buyers with carts to order, and what must be true of stock and orders at any quiet moment."""

from collections import Counter
from dataclasses import replace
from decimal import Decimal
from typing import Any

from pymongo.database import Database

from cart.tests.shop import CUSTOMER
from gateway.accounts.owners import customer_owner, guest_owner, session_hash
from gateway.mongo.client import Document
from gateway.mongo.routing import ROUTING
from ordering.checkout.checkout import Bought, check_out
from ordering.checkout.request import Purchase
from ordering.lifecycle.contacts import AddressDetails, ContactDetails

PURCHASE = Purchase(
    geozone="msk",
    contact=ContactDetails("Иван Покупатель", "ivan@example.com", "+7 (999) 123-45-67"),
    shipping_address=AddressDetails("Москва", "Тверская, 1", "101000"),
    expected_total=Decimal("1000000.00"),
)


def purchase(**changes: Any) -> Purchase:
    return replace(PURCHASE, **changes)


def buy(owner: str = CUSTOMER, **changes: Any) -> Bought:
    return check_out(owner, purchase(**changes))


def buyer(number: int) -> str:
    return customer_owner(f"{number:024x}")


def reserved(database: Database[Document], product_id: str, geozone: str = "msk") -> tuple[int, int]:
    """Quantity and reserved."""
    product = database["products"].find_one({"_id": product_id})
    assert product is not None
    (level,) = [level for level in product["stock"] if level["geozone"] == geozone]
    return level["quantity"], level["reserved"]


def assert_nothing_oversold(database: Database[Document]) -> None:
    """At a quiet moment: what is reserved is what open orders wait for, and nobody holds anything."""
    expected: Counter[tuple[str, str]] = Counter()
    for order in database["orders"].find({"status": "new"}):
        for item in order["items"]:
            expected[item["product_id"], order["geozone"]] += item["quantity"]
    found: Counter[tuple[str, str]] = Counter()
    for product in database["products"].find():
        assert [hold for hold in product["holds"] if hold["purpose"] != "receipt"] == []
        for level in product["stock"]:
            assert 0 <= level["reserved"] <= level["quantity"]
            found[product["_id"], level["geozone"]] += level["reserved"]
    assert +found == +expected
    carts = {str(cart["_id"]): cart for cart in database["carts"].find()}
    orders = list(database["orders"].find())
    assert len({order["cart_id"] for order in orders}) == len(orders)
    assert all(carts[order["cart_id"]]["order_id"] == order["_id"] for order in orders)
    assert {cart["order_id"] for cart in carts.values() if cart["status"] == "ordered"} == {
        order["_id"] for order in orders
    }
    assert len({order["number"] for order in orders}) == len(orders)


def a_guest_elsewhere() -> str:
    """One whose orders lie on another shard than the customer's."""
    home = ROUTING.shards_reached("orders", {"owner": CUSTOMER})
    guests = (guest_owner(session_hash(f"guest-{number}")) for number in range(100))
    return next(guest for guest in guests if ROUTING.shards_reached("orders", {"owner": guest}) != home)
