"""Cancelling an order that is paid and not sent yet: all that is left of it goes back, in one change."""

from decimal import Decimal
from typing import NamedTuple

from gateway.audit.trail import Action, Actor
from ordering.documents import OrderDocument
from ordering.errors import SentAlready
from ordering.ledger.ledger import Ledger, RefundLine, refunds
from ordering.ledger.references import Reference
from ordering.lifecycle.change import OrderChange
from ordering.models import OrderStatus
from ordering.payments.refunds import PutBack, Refunding, change_by_lines, check_reason, in_turns

SENT = frozenset({OrderStatus.SHIPPED, OrderStatus.DELIVERED})


class Cancelling(NamedTuple):
    reason: str
    reference: Reference
    """What the refund is called: the same cancels once."""
    put_back: PutBack | None
    """Pieces of each product that return to the shelf; None: all of them."""
    actor: Actor


def cancel_paid(
    order_id: str, cancelling: Cancelling, *, owner: str | None = None, limit: Decimal | None = None
) -> OrderDocument:
    """Refund every piece that is not refunded yet, of an order that is not sent; returns it, refunded.

    As much goes back as is left of what was paid. Raises SentAlready and AboveLimit.
    """
    check_reason(cancelling.reason)

    def change(order: OrderDocument, ledger: Ledger) -> OrderChange | None:
        if order["status"] == OrderStatus.REFUNDED.value and refunds(ledger, cancelling.reference):
            return None
        if OrderStatus(order["status"]) in SENT:
            raise SentAlready("order")
        refunding = Refunding(_left(order), *cancelling)
        return change_by_lines(order, ledger, refunding, limit, action=Action.ORDER_CANCELLED, capped=True)

    return in_turns(order_id, change, owner=owner)


def _left(order: OrderDocument) -> tuple[RefundLine, ...]:
    return tuple(
        RefundLine(item["product_id"], item["quantity"] - item["refunded"])
        for item in order["items"]
        if item["quantity"] > item["refunded"]
    )
