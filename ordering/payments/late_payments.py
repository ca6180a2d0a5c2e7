"""A payment that came after its order had expired: the stock is taken again if it can be had."""

from collections.abc import Sequence

from pymongo import ReturnDocument

from catalog.products.purchase import keys_now
from catalog.stock.reservations import LOOKS, Hold, Offer, Pieces, Purpose, release, reserve
from gateway.domain.uuid7 import uuid7
from gateway.mongo.client import Document, database
from gateway.mongo.reads import run
from gateway.sync.marks import CHANGED
from ordering.models import Order
from ordering.reading.orders import find_order

ORDERS = Order._meta.db_table


def take_again(order: Document) -> str | None:
    """Reserve the order's lines once more, at the prices of then; None when they can no longer all be had.

    Returns the id of the hold. The caller writes it into the order, or lets it go. Should it die before either, the
    sweep decides.
    """
    pieces = _pieces(order)
    for _ in range(LOOKS):
        hold = Hold(str(uuid7()), Purpose.PAYMENT, order["_id"], order["owner"])
        if reserve([Offer(each, None) for each in pieces], order["geozone"], hold):
            return hold.id
        release(pieces, hold.id)
        asked, pieces = pieces, _where_they_are(pieces)
        if pieces == asked:
            return None
    return None


def let_go(order: Document, hold_id: str) -> None:
    release(_pieces(order), hold_id)


def is_retaken(order_id: str, hold_id: str, *, owner: str) -> bool:
    """Whether the order has taken the hold; from now on nobody who read the order before can make it do so."""
    order = find_order(order_id, owner=owner)
    while order is not None and order.get("retaken") != hold_id:
        fenced = database()[ORDERS].find_one_and_update(
            {"owner": order["owner"], "_id": order_id, "version": order["version"]},
            [{"$set": CHANGED}],
            return_document=ReturnDocument.AFTER,
        )
        if fenced is not None:
            return False
        order = find_order(order_id, owner=order["owner"])
    return order is not None


def _where_they_are(pieces: Sequence[Pieces]) -> list[Pieces]:
    """Each in the category that it has by now: the order knows the one of its purchase."""
    homes = {key.id: key.category for key in run(keys_now([each.product_id for each in pieces]))}
    return [each._replace(category=homes.get(each.product_id, each.category)) for each in pieces]


def _pieces(order: Document) -> list[Pieces]:
    return [Pieces(item["category"], item["product_id"], item["quantity"]) for item in order["items"]]
