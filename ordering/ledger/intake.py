"""What an order takes of the money that is there for it: what it cannot take is owed back, what is enough pays it."""

from typing import NamedTuple

from ordering.documents import OrderDocument
from ordering.ledger.ledger import Ledger, Origin, held, kept, with_excess
from ordering.models import OrderStatus

CLOSED_UNPAID = frozenset({OrderStatus.CANCELLED, OrderStatus.EXPIRED})


class Taken(NamedTuple):
    """The ledger after the order has taken what it can, and whether that pays it."""

    ledger: Ledger
    is_paid: bool
    """There is as much as the order costs."""


def taken_in(order: OrderDocument, ledger: Ledger, status: OrderStatus, origin: Origin) -> Taken:
    """The ledger once an order that is or becomes `status` has taken what it can: its total, or nothing if closed."""
    total = order["total"].to_decimal()
    surplus = kept(ledger) if status in CLOSED_UNPAID else held(ledger) - total
    after = with_excess(ledger, surplus, origin) if surplus > 0 else ledger
    return Taken(after, is_paid=status not in CLOSED_UNPAID and held(after) >= total)
