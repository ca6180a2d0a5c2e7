"""Whether what is reserved is what open orders wait for. Nothing should ever differ; this is how we would know.

The shop goes on selling while orders and products are read, so a first look finds only suspects. Each of them is looked
at again, alone: the product, its orders, the product once more. Whatever changes a reservation changes the product's
version, so that what was found between two equal versions is true.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import structlog

from catalog.card import PRODUCTS, ProductKey
from catalog.reservations import Purpose, set_reserved
from gateway.mongo.client import Document, database
from gateway.mongo.policies import STOCK_CHECK, under
from ordering.models import Order, OrderStatus

log = structlog.get_logger(__name__)

ORDERS = Order._meta.db_table
# A product that sells between every two looks at it is looked at again tomorrow.
LOOKS = 5

Place = tuple[str, str]
"""Product id and geozone."""

_OF_PRODUCTS = ("category", "stock", "holds", "version")
_OF_ORDERS = ("status", "geozone", "items", "stock_due", "retaken")
_OPEN: tuple[Document, ...] = ({"status": OrderStatus.NEW.value}, {"stock_due.at": {"$exists": True}})


class Drift(NamedTuple):
    key: ProductKey
    geozone: str
    reserved: int
    expected: int
    version: int
    """Of the product when this was true."""


def find_drift() -> Iterator[Drift]:
    """Every geozone of every product whose reservation differs from what orders wait for. Asks every shard."""
    with under(STOCK_CHECK):
        suspects = list(_suspects())
        for key in suspects:
            yield from _confirmed(key)


def repair(drift: Drift) -> bool:
    """Set the reservation to what it should be; False when the product has changed since, and nothing was done."""
    repaired = set_reserved(drift.key, drift.geozone, drift.expected, version=drift.version)
    log.warning("reservation_drift", repaired=repaired, product=drift.key.id, geozone=drift.geozone)
    return repaired


def _suspects() -> Iterator[ProductKey]:
    wanted = _waited_for(_open_orders({}).values())
    ids = {product_id for product_id, _ in wanted}
    for product in database()[PRODUCTS].find(
        {"$or": [{"stock.reserved": {"$ne": 0}}, {"_id": {"$in": sorted(ids)}}]}, _OF_PRODUCTS
    ):
        if any(level.get("reserved", 0) != wanted[product["_id"], level["geozone"]] for level in product["stock"]):
            yield ProductKey(product["category"], product["_id"])


def _confirmed(key: ProductKey) -> Iterator[Drift]:
    for _ in range(LOOKS):
        before = database()[PRODUCTS].find_one({"_id": key.id}, _OF_PRODUCTS)
        if before is None:
            return
        # In this order: an order that moves meanwhile is seen before, after, or twice, and then the later look counts.
        orders = _open_orders({"items.product_id": key.id}) | _orders_of_holds(before)
        expected = _waited_for(orders.values(), receipts={hold["id"] for hold in before["holds"]})
        expected += _held(before, orders)
        after = database()[PRODUCTS].find_one({"_id": key.id}, ["version"])
        if after is not None and after["version"] == before["version"]:
            home = ProductKey(before["category"], key.id)
            for level in before["stock"]:
                reserved, right = level.get("reserved", 0), expected[key.id, level["geozone"]]
                if reserved != right:
                    yield Drift(home, level["geozone"], reserved, right, before["version"])
            return


def _open_orders(where: Mapping[str, Any]) -> dict[str, Document]:
    """Those that wait for stock, then those that owe it a change."""
    found = (order for state in _OPEN for order in database()[ORDERS].find({**state, **where}, _OF_ORDERS))
    return {order["_id"]: order for order in found}


def _waited_for(orders: Iterable[Document], receipts: Iterable[str] = ()) -> Counter[Place]:
    """Pieces by place: of orders not paid yet, and of moves whose change of stock is still owed."""
    made = set(receipts)
    pieces: Counter[Place] = Counter()
    for order in orders:
        if order["status"] == OrderStatus.NEW.value:
            for item in order["items"]:
                pieces[item["product_id"], order["geozone"]] += item["quantity"]
        for owed in order["stock_due"]:
            if owed["change"] in {"release", "write_off"} and owed["id"] not in made:
                for line in owed["lines"]:
                    pieces[line["product_id"], order["geozone"]] += line["quantity"]
    return pieces


def _orders_of_holds(product: Document) -> dict[str, Document]:
    ids = [hold["order_id"] for hold in product["holds"]]
    return {order["_id"]: order for order in database()[ORDERS].find({"_id": {"$in": ids}}, _OF_ORDERS)} if ids else {}


def _held(product: Document, orders: Mapping[str, Document]) -> Counter[Place]:
    """Pieces of attempts that are no order yet."""
    pieces: Counter[Place] = Counter()
    for hold in product["holds"]:
        order = orders.get(hold["order_id"])
        in_flight = (hold["purpose"] == Purpose.CHECKOUT.value and order is None) or (
            hold["purpose"] == Purpose.PAYMENT.value and (order is None or order.get("retaken") != hold["id"])
        )
        if in_flight:
            pieces[product["_id"], hold["geozone"]] += hold["quantity"]
    return pieces
