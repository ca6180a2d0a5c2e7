"""Staff pay back what is owed to a buyer: once for each entry, under a reference, by name."""

from datetime import UTC, datetime
from typing import NamedTuple

from gateway.audit.trail import Action, Actor
from gateway.domain.money import Amount
from ordering.documents import OrderDocument
from ordering.errors import NothingDue, OrderBusy, PayoutFailed, ReferenceReused, UnknownEntry
from ordering.events import STAFF, EventType
from ordering.ledger.fields import ledger_of
from ordering.ledger.ledger import Entry, HasFailed, Ledger, Origin, entry_with, owed, payouts, with_repayment
from ordering.ledger.references import Reference
from ordering.lifecycle.change import TURNS, OrderChange, change_order
from ordering.reading.orders import order_to_change


class Settling(NamedTuple):
    entry: str
    """Id of the entry of the ledger that is due."""
    reference: Reference
    """What the money that went out is called: the same settles once."""
    actor: Actor


def settle_refund(order_id: str, settling: Settling, *, owner: str | None = None) -> OrderDocument:
    """Record that what was due for this entry has gone out; returns the order. Of two at once one is told."""
    for _ in range(TURNS):
        order = order_to_change(order_id, owner=owner)
        ledger = ledger_of(order)
        claim = entry_with(ledger, settling.entry)
        if claim is None:
            raise UnknownEntry("entry")
        if _is_recorded(ledger, claim, settling.reference):
            return order
        if changed := change_order(order, _change(ledger, claim, settling)):
            return changed
    raise OrderBusy("order")


def _is_recorded(ledger: Ledger, claim: Entry, reference: Reference) -> bool:
    """Whether this money has gone out for the claim. Raises ReferenceReused when it went out for something else."""
    known = payouts(ledger, reference)
    if known and not any(part.entry == claim.id for entry in known for part in entry.parts):
        raise ReferenceReused("reference", reference=reference, amount=Amount(known[0].amount))
    return bool(known)


def _change(ledger: Ledger, claim: Entry, settling: Settling) -> OrderChange:
    if not owed(ledger, claim):
        raise NothingDue("entry")
    try:
        after = with_repayment(ledger, claim, settling.reference, Origin(datetime.now(UTC), settling.actor.name, STAFF))
    except HasFailed:
        raise PayoutFailed("reference", reference=settling.reference) from None
    return OrderChange(
        kind=EventType.REPAYMENT,
        actor=settling.actor,
        action=Action.ORDER_REPAID,
        note=settling.reference,
        ledger=after,
        entry=after[-1].id,
    )
