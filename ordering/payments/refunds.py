"""Refunds that staff make, line by line, never above what was paid."""

from collections.abc import Sequence
from datetime import UTC, datetime
from decimal import Decimal
from typing import NamedTuple

from gateway.domain.errors import DomainError, Refused
from gateway.domain.input import normal_key, text_errors
from ordering.documents import OrderDocument, OrderItem
from ordering.errors import (
    MoreThanPaid,
    NamedTwice,
    NothingToRefund,
    NotInOrder,
    OrderBusy,
    PayoutFailed,
    ReferenceReused,
    TooManyToRefund,
)
from ordering.events import STAFF, EventType
from ordering.ledger.fields import ledger_of
from ordering.ledger.ledger import (
    Entry,
    HasFailed,
    Kind,
    Ledger,
    MoreThanCame,
    Origin,
    RefundLine,
    State,
    kept,
    new_entry,
    payouts,
    refunds,
    with_lines,
    with_refund,
)
from ordering.ledger.references import Reference
from ordering.lifecycle.change import TURNS, OrderChange, change_order
from ordering.lifecycle.transitions import Who, transition
from ordering.models import OrderStatus
from ordering.reading.orders import order_to_change
from ordering.stock.debts import debt

MAX_REASON = 500


class Refunding(NamedTuple):
    lines: tuple[RefundLine, ...]
    reason: str
    reference: Reference
    """What the refund is called: the same is recorded once."""
    restock: bool
    actor: str


def refund_order(order_id: str, refunding: Refunding, *, owner: str | None = None) -> OrderDocument:
    """Record the refund; returns the order, which becomes refunded once nothing of it is left."""
    _check(refunding)
    for _ in range(TURNS):
        order = order_to_change(order_id, owner=owner)
        ledger = ledger_of(order)
        if _is_recorded(ledger, refunding):
            return order
        if changed := change_order(order, _change(order, ledger, refunding)):
            return changed
    raise OrderBusy("order")


def _check(refunding: Refunding) -> None:
    # Of invisible signs alone it would be no reason.
    reason = refunding.reason.strip() if normal_key(refunding.reason) else ""
    errors = text_errors(reason, MAX_REASON, "reason", lines=True)
    if not refunding.lines:
        errors.append(NothingToRefund("lines"))
    seen: set[str] = set()
    for index, line in enumerate(refunding.lines):
        if line.product_id in seen:
            errors.append(NamedTwice("lines", index, "product_id", product_id=line.product_id))
        seen.add(line.product_id)
    if errors:
        raise Refused(errors)


def _is_recorded(ledger: Ledger, refunding: Refunding) -> bool:
    """Whether the ledger has a refund of these lines under this reference."""
    return any(refund.lines == refunding.lines for refund in refunds(ledger, refunding.reference))


def _change(order: OrderDocument, ledger: Ledger, refunding: Refunding) -> OrderChange:
    # Whether this status refunds at all is what the table says of its last step.
    transition(order["status"], OrderStatus.REFUNDED, Who.STAFF)
    items, returned = _refunded_items(order["items"], refunding.lines)
    amount = sum((item["price"].to_decimal() * item["quantity"] for item in returned), Decimal(0))
    whole = all(item["refunded"] == item["quantity"] for item in items)
    after, refund = _with_refund(ledger, refunding, amount)
    return OrderChange(
        kind=EventType.REFUND,
        actor=refunding.actor,
        note=refunding.reason.strip(),
        status=OrderStatus.REFUNDED if whole else None,
        fields={"items": items},
        stock_due=debt("put_back", returned) if refunding.restock else None,
        ledger=after,
        entry=refund.id,
    )


def _with_refund(ledger: Ledger, refunding: Refunding, amount: Decimal) -> tuple[Ledger, Entry]:
    """The ledger and the entry in it: a new one, or what the payment system told of before staff named the lines."""
    for told in refunds(ledger, refunding.reference):
        if not told.lines and told.amount == amount and told.state is State.DONE:
            return with_lines(ledger, told, refunding.lines, restocked=refunding.restock), told
    if known := payouts(ledger, refunding.reference) or refunds(ledger, refunding.reference):
        raise ReferenceReused("reference", reference=refunding.reference, amount=known[0].amount)
    refund = new_entry(
        Kind.REFUND, State.DONE, amount, refunding.reference, Origin(datetime.now(UTC), refunding.actor, STAFF)
    )
    refund = refund._replace(lines=refunding.lines, restocked=refunding.restock)
    try:
        return with_refund(ledger, refund), refund
    except HasFailed:
        raise PayoutFailed("reference", reference=refunding.reference) from None
    except MoreThanCame:
        raise MoreThanPaid("lines", amount=amount, left=max(Decimal(0), kept(ledger))) from None


def _refunded_items(items: Sequence[OrderItem], lines: Sequence[RefundLine]) -> tuple[list[OrderItem], list[OrderItem]]:
    """All items with what is refunded of each, and those of this refund with its quantities."""
    wanted = {line.product_id: (index, line.quantity) for index, line in enumerate(lines)}
    errors: list[DomainError] = [
        NotInOrder("lines", index, "product_id", product_id=product_id)
        for product_id, (index, _) in wanted.items()
        if product_id not in {item["product_id"] for item in items}
    ]
    after: list[OrderItem] = []
    returned: list[OrderItem] = []
    for item in items:
        index, quantity = wanted.get(item["product_id"], (0, 0))
        left = item["quantity"] - item["refunded"]
        if item["product_id"] in wanted and not 1 <= quantity <= left:
            errors.append(TooManyToRefund("lines", index, "quantity", name=item["name"], left=left, quantity=quantity))
        after.append({**item, "refunded": item["refunded"] + quantity})
        if quantity:
            returned.append({**item, "quantity": quantity})
    if errors:
        raise Refused(errors)
    return after, returned
