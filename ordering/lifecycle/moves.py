"""Moving an order along its life: cancel, advance, expire. Of two movers at once one is told that it came second."""

from datetime import UTC, datetime

from gateway.audit.trail import Action, Actor
from gateway.domain.errors import DomainError, Refused
from gateway.domain.input import text_errors
from gateway.mongo.client import collection_of
from ordering.documents import OrderDocument
from ordering.errors import NotAnAdvance, OrderBusy
from ordering.events import BY_SYSTEM, EventType
from ordering.ledger.fields import ledger_of
from ordering.ledger.intake import CLOSED_UNPAID, taken_in
from ordering.ledger.ledger import Ledger, Origin
from ordering.lifecycle.change import TURNS, OrderChange, change_order
from ordering.lifecycle.transitions import Who, transition
from ordering.models import Order, OrderStatus
from ordering.reading.orders import order_to_change
from ordering.stock.debts import debt

# As long as the field of an event.
MAX_NOTE = 500
ADVANCES = frozenset({OrderStatus.PROCESSING, OrderStatus.SHIPPED, OrderStatus.DELIVERED})
# Of money that is owed because the order was closed.
SOURCE = "closing"
NOT_PAID = "not paid in time"


def cancel_order(order_id: str, *, who: Who, actor: Actor, reason: str, owner: str | None = None) -> OrderDocument:
    """Cancel an order that is not paid; returns it. Its stock goes back on sale."""
    if errors := text_errors(reason, MAX_NOTE, "reason", required=False, lines=True):
        raise Refused(errors)
    return move_order(order_id, OrderStatus.CANCELLED, who=who, actor=actor, note=reason, owner=owner)


def advance_order(
    order_id: str, to: OrderStatus, *, actor: Actor, note: str = "", owner: str | None = None
) -> OrderDocument:
    """Move a paid order one step on its way to the buyer, as staff say; returns it."""
    if errors := text_errors(note, MAX_NOTE, "note", required=False, lines=True):
        raise Refused(errors)
    if to not in ADVANCES:
        raise NotAnAdvance("to")
    return move_order(order_id, to, who=Who.STAFF, actor=actor, note=note, owner=owner)


def move_order(
    order_id: str, to: OrderStatus, *, who: Who, actor: Actor, note: str = "", owner: str | None = None
) -> OrderDocument:
    """Move the order; returns it in its new status. Whoever comes second finds another status and is refused by it."""
    for _ in range(TURNS):
        order = order_to_change(order_id, owner=owner)
        move = transition(order["status"], to, who)
        owed = debt(move.stock, order["items"]) if move.stock else None
        change = OrderChange(
            kind=EventType.MOVED,
            actor=actor,
            action=Action.ORDER_CANCELLED if to is OrderStatus.CANCELLED else Action.ORDER_ADVANCED,
            note=note.strip(),
            status=to,
            stock_due=owed,
            ledger=_ledger_when_closed(order, to, actor.name),
        )
        if moved := change_order(order, change):
            return moved
    raise OrderBusy("order")


def expire_unpaid(*, limit: int, now: datetime | None = None) -> int:
    """Expire the unpaid orders whose reservation has ended, oldest first; returns how many. Their stock is released.

    One that is paid or cancelled at the same moment is left alone: the move names the status it leaves. Asks every
    shard, by its index; the next call finds what this one did not reach.
    """
    moment = now or datetime.now(UTC)
    due = collection_of(Order._meta.db_table, OrderDocument).find(
        {"reserved_until": {"$lte": moment}, "status": OrderStatus.NEW.value},
        ["owner"],
        sort=[("reserved_until", 1)],
        limit=limit,
    )
    expired = 0
    for order in list(due):
        try:
            move_order(
                order["_id"], OrderStatus.EXPIRED, who=Who.SYSTEM, actor=BY_SYSTEM, note=NOT_PAID, owner=order["owner"]
            )
        except DomainError:
            continue
        expired += 1
    return expired


def _ledger_when_closed(order: OrderDocument, to: OrderStatus, actor: str) -> Ledger | None:
    """The ledger of an order that is closed without being paid: what was paid in part is owed. None: it stays."""
    if to not in CLOSED_UNPAID:
        return None
    return taken_in(order, ledger_of(order), to, Origin(datetime.now(UTC), actor, SOURCE)).ledger
