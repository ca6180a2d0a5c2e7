"""Refunds that staff make, by line or by amount, never above what was paid."""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from typing import NamedTuple

from gateway.audit.trail import Action, Actor
from gateway.domain.errors import DomainError, Refused
from gateway.domain.input import normal_key, text_errors
from gateway.domain.money import Amount
from ordering.documents import OrderDocument, OrderItem
from ordering.errors import (
    MoreThanPaid,
    NamedTwice,
    NothingToRefund,
    NotInOrder,
    OrderBusy,
    PayoutFailed,
    ReferenceReused,
    TooManyToPutBack,
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
from ordering.payments.limits import check_limit
from ordering.payments.payments import check_amount
from ordering.reading.orders import order_to_change
from ordering.stock.debts import debt

MAX_REASON = 500
NOTHING = Decimal(0)

PutBack = Mapping[str, int]
"""Pieces of each product that return to the shelf."""


class Refunding(NamedTuple):
    lines: tuple[RefundLine, ...]
    reason: str
    reference: Reference
    """What the refund is called: the same is recorded once."""
    put_back: PutBack | None
    """None: all pieces of the lines."""
    actor: Actor


class AmountRefunding(NamedTuple):
    """Money that goes back and no goods: for the delivery, or as a courtesy."""

    amount: Decimal
    reason: str
    reference: Reference
    """What the refund is called: the same is recorded once."""
    actor: Actor


def refund_order(
    order_id: str, refunding: Refunding, *, owner: str | None = None, limit: Decimal | None = None
) -> OrderDocument:
    """Record the refund; returns the order, which becomes refunded once nothing of it is left.

    `limit`: what the actor may refund of one order without asking; None: anything. Raises AboveLimit.
    """
    _check(refunding)

    def change(order: OrderDocument, ledger: Ledger) -> OrderChange | None:
        return None if _is_recorded(ledger, refunding) else change_by_lines(order, ledger, refunding, limit)

    return in_turns(order_id, change, owner=owner)


def refund_amount(
    order_id: str, refunding: AmountRefunding, *, owner: str | None = None, limit: Decimal | None = None
) -> OrderDocument:
    """Record the refund, which is for no goods; returns the order, whose status stays. Raises AboveLimit."""
    check_reason(refunding.reason)
    check_amount(refunding.amount)

    def change(order: OrderDocument, ledger: Ledger) -> OrderChange | None:
        if any(not each.lines and each.amount == refunding.amount for each in refunds(ledger, refunding.reference)):
            return None
        return _change_by_amount(order, ledger, refunding, limit)

    return in_turns(order_id, change, owner=owner)


def in_turns(
    order_id: str, change: Callable[[OrderDocument, Ledger], OrderChange | None], *, owner: str | None
) -> OrderDocument:
    """Make the change that the order as it stands needs, until nobody else was faster; None: it is made already."""
    for _ in range(TURNS):
        order = order_to_change(order_id, owner=owner)
        wanted = change(order, ledger_of(order))
        if wanted is None:
            return order
        if changed := change_order(order, wanted):
            return changed
    raise OrderBusy("order")


def check_reason(reason: str) -> None:
    if errors := _reason_errors(reason):
        raise Refused(errors)


def change_by_lines(
    order: OrderDocument,
    ledger: Ledger,
    refunding: Refunding,
    limit: Decimal | None,
    *,
    action: Action = Action.ORDER_REFUNDED,
    capped: bool = False,
) -> OrderChange:
    """What the refund of these lines changes; `capped`: where less is left than they cost, that much goes back.

    Raises what speaks against it.
    """
    # Whether this status refunds at all is what the table says of its last step.
    transition(order["status"], OrderStatus.REFUNDED, Who.STAFF)
    items, returned = _refunded_items(order["items"], refunding.lines)
    whole = all(item["refunded"] == item["quantity"] for item in items)
    price = sum((item["price"].to_decimal() * item["quantity"] for item in returned), NOTHING)
    put_back = _put_back(returned, refunding.put_back)
    amount = _amount(ledger, price, whole=whole, capped=capped)
    after, refund = _with_refund(ledger, refunding, amount, restocked=bool(put_back))
    check_limit(ledger, refund, refunding.actor, limit)
    return OrderChange(
        kind=EventType.REFUND,
        actor=refunding.actor,
        action=action,
        note=refunding.reason.strip(),
        status=OrderStatus.REFUNDED if whole else None,
        fields={"items": items},
        stock_due=debt("put_back", put_back) if put_back else None,
        ledger=after,
        entry=refund.id,
    )


def _change_by_amount(
    order: OrderDocument, ledger: Ledger, refunding: AmountRefunding, limit: Decimal | None
) -> OrderChange:
    transition(order["status"], OrderStatus.REFUNDED, Who.STAFF)
    _check_unused(ledger, refunding.reference)
    refund = _new_refund(refunding.amount, refunding.reference, refunding.actor)
    check_limit(ledger, refund, refunding.actor, limit)
    return OrderChange(
        kind=EventType.REFUND,
        actor=refunding.actor,
        action=Action.ORDER_REFUNDED,
        note=refunding.reason.strip(),
        ledger=_added(ledger, refund, "amount"),
        entry=refund.id,
    )


def _check(refunding: Refunding) -> None:
    errors = _reason_errors(refunding.reason)
    if not refunding.lines:
        errors.append(NothingToRefund("lines"))
    seen: set[str] = set()
    for index, line in enumerate(refunding.lines):
        if line.product_id in seen:
            errors.append(NamedTwice("lines", index, "product_id", product_id=line.product_id))
        seen.add(line.product_id)
    if errors:
        raise Refused(errors)


def _reason_errors(reason: str) -> list[DomainError]:
    # Of invisible signs alone it would be no reason.
    return text_errors(reason.strip() if normal_key(reason) else "", MAX_REASON, "reason", lines=True)


def _is_recorded(ledger: Ledger, refunding: Refunding) -> bool:
    """Whether the ledger has a refund of these lines under this reference."""
    return any(refund.lines == refunding.lines for refund in refunds(ledger, refunding.reference))


def _with_refund(ledger: Ledger, refunding: Refunding, amount: Decimal, *, restocked: bool) -> tuple[Ledger, Entry]:
    """The ledger and the entry in it: a new one, or what the payment system told of before staff named the lines."""
    for told in refunds(ledger, refunding.reference):
        if not told.lines and told.source != STAFF and told.amount == amount and told.state is State.DONE:
            return with_lines(ledger, told, refunding.lines, restocked=restocked), told
    _check_unused(ledger, refunding.reference)
    refund = _new_refund(amount, refunding.reference, refunding.actor)
    refund = refund._replace(lines=refunding.lines, restocked=restocked)
    return _added(ledger, refund, "lines"), refund


def _new_refund(amount: Decimal, reference: Reference, actor: Actor) -> Entry:
    return new_entry(Kind.REFUND, State.DONE, amount, reference, Origin(datetime.now(UTC), actor.name, STAFF))


def _check_unused(ledger: Ledger, reference: Reference) -> None:
    if known := payouts(ledger, reference) or refunds(ledger, reference):
        raise ReferenceReused("reference", reference=reference, amount=Amount(known[0].amount))


def _added(ledger: Ledger, refund: Entry, field: str) -> Ledger:
    try:
        return with_refund(ledger, refund)
    except HasFailed:
        raise PayoutFailed("reference", reference=refund.reference) from None
    except MoreThanCame:
        raise MoreThanPaid(field, amount=Amount(refund.amount), left=Amount(max(NOTHING, kept(ledger)))) from None


def _amount(ledger: Ledger, price: Decimal, *, whole: bool, capped: bool) -> Decimal:
    """What goes back for goods of this price. For the last of them, less what has gone back for no goods."""
    left = max(NOTHING, kept(ledger))
    given = _refunded_for_nothing(ledger) if whole else NOTHING
    return min(price, left) if capped or price - given <= left else price


def _refunded_for_nothing(ledger: Ledger) -> Decimal:
    """What staff have refunded by amount."""
    made = (entry for entry in ledger if entry.kind is Kind.REFUND and entry.source == STAFF and not entry.lines)
    return sum((entry.amount for entry in made if entry.state is not State.FAILED), NOTHING)


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


def _put_back(returned: Sequence[OrderItem], wanted: PutBack | None) -> list[OrderItem]:
    """Those of the returned items that go back on sale, with their quantities."""
    if wanted is None:
        return list(returned)
    refunded = {item["product_id"]: item for item in returned}
    errors: list[DomainError] = []
    for product_id, quantity in wanted.items():
        most = refunded[product_id]["quantity"] if product_id in refunded else 0
        if not 0 <= quantity <= most:
            errors.append(TooManyToPutBack("put_back", product_id, product_id=product_id, most=most, quantity=quantity))
    if errors:
        raise Refused(errors)
    return [{**item, "quantity": wanted[id_]} for id_, item in refunded.items() if wanted.get(id_)]
