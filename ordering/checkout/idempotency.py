"""Idempotency of checkout: the same purchase again, after a lost answer, from another device, under the same key."""

from datetime import UTC, datetime, timedelta

from cart.completion import ORDERED
from cart.documents import CartDocument
from gateway.mongo.policies import ORDER_HISTORY_FRESH
from gateway.mongo.reads import Read, run
from ordering.checkout.new_order import ORDERS
from ordering.checkout.request import Purchase
from ordering.documents import OrderDocument
from ordering.errors import CartOrdered, KeyReused
from ordering.models import OrderStatus
from ordering.reading.orders import find_order

# A second press of the button with a corrected address, while the answer to the first is on its way, buys nothing more.
JUST_NOW = timedelta(minutes=10)
# As long as a lost answer is worth repeating: twice the day for which a key is promised to be remembered.
REMEMBERED = timedelta(days=2)
# Whoever cancelled an order, or let it expire, does not mean it when they press the button again.
CLOSED = {OrderStatus.CANCELLED.value, OrderStatus.EXPIRED.value, OrderStatus.REFUNDED.value}


def order_under_key(owner: str, wanted: Purchase) -> OrderDocument | None:
    """The order that the owner made under the client's key, if any. Raises KeyReused when that was another purchase."""
    if wanted.client_key is None:
        return None
    order = run(
        Read(
            collection=ORDERS,
            policy=ORDER_HISTORY_FRESH,
            where={"owner": owner, "client_key": wanted.client_key},
            limit=1,
            result=lambda documents: documents[0] if documents else None,
        )
    )
    return _same_purchase(order, wanted) if order else None


def repeated_order(last_cart: CartDocument, wanted: Purchase) -> OrderDocument | None:
    """The order of the owner's last cart, when this is the same purchase again rather than one of an empty cart.

    Under a key it is the order of that key or none: the guest who bought it may have become a customer meanwhile.
    """
    order = order_of(last_cart)
    if order is None:
        return None
    if wanted.client_key is not None:
        return _same_purchase(order, wanted) if order["client_key"] == wanted.client_key else None
    if order["status"] in CLOSED:
        return None
    age = datetime.now(UTC).replace(tzinfo=None) - order["created_at"]
    same = order["request"] == wanted.fingerprint
    return order if age < (REMEMBERED if same else JUST_NOW) else None


def order_of_the_same_cart(order: OrderDocument, wanted: Purchase) -> OrderDocument:
    """The order that another device has just made of this cart. Raises CartOrdered when that was under another key."""
    if wanted.client_key is None:
        return order
    if order["client_key"] != wanted.client_key:
        raise CartOrdered(number=order["number"])
    return _same_purchase(order, wanted)


def _same_purchase(order: OrderDocument, wanted: Purchase) -> OrderDocument:
    """The order. Raises KeyReused when it was made with other input."""
    if order["request"] != wanted.fingerprint:
        raise KeyReused("client_key", number=order["number"])
    return order


def order_of(cart: CartDocument) -> OrderDocument | None:
    """The order that the cart became; None for one that has not been ordered, or whose order has left MongoDB."""
    if cart["status"] != ORDERED or cart["order_id"] is None:
        return None
    return find_order(cart["order_id"], owner=cart["owner"])
