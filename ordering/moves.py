"""Moving an order along its life: two movers at once, and one of them is told."""

from gateway.mongo.client import Document
from ordering.amounts import paid
from ordering.changing import TURNS, Change, change_order
from ordering.errors import OrderBusy, UnknownOrder
from ordering.events import EventType
from ordering.finding import find_order
from ordering.models import OrderStatus
from ordering.stock_due import debt
from ordering.transitions import Who, transition

CLOSED_UNPAID = {OrderStatus.CANCELLED, OrderStatus.EXPIRED}


def move_order(
    order_id: str, to: OrderStatus, *, who: Who, actor: str, note: str = "", owner: str | None = None
) -> Document:
    """The order in its new status. Whoever comes second finds another status and is refused by it."""
    for _ in range(TURNS):
        order = find_order(order_id, owner=owner)
        if order is None:
            raise UnknownOrder("order")
        move = transition(order["status"], to, who)
        owed = debt(move.stock, order["items"]) if move.stock else None
        change = Change(
            kind=EventType.MOVED, actor=actor, note=note, status=to, fields=_money_back(order, to), stock_due=owed
        )
        if moved := change_order(order, change):
            return moved
    raise OrderBusy("order")


def _money_back(order: Document, to: OrderStatus) -> Document:
    """What was paid in part goes back when the order is closed without the rest."""
    if to not in CLOSED_UNPAID or not paid(order):
        return {}
    payments = [{**payment, "to_refund": payment["amount"]} for payment in order["payments"]]
    return {"payments": payments, "to_refund": True}
