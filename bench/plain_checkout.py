"""The obvious checkout, for comparison only: products, cart and order in one transaction."""

from collections.abc import Mapping
from typing import Any

from cart.completion import take_cart
from cart.reading import active_cart
from catalog.products.cards import PRODUCTS, products_to_buy
from catalog.products.derived import BY_STOCK
from gateway.domain.errors import Refused
from gateway.domain.uuid7 import uuid7
from gateway.mongo.client import Expression, collection_of, database, orm_connection
from gateway.mongo.reads import run, run_steps
from gateway.mongo.transactions import in_transaction
from ordering.checkout.new_order import ORDERS, new_order
from ordering.checkout.pricing import keys_in, offered
from ordering.checkout.request import Purchase, checked
from ordering.documents import OrderDocument
from ordering.errors import CartEmpty, OutOfStock
from ordering.numbers import claim_number


def plain_check_out(owner: str, purchase: Purchase) -> Mapping[str, Any]:
    """Makes the order that `ordering.checkout.checkout` would, without its guarantees for repetitions."""
    wanted = checked(purchase)
    cart = run(active_cart(owner))
    if cart is None:
        raise CartEmpty
    offer = offered(cart, run_steps(products_to_buy(keys_in(cart))))
    order = new_order(str(uuid7()), claim_number(), cart, wanted, offer)

    def work() -> None:
        session = orm_connection().session
        for line in offer.lines:
            taken = database()[PRODUCTS].update_one(
                {
                    "category": line.pieces.category,
                    "_id": line.pieces.product_id,
                    "stock": {"$elemMatch": {"geozone": wanted.geozone}},
                    "$expr": {"$gte": [_available(wanted.geozone), line.pieces.quantity]},
                },
                [
                    {"$set": {"stock": _taken(wanted.geozone, line.pieces.quantity)}},
                    {"$set": {**BY_STOCK, "version": {"$add": ["$version", 1]}}},
                ],
                session=session,
            )
            if taken.matched_count == 0:
                raise Refused([OutOfStock(name=line.name, wanted=line.pieces.quantity, available=0)])
        if not take_cart(cart, order["_id"]):
            raise CartEmpty
        collection_of(ORDERS, OrderDocument).insert_one(order, session=session)

    # As long as it takes: under contention the bound of an ordinary request would only turn sales into errors.
    in_transaction(work, seconds=120)
    return order


def _available(geozone: str) -> Expression:
    level = {"$first": {"$filter": {"input": "$stock", "as": "each", "cond": {"$eq": ["$$each.geozone", geozone]}}}}
    return {
        "$subtract": [
            {"$getField": {"field": "quantity", "input": level}},
            {"$getField": {"field": "reserved", "input": level}},
        ]
    }


def _taken(geozone: str, quantity: int) -> Expression:
    more = {"$mergeObjects": ["$$level", {"reserved": {"$add": ["$$level.reserved", quantity]}}]}
    return {
        "$map": {
            "input": "$stock",
            "as": "level",
            "in": {"$cond": [{"$eq": ["$$level.geozone", geozone]}, more, "$$level"]},
        }
    }
