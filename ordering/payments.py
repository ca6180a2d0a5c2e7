"""Money that came for an order: recorded once, whatever the order's state, and never lost."""

from datetime import UTC, datetime
from decimal import Decimal
from typing import NamedTuple

from bson import Decimal128

from gateway.domain_errors import Refused
from gateway.mongo.client import Document
from gateway.text_input import text_errors
from ordering.amounts import is_amount, paid
from ordering.changing import TURNS, Change, change_order
from ordering.errors import BadAmount, OrderBusy, ReferenceReused
from ordering.events import EventType
from ordering.finding import order_to_change
from ordering.late_payments import let_go, take_again
from ordering.models import OrderStatus
from ordering.stock_due import debt
from ordering.transitions import Who, transition

MAX_REFERENCE = 100


class Money(NamedTuple):
    amount: Decimal
    reference: str
    """Of the payment: the same is recorded once."""
    source: str
    actor: str


def receive_payment(order_id: str, money: Money, *, owner: str | None = None) -> Document:
    """The order with the payment. Paid in full, a new one becomes paid, and so does an expired one whose stock can be
    had again; what the order cannot take is marked to be refunded."""
    _check(money)
    for _ in range(TURNS):
        order = order_to_change(order_id, owner=owner)
        if _is_recorded(order, money):
            return order
        retaken = take_again(order) if _pays_an_expired(order, money) else None
        if changed := change_order(order, _change(order, money, retaken)):
            return changed
        if retaken:
            let_go(order, retaken)
    raise OrderBusy("order")


def _check(money: Money) -> None:
    if not is_amount(money.amount) or money.amount == 0:
        raise BadAmount("amount")
    if errors := text_errors(money.reference.strip(), MAX_REFERENCE, "reference"):
        raise Refused(errors)


def _is_recorded(order: Document, money: Money) -> bool:
    for payment in order["payments"]:
        if payment["reference"] == money.reference:
            if payment["amount"].to_decimal() != money.amount:
                raise ReferenceReused("reference", reference=money.reference, amount=payment["amount"])
            return True
    return False


def _pays_an_expired(order: Document, money: Money) -> bool:
    return bool(
        order["status"] == OrderStatus.EXPIRED.value and paid(order) + money.amount >= order["total"].to_decimal()
    )


def _change(order: Document, money: Money, retaken: str | None) -> Change:
    open_ = order["status"] == OrderStatus.NEW.value or retaken is not None
    total, before = order["total"].to_decimal(), paid(order)
    excess = max(Decimal(0), before + money.amount - total) if open_ else money.amount
    now_paid = open_ and before + money.amount >= total
    move = transition(order["status"], OrderStatus.PAID, Who.PAYMENTS) if now_paid else None
    payment = {
        "reference": money.reference,
        "amount": Decimal128(money.amount),
        "at": datetime.now(UTC),
        "source": money.source,
        "to_refund": Decimal128(excess),
    }
    fields: Document = {"payments": [*order["payments"], payment]}
    if excess:
        fields["to_refund"] = True
    if retaken:
        fields["retaken"] = retaken
    return Change(
        kind=EventType.MOVED if move else EventType.PAYMENT,
        actor=money.actor,
        note=money.reference,
        status=move.target if move else None,
        fields=fields,
        stock_due=debt(move.stock, order["items"]) if move and move.stock else None,
    )
