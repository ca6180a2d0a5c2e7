"""The same purchase again: after a lost answer, from another device, under the same key."""

from datetime import UTC, datetime, timedelta

from cart.completion import ORDERED
from gateway.mongo.client import Document
from gateway.mongo.policies import ORDER_HISTORY_FRESH
from gateway.mongo.reading import Read, run
from ordering.errors import KeyReused
from ordering.finding import find_order
from ordering.making import ORDERS
from ordering.purchase import Purchase

# A second press of the button with a corrected address, while the answer to the first is on its way, buys nothing more.
JUST_NOW = timedelta(minutes=10)


def order_under_key(owner: str, wanted: Purchase) -> Document | None:
    """The order made under the client's key; refused when that was another purchase."""
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
    if order is not None and order["request"] != wanted.fingerprint:
        raise KeyReused("client_key", number=order["number"])
    return order


def repeated_order(last_cart: Document, wanted: Purchase) -> Document | None:
    """The order of the owner's last cart, when this is the same purchase again rather than one of an empty cart."""
    order = order_of(last_cart)
    if order is None:
        return None
    just_now = datetime.now(UTC).replace(tzinfo=None) - order["created_at"] < JUST_NOW
    return order if just_now or order["request"] == wanted.fingerprint else None


def order_of(cart: Document) -> Document | None:
    """None for a cart that has not been ordered, or whose order has left MongoDB."""
    if cart["status"] != ORDERED:
        return None
    return find_order(cart["order_id"], owner=cart["owner"])
