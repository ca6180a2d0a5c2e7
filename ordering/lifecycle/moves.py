"""Moving an order along its life: two movers at once, and one of them is told."""

from datetime import UTC, datetime

from gateway.domain.errors import Refused
from gateway.domain.input import text_errors
from gateway.mongo.client import Document
from ordering.errors import NotAnAdvance, OrderBusy
from ordering.events import EventType
from ordering.ledger.fields import ledger_of
from ordering.ledger.intake import CLOSED_UNPAID, taken_in
from ordering.ledger.ledger import Ledger, Origin
from ordering.lifecycle.change import TURNS, Change, change_order
from ordering.lifecycle.transitions import Who, transition
from ordering.models import OrderStatus
from ordering.reading.orders import order_to_change
from ordering.stock.debts import debt

# As long as the field of an event.
MAX_NOTE = 500
ADVANCES = frozenset({OrderStatus.PROCESSING, OrderStatus.SHIPPED, OrderStatus.DELIVERED})
# Of money that is owed because the order was closed.
SOURCE = "closing"


def cancel_order(order_id: str, *, who: Who, actor: str, reason: str, owner: str | None = None) -> Document:
    """Before it is paid. Its stock goes back on sale."""
    if errors := text_errors(reason, MAX_NOTE, "reason", required=False, lines=True):
        raise Refused(errors)
    return move_order(order_id, OrderStatus.CANCELLED, who=who, actor=actor, note=reason, owner=owner)


def advance_order(order_id: str, to: OrderStatus, *, actor: str, note: str, owner: str | None = None) -> Document:
    """On its way to the buyer, step by step: what staff tell of a paid order."""
    if errors := text_errors(note, MAX_NOTE, "note", required=False, lines=True):
        raise Refused(errors)
    if to not in ADVANCES:
        raise NotAnAdvance("to")
    return move_order(order_id, to, who=Who.STAFF, actor=actor, note=note, owner=owner)


def move_order(
    order_id: str, to: OrderStatus, *, who: Who, actor: str, note: str = "", owner: str | None = None
) -> Document:
    """The order in its new status. Whoever comes second finds another status and is refused by it."""
    for _ in range(TURNS):
        order = order_to_change(order_id, owner=owner)
        move = transition(order["status"], to, who)
        owed = debt(move.stock, order["items"]) if move.stock else None
        change = Change(
            kind=EventType.MOVED,
            actor=actor,
            note=note.strip(),
            status=to,
            stock_due=owed,
            ledger=_money_back(order, to, actor),
        )
        if moved := change_order(order, change):
            return moved
    raise OrderBusy("order")


def _money_back(order: Document, to: OrderStatus, actor: str) -> Ledger | None:
    """What was paid in part goes back when the order is closed without the rest."""
    if to not in CLOSED_UNPAID:
        return None
    return taken_in(order, ledger_of(order), to, Origin(datetime.now(UTC), actor, SOURCE)).ledger
