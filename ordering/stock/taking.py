"""Stock that an order takes once more: after it expired and was paid, or in another geozone.

It is reserved under a hold first, and the update that needs it names the hold in the order. Whoever dies in between
leaves the hold to the sweep (ordering/checkout/holds.py), which fences the order and then believes what stands there.
"""

from collections.abc import Sequence

from pymongo import ReturnDocument

from catalog.products.cards import keys_now
from catalog.stock.reservations import LOOKS, Hold, Offer, Pieces, Purpose, release, reserve, settle
from gateway.domain.uuid7 import uuid7
from gateway.mongo.client import collection_of
from gateway.mongo.reads import run
from gateway.sync.marks import CHANGED
from ordering.documents import OrderDocument
from ordering.models import Order
from ordering.reading.orders import find_order

ORDERS = Order._meta.db_table


def take_stock(order: OrderDocument, geozone: str, purpose: Purpose) -> str | None:
    """Reserve the order's lines in the geozone, at the prices of then; None when they can not all be had.

    Returns the id of the hold. The caller writes it into the order, or lets it go. Should it die before either, the
    sweep decides.
    """
    pieces = pieces_of(order)
    for _ in range(LOOKS):
        hold = Hold(str(uuid7()), purpose, order["_id"], order["owner"])
        if reserve([Offer(each, None) for each in pieces], geozone, hold):
            return hold.id
        release(pieces, hold.id)
        asked, pieces = pieces, _where_they_are(pieces)
        if pieces == asked:
            return None
    return None


def let_go(order: OrderDocument, hold_id: str) -> None:
    release(pieces_of(order), hold_id)


def settle_taken(order: OrderDocument, hold_id: str) -> None:
    """Take away the marks of a hold that stands in the order; those left, of products that have moved, go later."""
    settle({each.key: [hold_id] for each in pieces_of(order)})


def has_taken(order: OrderDocument, hold_id: str) -> bool:
    """Whether what was reserved under this hold is the order's."""
    return hold_id == order.get("retaken") or hold_id in (order.get("moved_under") or ())


def fence_taking(order_id: str, hold_id: str, *, owner: str) -> bool:
    """Keep everybody who read the order before from writing this hold into it; returns whether it stands there already.

    What is decided by the answer stays true: an order without the hold gets a new version, so that no earlier reader's
    change is taken.
    """
    order = find_order(order_id, owner=owner)
    while order is not None and not has_taken(order, hold_id):
        fenced = collection_of(ORDERS, OrderDocument).find_one_and_update(
            {"owner": order["owner"], "_id": order_id, "version": order["version"]},
            [{"$set": CHANGED}],
            return_document=ReturnDocument.AFTER,
        )
        if fenced is not None:
            return False
        order = find_order(order_id, owner=order["owner"])
    return order is not None


def pieces_of(order: OrderDocument) -> list[Pieces]:
    return [Pieces(item["category"], item["product_id"], item["quantity"]) for item in order["items"]]


def _where_they_are(pieces: Sequence[Pieces]) -> list[Pieces]:
    """The same pieces, each in the category that it has by now: the order knows the one of its purchase."""
    homes = {key.id: key.category for key in run(keys_now([each.product_id for each in pieces]))}
    return [each._replace(category=homes.get(each.product_id, each.category)) for each in pieces]
