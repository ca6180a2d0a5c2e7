"""The check of reservations: is what is reserved what open orders wait for? Nothing should ever differ; this is how
we would know.

The shop goes on selling while it is looked at, and orders move from shard to shard when guests sign in. So products and
orders are read as of one moment. A first look over everything finds suspects; each of them is looked at once more, with
the orders of its holds. Even then nothing is repaired at once: what differs is written down, and only a second check,
minutes later, that finds the same difference corrects it.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import structlog

from catalog.documents import ProductDocument
from catalog.products.cards import PRODUCTS, ProductKey
from catalog.stock.findings import Difference, correct_reservation, forget_others, note_difference
from catalog.stock.reservations import Purpose
from gateway.audit.trail import Actor
from gateway.mongo.client import Expression
from gateway.mongo.policies import STOCK_CHECK
from gateway.mongo.reads import Evidence, Snapshot, decide
from ordering.documents import OrderDocument
from ordering.models import Order, OrderStatus
from ordering.stock.taking import has_taken

log = structlog.get_logger(__name__)

ORDERS = Order._meta.db_table
CHECK = Actor.program("stock_drift")
REASON = "резерв разошёлся с заказами, две проверки подряд"

StockPlace = tuple[str, str]
"""Product id and geozone."""
Orders = Mapping[str, OrderDocument]
"""Orders by id."""

_OF_PRODUCTS = ("category", "stock", "holds", "version")
_OF_ORDERS = ("status", "geozone", "items", "stock_due", "retaken", "moved_under")
_TAKEN_AGAIN = {Purpose.PAYMENT.value, Purpose.MOVE.value}
_OPEN: tuple[Expression, ...] = ({"status": OrderStatus.NEW.value}, {"stock_due.at": {"$exists": True}})


class CheckedReservation(NamedTuple):
    """A reservation that differs, and what was done about it."""

    difference: Difference
    confirmed: bool
    """An earlier check found the same, long enough ago."""
    repaired: bool


def check_reservations(*, repair: bool) -> Iterator[CheckedReservation]:
    """Write down every difference as it is found, and yield it; with `repair`, correct what an earlier check found."""
    seen: list[Difference] = []
    for found in find_differences():
        seen.append(found)
        confirmed = note_difference(found)
        repaired = repair and confirmed and correct_reservation(found, actor=CHECK, reason=REASON)
        log.warning(
            "reservation_drift",
            product=found.key.id,
            geozone=found.geozone,
            reserved=found.reserved,
            expected=found.expected,
            confirmed=confirmed,
            repaired=repaired,
        )
        yield CheckedReservation(found, confirmed, repaired)
    forget_others(seen)


def find_differences() -> Iterator[Difference]:
    """Every geozone of every product whose reservation differs from what orders wait for. Asks every shard."""
    for product_id in decide(_suspects):
        yield from decide(lambda moment, product_id=product_id: _differences(moment, product_id))  # type: ignore[misc]


def _suspects(moment: Snapshot) -> list[str]:
    wanted = _waited_for(_open_orders(moment).values())
    ids = sorted({product_id for product_id, _ in wanted})
    products = moment.run(_products({"$or": [{"stock.reserved": {"$ne": 0}}, {"_id": {"$in": ids}}]}))
    return [
        product["_id"]
        for product in products
        if any(level.get("reserved", 0) != wanted[product["_id"], level["geozone"]] for level in product["stock"])
    ]


def _differences(moment: Snapshot, product_id: str) -> list[Difference]:
    products = moment.run(_products({"_id": product_id}))
    if not products:
        return []
    (product,) = products
    orders = _open_orders(moment, {"items.product_id": product_id}) | _orders_of_holds(moment, product)
    expected = _waited_for(orders.values(), receipts={hold["id"] for hold in product["holds"]})
    expected += _held(product, orders)
    key = ProductKey(product["category"], product_id)
    return [
        Difference(key, level["geozone"], reserved, right, product["version"])
        for level in product["stock"]
        for reserved, right in [(level.get("reserved", 0), expected[product_id, level["geozone"]])]
        if reserved != right
    ]


def _open_orders(moment: Snapshot, where: Mapping[str, Any] | None = None) -> dict[str, OrderDocument]:
    """Orders that wait for stock, and those that owe it a change. Asks every shard, by the indexes of both."""
    found: dict[str, OrderDocument] = {}
    for state in _OPEN:
        of_state = moment.run(_orders({**state, **(where or {})}))
        found |= of_state
    return found


def _orders_of_holds(moment: Snapshot, product: ProductDocument) -> dict[str, OrderDocument]:
    """The orders for which the product holds pieces. Asks every shard: their owners may have changed."""
    ids = [hold["order_id"] for hold in product["holds"]]
    return moment.run(_orders({"_id": {"$in": ids}})) if ids else {}


def _orders(where: Mapping[str, Any]) -> Evidence[dict[str, OrderDocument]]:
    return Evidence(
        collection=ORDERS,
        policy=STOCK_CHECK,
        where=where,
        fields=_OF_ORDERS,
        result=lambda orders: {order["_id"]: order for order in orders},
    )


def _products(where: Mapping[str, Any]) -> Evidence[list[ProductDocument]]:
    """The products that match. Asks every shard: a product may be changing its category, which is its shard key."""
    return Evidence(collection=PRODUCTS, policy=STOCK_CHECK, where=where, fields=_OF_PRODUCTS, result=list)


def _waited_for(orders: Iterable[OrderDocument], receipts: Iterable[str] = ()) -> Counter[StockPlace]:
    """How many pieces orders that are not paid yet, and moves whose change of stock is still owed, wait for."""
    made = set(receipts)
    pieces: Counter[StockPlace] = Counter()
    for order in orders:
        if order["status"] == OrderStatus.NEW.value:
            for item in order["items"]:
                pieces[item["product_id"], order["geozone"]] += item["quantity"]
        for owed in order["stock_due"]:
            if owed["change"] in {"release", "write_off"} and owed["id"] not in made:
                for line in owed["lines"]:
                    pieces[line["product_id"], owed.get("geozone", order["geozone"])] += line["quantity"]
    return pieces


def _held(product: ProductDocument, orders: Orders) -> Counter[StockPlace]:
    """How many pieces of the product are held by checkouts, late payments and moves that are still under way."""
    pieces: Counter[StockPlace] = Counter()
    for hold in product["holds"]:
        order = orders.get(hold["order_id"])
        in_flight = (hold["purpose"] == Purpose.CHECKOUT.value and order is None) or (
            hold["purpose"] in _TAKEN_AGAIN and (order is None or not has_taken(order, hold["id"]))
        )
        if in_flight:
            pieces[product["_id"], hold["geozone"]] += hold["quantity"]
    return pieces
