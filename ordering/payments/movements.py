"""What the payment system tells besides payments: money that went out or did not arrive, and what banks took.

Events come in any order and more than once. Each is one change of the ledger that knows by the reference what it has
seen; what failed stays failed, whatever is told of it later.
"""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from decimal import Decimal
from enum import Enum
from typing import NamedTuple

from gateway.audit.trail import Action, Actor
from gateway.domain.money import Amount
from ordering.documents import OrderDocument
from ordering.errors import OrderBusy, ReferenceReused, TooEarly
from ordering.events import EventType
from ordering.ledger.fields import ledger_of
from ordering.ledger.intake import taken_in
from ordering.ledger.ledger import (
    Entry,
    Ledger,
    MoreThanCame,
    Origin,
    OtherAmount,
    with_chargeback,
    with_payout,
    without_chargeback,
    without_payout,
)
from ordering.ledger.references import Reference
from ordering.lifecycle.change import TURNS, OrderChange, change_order
from ordering.lifecycle.transitions import Who, transition
from ordering.models import OrderStatus
from ordering.payments.payments import check_amount
from ordering.reading.orders import order_to_change
from ordering.stock.debts import debt

UNPAID = frozenset({OrderStatus.NEW, OrderStatus.CANCELLED, OrderStatus.EXPIRED})


class MovementKind(Enum):
    REFUND_SUCCEEDED = "refund.succeeded"
    REFUND_FAILED = "refund.failed"
    CHARGEBACK_CREATED = "chargeback.created"
    CHARGEBACK_REVERSED = "chargeback.reversed"


class Movement(NamedTuple):
    """One event of money that the payment system tells of, other than a payment."""

    kind: MovementKind
    amount: Decimal
    reference: Reference
    """What the payment system calls the refund or chargeback: the same in all that it tells of it."""
    source: str
    actor: Actor


def record_movement(order_id: str, movement: Movement, *, owner: str | None = None) -> OrderDocument:
    """Record what the payment system tells; returns the order. The same again changes nothing.

    Raises ReferenceReused, and TooEarly when more goes out than has come in.
    """
    check_amount(movement.amount)
    for _ in range(TURNS):
        order = order_to_change(order_id, owner=owner)
        change = _change(order, movement)
        if change is None:
            return order
        if changed := change_order(order, change):
            return changed
    raise OrderBusy("order")


def is_known(order: OrderDocument, movement: Movement) -> bool:
    """Whether the ledger has the movement already. Raises like `record_movement`."""
    return _change(order, movement) is None


def _change(order: OrderDocument, movement: Movement) -> OrderChange | None:
    """What the movement changes in the order; None: it is recorded already."""
    status = OrderStatus(order["status"])
    ledger = ledger_of(order)
    origin = Origin(datetime.now(UTC), movement.actor.name, movement.source)
    try:
        after = _RECORDERS[movement.kind](ledger, movement, origin, status)
    except OtherAmount as error:
        raise ReferenceReused("reference", reference=movement.reference, amount=Amount(error.amount)) from None
    except MoreThanCame:
        raise TooEarly("amount", amount=Amount(movement.amount)) from None
    if after == ledger:
        return None
    entry = _entry_told_of(ledger, after)
    # Money that comes back to the shop is taken by the order like any other.
    taken = taken_in(order, after, status, origin)
    is_now_paid = taken.is_paid and status is OrderStatus.NEW
    move = transition(order["status"], OrderStatus.PAID, Who.PAYMENTS) if is_now_paid else None
    kind = EventType.MOVED if move else _EVENTS[movement.kind]
    return OrderChange(
        kind=kind,
        actor=movement.actor,
        action=Action.ORDER_PAYMENT_RECORDED,
        note=movement.reference,
        status=move.target if move else None,
        stock_due=debt(move.stock, order["items"]) if move and move.stock else None,
        ledger=taken.ledger,
        entry=entry.id,
        tells_the_buyer=kind in _TOLD_TO_THE_BUYER,
    )


def _entry_told_of(before: Ledger, after: Ledger) -> Entry:
    """The new or changed entry; the last of several."""
    return next(entry for entry in reversed(after) if entry not in before)


def _paid_out(ledger: Ledger, movement: Movement, origin: Origin, status: OrderStatus) -> Ledger:
    return with_payout(ledger, movement.amount, movement.reference, origin, is_paid=status not in UNPAID)


def _not_paid_out(ledger: Ledger, movement: Movement, origin: Origin, _: OrderStatus) -> Ledger:
    return without_payout(ledger, movement.amount, movement.reference, origin)


def _charged_back(ledger: Ledger, movement: Movement, origin: Origin, _: OrderStatus) -> Ledger:
    return with_chargeback(ledger, movement.amount, movement.reference, origin)


def _not_charged_back(ledger: Ledger, movement: Movement, origin: Origin, _: OrderStatus) -> Ledger:
    return without_chargeback(ledger, movement.amount, movement.reference, origin)


_RECORDERS: Mapping[MovementKind, Callable[[Ledger, Movement, Origin, OrderStatus], Ledger]] = {
    MovementKind.REFUND_SUCCEEDED: _paid_out,
    MovementKind.REFUND_FAILED: _not_paid_out,
    MovementKind.CHARGEBACK_CREATED: _charged_back,
    MovementKind.CHARGEBACK_REVERSED: _not_charged_back,
}
_EVENTS: Mapping[MovementKind, EventType] = {
    MovementKind.REFUND_SUCCEEDED: EventType.REPAYMENT,
    MovementKind.REFUND_FAILED: EventType.REFUND_FAILED,
    MovementKind.CHARGEBACK_CREATED: EventType.CHARGEBACK,
    MovementKind.CHARGEBACK_REVERSED: EventType.CHARGEBACK_REVERSED,
}
# A payout that failed is the shop's to repeat, and of a chargeback the bank has told the buyer.
_TOLD_TO_THE_BUYER = frozenset({EventType.MOVED, EventType.REPAYMENT})
