"""The number under which the carrier's site shows where the parcel is."""

from gateway.audit.trail import Action, Actor
from gateway.domain.errors import DomainError, Refused
from gateway.domain.input import HoldsLink, holds_link, normal_key, text_errors
from ordering.documents import OrderDocument, Tracking
from ordering.errors import NoTracking, OrderBusy
from ordering.events import EventType
from ordering.lifecycle.carriers import carrier_named, page_of
from ordering.lifecycle.change import TURNS, OrderChange, change_order
from ordering.lifecycle.status_names import STATUS_NAMES
from ordering.models import OrderStatus
from ordering.reading.orders import order_to_change

MAX_CARRIER = 64
MAX_NUMBER = 64

TRACKABLE = frozenset({OrderStatus.PAID, OrderStatus.PROCESSING, OrderStatus.SHIPPED})
ON_ITS_WAY = frozenset({OrderStatus.SHIPPED, OrderStatus.DELIVERED})


def set_tracking(order_id: str, carrier: str, number: str, *, actor: Actor, owner: str | None = None) -> OrderDocument:
    """Give the order the carrier's number, or correct it; returns the order, as it was when it has the same.

    Before it is sent the buyer reads the number in the letter that tells so; afterwards in a letter of its own.
    Raises NoTracking.
    """
    tracking = _checked(carrier, number)
    for _ in range(TURNS):
        order = order_to_change(order_id, owner=owner)
        if order.get("tracking") == tracking:
            return order
        status = OrderStatus(order["status"])
        if status not in TRACKABLE:
            raise NoTracking("order", source=STATUS_NAMES[status])
        change = OrderChange(
            kind=EventType.TRACKED,
            actor=actor,
            action=Action.ORDER_TRACKED,
            fields={"tracking": tracking},
            tells_the_buyer=status in ON_ITS_WAY,
        )
        if changed := change_order(order, change):
            return changed
    raise OrderBusy("order")


def shown_tracking(order: OrderDocument) -> Tracking | None:
    """What the buyer sees: nothing before the order is sent."""
    return order.get("tracking") if OrderStatus(order["status"]) in ON_ITS_WAY else None


def _checked(carrier: str, number: str) -> Tracking:
    name, written = normal_key(carrier), normal_key(number).upper()
    errors: list[DomainError] = []
    for field, text, limit in (("carrier", name, MAX_CARRIER), ("number", written, MAX_NUMBER)):
        wrong = text_errors(text, limit, field)
        errors += wrong or ([HoldsLink(field)] if holds_link(text) else [])
    if errors:
        raise Refused(errors)
    known = carrier_named(name)
    if known is None:
        return {"carrier": name, "number": written, "url": None}
    return {"carrier": known.name, "number": written, "url": page_of(known, written)}
