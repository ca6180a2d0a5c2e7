"""An unpaid order moves to another geozone: its stock is reserved there before it is let go where it was.

Nobody ever sees the order without its reservation. Prices stay as they were bought, and so does the time until which
the stock is held.
"""

from collections.abc import Sequence

from catalog.errors import UnknownGeozone
from catalog.products.cards import ProductKey, products_to_buy
from catalog.stock.reservations import Purpose
from catalog.structure.guard import missing_geozones
from gateway.audit.trail import Action, Actor
from gateway.domain.errors import Refused
from gateway.domain.input import text_errors
from gateway.mongo.reads import run_steps
from ordering.documents import OrderDocument, OrderItem
from ordering.errors import NotInGeozone, NotUnpaid, OrderBusy
from ordering.events import EventType
from ordering.lifecycle.change import TURNS, OrderChange, change_order
from ordering.lifecycle.moves import MAX_NOTE
from ordering.lifecycle.status_names import STATUS_NAMES
from ordering.models import OrderStatus
from ordering.reading.orders import order_to_change
from ordering.stock.debts import debt
from ordering.stock.taking import let_go, settle_taken, take_stock


def move_to_geozone(
    order_id: str, geozone: str, *, reason: str, actor: Actor, owner: str | None = None
) -> OrderDocument:
    """Reserve the order's stock in the geozone instead of its own; returns the order, as it was when it is there.

    Raises NotUnpaid, UnknownGeozone, and NotInGeozone when not all of it can be had there.
    """
    if errors := text_errors(reason.strip(), MAX_NOTE, "reason", lines=True):
        raise Refused(errors)
    if missing_geozones([geozone]):
        raise UnknownGeozone("geozone", geozone=geozone)
    for _ in range(TURNS):
        order = order_to_change(order_id, owner=owner)
        if order["geozone"] == geozone:
            return order
        status = OrderStatus(order["status"])
        if status is not OrderStatus.NEW:
            raise NotUnpaid("order", source=STATUS_NAMES[status])
        hold_id = take_stock(order, geozone, Purpose.MOVE)
        if hold_id is None:
            raise NotInGeozone("geozone", names=", ".join(_short(order["items"], geozone)))
        if moved := change_order(order, _change(order, geozone, hold_id, actor, reason.strip())):
            settle_taken(moved, hold_id)
            return moved
        let_go(order, hold_id)
    raise OrderBusy("order")


def _change(order: OrderDocument, geozone: str, hold_id: str, actor: Actor, reason: str) -> OrderChange:
    return OrderChange(
        kind=EventType.GEOZONE_CHANGED,
        actor=actor,
        action=Action.ORDER_GEOZONE_CHANGED,
        note=reason,
        # All of them: sweeps ask for each hold and take away each row, however often the order moved before they came.
        fields={
            "geozone": geozone,
            "moved_under": [*(order.get("moved_under") or ()), hold_id],
            "past_geozones": sorted({*(order.get("past_geozones") or ()), order["geozone"]}),
        },
        stock_due=debt("release", order["items"], geozone=order["geozone"]),
        tells_the_buyer=False,
    )


def _short(items: Sequence[OrderItem], geozone: str) -> list[str]:
    """Names of those that cannot be had there; all of them when it was a matter of the moment."""
    products = run_steps(products_to_buy([ProductKey(item["category"], item["product_id"]) for item in items]))
    available = {
        product["_id"]: level["quantity"] - level.get("reserved", 0)
        for product in products.values()
        for level in product["stock"]
        if level["geozone"] == geozone
    }
    short = [item["name"] for item in items if available.get(item["product_id"], 0) < item["quantity"]]
    return [f"«{name}»" for name in short or [item["name"] for item in items]]
