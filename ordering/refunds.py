"""Money that goes back, line by line, never above what was paid."""

from collections.abc import Sequence
from datetime import UTC, datetime
from decimal import Decimal
from typing import NamedTuple

from bson import Decimal128

from gateway.domain_errors import DomainError, Refused
from gateway.mongo.client import Document
from gateway.text_input import text_errors
from ordering.amounts import paid, refunded
from ordering.changing import TURNS, Change, change_order
from ordering.errors import (
    MoreThanPaid,
    NamedTwice,
    NothingToRefund,
    NotInOrder,
    OrderBusy,
    ReferenceReused,
    TooManyToRefund,
)
from ordering.events import EventType
from ordering.finding import order_to_change
from ordering.models import OrderStatus
from ordering.payments import MAX_REFERENCE
from ordering.stock_due import debt
from ordering.transitions import Who, transition

MAX_REASON = 500


class RefundLine(NamedTuple):
    product_id: str
    quantity: int


class Refunding(NamedTuple):
    lines: tuple[RefundLine, ...]
    reason: str
    reference: str
    """The same refunds once."""
    restock: bool
    actor: str


def refund_order(order_id: str, refunding: Refunding, *, owner: str | None = None) -> Document:
    """The order with the refund; refunded once nothing of it is left."""
    _check(refunding)
    for _ in range(TURNS):
        order = order_to_change(order_id, owner=owner)
        if _is_recorded(order, refunding):
            return order
        if changed := change_order(order, _change(order, refunding)):
            return changed
    raise OrderBusy("order")


def _check(refunding: Refunding) -> None:
    errors = [
        *text_errors(refunding.reason.strip(), MAX_REASON, "reason", lines=True),
        *text_errors(refunding.reference.strip(), MAX_REFERENCE, "reference"),
    ]
    if not refunding.lines:
        errors.append(NothingToRefund("lines"))
    seen: set[str] = set()
    for index, line in enumerate(refunding.lines):
        if line.product_id in seen:
            errors.append(NamedTwice("lines", index, "product_id", product_id=line.product_id))
        seen.add(line.product_id)
    if errors:
        raise Refused(errors)


def _is_recorded(order: Document, refunding: Refunding) -> bool:
    for refund in order["refunds"]:
        if refund["reference"] == refunding.reference:
            if [RefundLine(**line) for line in refund["lines"]] != list(refunding.lines):
                raise ReferenceReused("reference", reference=refunding.reference, amount=refund["amount"])
            return True
    return False


def _change(order: Document, refunding: Refunding) -> Change:
    # Whether this status refunds at all is what the table says of its last step.
    transition(order["status"], OrderStatus.REFUNDED, Who.STAFF)
    items, given = _refunded_items(order["items"], refunding.lines)
    amount = sum((item["price"].to_decimal() * item["quantity"] for item in given), Decimal(0))
    left = paid(order) - refunded(order)
    if amount > left:
        raise MoreThanPaid("lines", amount=amount, left=left)
    refund = {
        "reference": refunding.reference,
        "amount": Decimal128(amount),
        "at": datetime.now(UTC),
        "lines": [line._asdict() for line in refunding.lines],
        "restocked": refunding.restock,
    }
    whole = all(item["refunded"] == item["quantity"] for item in items)
    return Change(
        kind=EventType.REFUND,
        actor=refunding.actor,
        note=refunding.reason,
        status=OrderStatus.REFUNDED if whole else None,
        fields={"items": items, "refunds": [*order["refunds"], refund]},
        stock_due=debt("put_back", given) if refunding.restock else None,
    )


def _refunded_items(items: Sequence[Document], lines: Sequence[RefundLine]) -> tuple[list[Document], list[Document]]:
    """All items with what is refunded of each, and those of this refund with its quantities."""
    wanted = {line.product_id: (index, line.quantity) for index, line in enumerate(lines)}
    errors: list[DomainError] = [
        NotInOrder("lines", index, "product_id", product_id=product_id)
        for product_id, (index, _) in wanted.items()
        if product_id not in {item["product_id"] for item in items}
    ]
    after, given = [], []
    for item in items:
        index, quantity = wanted.get(item["product_id"], (0, 0))
        left = item["quantity"] - item["refunded"]
        if item["product_id"] in wanted and not 1 <= quantity <= left:
            errors.append(TooManyToRefund("lines", index, "quantity", name=item["name"], left=left, quantity=quantity))
        after.append({**item, "refunded": item["refunded"] + quantity})
        if quantity:
            given.append({**item, "quantity": quantity})
    if errors:
        raise Refused(errors)
    return after, given
