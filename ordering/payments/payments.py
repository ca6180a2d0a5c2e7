"""Money that came for an order: recorded once, whatever the order's state, and never lost.

When it comes after the order has expired, the stock is taken again if it can be had.
"""

from datetime import UTC, datetime
from decimal import Decimal
from typing import NamedTuple

from catalog.stock.reservations import Purpose
from gateway.audit.trail import Action, Actor
from gateway.domain.money import Amount
from ordering.documents import OrderDocument
from ordering.errors import BadAmount, OrderBusy, ReferenceReused
from ordering.events import EventType
from ordering.ledger.amounts import is_amount
from ordering.ledger.fields import ledger_of
from ordering.ledger.intake import taken_in
from ordering.ledger.ledger import Kind, Ledger, Origin, State, held, new_entry, payments
from ordering.ledger.references import Reference
from ordering.lifecycle.change import TURNS, OrderChange, change_order
from ordering.lifecycle.transitions import Who, transition
from ordering.models import OrderStatus
from ordering.reading.orders import order_to_change
from ordering.stock.debts import debt
from ordering.stock.taking import let_go, take_stock


class IncomingMoney(NamedTuple):
    """A payment as the payment system or staff tell of it."""

    amount: Decimal
    reference: Reference
    """What the payment is called: the same is recorded once."""
    source: str
    actor: Actor


def receive_payment(order_id: str, money: IncomingMoney, *, owner: str | None = None) -> OrderDocument:
    """Record the payment; returns the order.

    Paid in full, a new order becomes paid, and so does an expired one whose stock can be had again; what the order
    cannot take is owed back.
    """
    check_amount(money.amount)
    for _ in range(TURNS):
        order = order_to_change(order_id, owner=owner)
        ledger = ledger_of(order)
        if is_recorded(ledger, money):
            return order
        late = _pays_an_expired(order, ledger, money)
        retaken = take_stock(order, order["geozone"], Purpose.PAYMENT) if late else None
        if changed := change_order(order, _change(order, ledger, money, retaken)):
            return changed
        if retaken:
            let_go(order, retaken)
    raise OrderBusy("order")


def check_amount(amount: Decimal) -> None:
    """Raises BadAmount for no or negative money, and for parts of kopecks."""
    if not is_amount(amount) or amount == 0:
        raise BadAmount("amount")


def is_recorded(ledger: Ledger, money: IncomingMoney) -> bool:
    """Whether the ledger has the payment already. Raises ReferenceReused when another amount has its reference."""
    amounts = [payment.amount for payment in payments(ledger, money.reference)]
    if amounts and money.amount not in amounts:
        raise ReferenceReused("reference", reference=money.reference, amount=Amount(amounts[0]))
    return bool(amounts)


def _pays_an_expired(order: OrderDocument, ledger: Ledger, money: IncomingMoney) -> bool:
    return bool(
        order["status"] == OrderStatus.EXPIRED.value and held(ledger) + money.amount >= order["total"].to_decimal()
    )


def _change(order: OrderDocument, ledger: Ledger, money: IncomingMoney, retaken: str | None) -> OrderChange:
    status = OrderStatus(order["status"])
    origin = Origin(datetime.now(UTC), money.actor.name, money.source)
    payment = new_entry(Kind.PAYMENT, State.DONE, money.amount, money.reference, origin)
    # With its stock taken again an expired order is as good as new.
    taken = taken_in(order, (*ledger, payment), OrderStatus.NEW if retaken else status, origin)
    is_now_paid = taken.is_paid and (status is OrderStatus.NEW or retaken is not None)
    move = transition(order["status"], OrderStatus.PAID, Who.PAYMENTS) if is_now_paid else None
    return OrderChange(
        kind=EventType.MOVED if move else EventType.PAYMENT,
        actor=money.actor,
        action=Action.ORDER_PAYMENT_RECORDED,
        note=money.reference,
        status=move.target if move else None,
        fields={"retaken": retaken} if retaken else {},
        stock_due=debt(move.stock, order["items"]) if move and move.stock else None,
        ledger=taken.ledger,
        entry=payment.id,
    )
