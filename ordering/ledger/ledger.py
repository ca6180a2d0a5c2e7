"""The money of an order: a list of entries, and everything else derived from it. docs/payments.md has the table.

Money moves by payments, repayments, chargebacks, and by refunds that went out under their own reference. Excesses and
refunds are what the shop owes: due until something has gone out for all of it, due again when that did not arrive.
Every function here is pure: it takes a ledger and returns one, the very same when nothing was left to record.
"""

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from decimal import Decimal
from enum import Enum
from typing import NamedTuple

from gateway.domain.uuid7 import uuid7
from ordering.events import STAFF

NOTHING = Decimal(0)


class Kind(Enum):
    PAYMENT = "payment"
    """Money that came."""
    REFUND = "refund"
    """Money of the order that goes back: lines of it, or what the payment system says."""
    EXCESS = "excess"
    """What of a payment the order did not take: it is owed to the buyer."""
    REPAYMENT = "repayment"
    """Money that went out for excesses and refunds that were owed."""
    CHARGEBACK = "chargeback"
    """Money that the buyer's bank took back."""


class State(Enum):
    DUE = "due"
    """The shop owes it."""
    DONE = "done"
    FAILED = "failed"
    """It did not arrive, or did not stand: counts as if it had never been."""


class RefundLine(NamedTuple):
    product_id: str
    quantity: int


class Part(NamedTuple):
    """So much of an entry is about another one: what it answers, or what it came from."""

    entry: str
    amount: Decimal


class Entry(NamedTuple):
    id: str
    at: datetime
    kind: Kind
    state: State
    amount: Decimal
    reference: str
    actor: str
    source: str
    parts: tuple[Part, ...] = ()
    """Excess: of which payment. Repayment and chargeback: what was owed and this went out for."""
    lines: tuple[RefundLine, ...] = ()
    """What a refund that staff made is for."""
    restocked: bool = False


Ledger = tuple[Entry, ...]


class Origin(NamedTuple):
    """Who caused an entry, from where, and when."""

    at: datetime
    actor: str
    source: str


class OtherAmount(Exception):
    """The reference stands for another amount already."""

    def __init__(self, amount: Decimal) -> None:
        super().__init__(amount)
        self.amount = amount


class MoreThanCame(Exception):
    """More would go out than has come in."""


class HasFailed(Exception):
    """The payment system has said that what goes under this reference did not arrive."""


def new_entry(kind: Kind, state: State, amount: Decimal, reference: str, origin: Origin) -> Entry:
    return Entry(str(uuid7()), origin.at, kind, state, amount, reference, origin.actor, origin.source)


# Sums.


def came(ledger: Ledger) -> Decimal:
    return _sum(entry.amount for entry in ledger if entry.kind is Kind.PAYMENT)


def paid(ledger: Ledger) -> Decimal:
    """What the order has taken; excesses are no part of it."""
    return came(ledger) - _sum(entry.amount for entry in _of_kind(ledger, Kind.EXCESS))


def refunded(ledger: Ledger) -> Decimal:
    """What has gone back of that, by refunds and by chargebacks."""
    gone = _sum(entry.amount - owed(ledger, entry) for entry in _of_kind(ledger, Kind.REFUND))
    return gone + _taken_by_banks(ledger)


def due_back(ledger: Ledger) -> Decimal:
    """What the shop still owes the buyer."""
    return _sum(owed(ledger, entry) for entry in ledger)


def kept(ledger: Ledger) -> Decimal:
    """What is the shop's: neither gone back nor owed. Below zero only when a bank took what had gone back already."""
    return held(ledger) - _sum(entry.amount for entry in _of_kind(ledger, Kind.REFUND))


def held(ledger: Ledger) -> Decimal:
    """What pays for the order: its refunds aside, which are for goods that it was taken for."""
    return paid(ledger) - _taken_by_banks(ledger)


def owed(ledger: Ledger, claim: Entry) -> Decimal:
    """What is still to go out for this entry."""
    if claim.state is not State.DUE:
        return NOTHING
    return claim.amount - _sum(part.amount for part in _answers(ledger) if part.entry == claim.id)


# What happens to it.


def with_excess(ledger: Ledger, amount: Decimal, origin: Origin) -> Ledger:
    """So much of what the order has taken is owed back from now on: of its last payments first."""
    excesses: list[Entry] = []
    left = amount
    for payment in reversed(_of_kind(ledger, Kind.PAYMENT)):
        surplus = min(left, payment.amount - _excess_of(ledger, payment))
        if surplus > 0:
            entry = new_entry(Kind.EXCESS, State.DUE, surplus, payment.reference, origin)
            excesses.insert(0, entry._replace(parts=(Part(payment.id, surplus),)))
            left -= surplus
    return _balanced((*ledger, *excesses))


def with_refund(ledger: Ledger, refund: Entry) -> Ledger:
    """The ledger with the refund. Raises HasFailed, and MoreThanCame above what is kept."""
    _check_not_failed(ledger, refund.reference)
    if refund.amount > max(NOTHING, kept(ledger)):
        raise MoreThanCame
    return (*ledger, refund)


def with_lines(ledger: Ledger, refund: Entry, lines: tuple[RefundLine, ...], *, restocked: bool) -> Ledger:
    """Staff say what the payment system's refund was for."""
    return _replaced(ledger, refund._replace(lines=lines, restocked=restocked))


def with_repayment(ledger: Ledger, claim: Entry, reference: str, origin: Origin) -> Ledger:
    """All that is owed for this entry has gone out. Raises HasFailed."""
    _check_not_failed(ledger, reference)
    amount = owed(ledger, claim)
    repayment = new_entry(Kind.REPAYMENT, State.DONE, amount, reference, origin)
    return _answered((*ledger, repayment._replace(parts=(Part(claim.id, amount),))))


def with_payout(ledger: Ledger, amount: Decimal, reference: str, origin: Origin, *, is_paid: bool) -> Ledger:
    """The payment system has paid out so much. First it answers what is owed; the rest is money of the order.

    `is_paid`: the order is; what goes back of one that is not, it had never taken. Raises OtherAmount, MoreThanCame.
    """
    known = payouts(ledger, reference)
    if known or _failed(ledger, reference):
        _check_amount(_sum(entry.amount for entry in known or _failed(ledger, reference)), amount)
        return ledger
    rest = amount - min(amount, due_back(ledger))
    if rest > max(NOTHING, kept(ledger)):
        raise MoreThanCame
    if rest and is_paid:
        ledger = (*ledger, new_entry(Kind.REFUND, State.DONE, rest, reference, origin))
        amount -= rest
    elif rest:
        ledger = with_excess(ledger, rest, origin)
    if not amount:
        return ledger
    repayment = new_entry(Kind.REPAYMENT, State.DONE, amount, reference, origin)
    return _answered((*ledger, repayment._replace(parts=_allotted(ledger, amount))))


def without_payout(ledger: Ledger, amount: Decimal, reference: str, origin: Origin) -> Ledger:
    """What went out under this reference did not arrive: what it was for is owed again. Whatever comes later under
    the reference changes nothing any more. Raises OtherAmount."""
    if failed := _failed(ledger, reference):
        _check_amount(_sum(entry.amount for entry in failed), amount)
        return ledger
    known = payouts(ledger, reference)
    if known:
        _check_amount(_sum(entry.amount for entry in known), amount)
    own = tuple(Part(entry.id, entry.amount) for entry in known if entry.kind is Kind.REFUND)
    unmarked = _sum(part.amount for part in own) if known else amount
    for entry in known:
        ledger = _undone(ledger, entry)
    if unmarked:
        mark = new_entry(Kind.REPAYMENT, State.FAILED, unmarked, reference, origin)
        ledger = (*ledger, mark._replace(parts=own))
    return _balanced(ledger)


def with_chargeback(ledger: Ledger, amount: Decimal, reference: str, origin: Origin) -> Ledger:
    """The bank took so much: for what is owed first, then of what is kept. Raises OtherAmount, MoreThanCame."""
    if known := _chargeback(ledger, reference):
        _check_amount(known.amount, amount)
        return ledger
    taken = _sum(entry.amount for entry in _of_kind(ledger, Kind.CHARGEBACK))
    if taken + amount > came(ledger):
        raise MoreThanCame
    entry = new_entry(Kind.CHARGEBACK, State.DONE, amount, reference, origin)
    return _balanced(_answered((*ledger, entry._replace(parts=_allotted(ledger, min(amount, due_back(ledger)))))))


def without_chargeback(ledger: Ledger, amount: Decimal, reference: str, origin: Origin) -> Ledger:
    """The bank gave it back: what the chargeback had answered is owed again. Raises OtherAmount."""
    known = _chargeback(ledger, reference)
    if known is None:
        return (*ledger, new_entry(Kind.CHARGEBACK, State.FAILED, amount, reference, origin))
    _check_amount(known.amount, amount)
    if known.state is State.FAILED:
        return ledger
    return _balanced(_reopened(_replaced(ledger, known._replace(state=State.FAILED)), known))


# Finding entries.


def entry_with(ledger: Ledger, entry_id: str) -> Entry | None:
    return next((entry for entry in ledger if entry.id == entry_id), None)


def payments(ledger: Ledger, reference: str) -> list[Entry]:
    """The payments under this reference: several only in an order of an earlier release, which kept spaces."""
    return [entry for entry in _of_kind(ledger, Kind.PAYMENT) if entry.reference == reference]


def refunds(ledger: Ledger, reference: str) -> list[Entry]:
    """The refunds under this reference, those that failed to arrive too."""
    return [entry for entry in ledger if entry.kind is Kind.REFUND and entry.reference == reference]


def payouts(ledger: Ledger, reference: str) -> list[Entry]:
    """What went out under this reference and has not failed: refunds, and repayments of what was owed."""
    if _failed(ledger, reference):
        return []
    return [
        entry
        for entry in ledger
        if entry.kind in {Kind.REFUND, Kind.REPAYMENT}
        and entry.reference == reference
        and entry.state is not State.FAILED
    ]


def _chargeback(ledger: Ledger, reference: str) -> Entry | None:
    return next((entry for entry in ledger if entry.kind is Kind.CHARGEBACK and entry.reference == reference), None)


def _failed(ledger: Ledger, reference: str) -> list[Entry]:
    return [
        entry
        for entry in ledger
        if entry.kind is Kind.REPAYMENT and entry.state is State.FAILED and entry.reference == reference
    ]


# Pieces of the above.


def _sum(amounts: Iterable[Decimal]) -> Decimal:
    return sum(amounts, NOTHING)


def _of_kind(ledger: Ledger, kind: Kind) -> list[Entry]:
    return [entry for entry in ledger if entry.kind is kind and entry.state is not State.FAILED]


def _answers(ledger: Ledger) -> Iterator[Part]:
    for entry in ledger:
        if entry.kind in {Kind.REPAYMENT, Kind.CHARGEBACK} and entry.state is State.DONE:
            yield from entry.parts


def _rest(entry: Entry) -> Decimal:
    """What a chargeback took of the order's own money."""
    return entry.amount - _sum(part.amount for part in entry.parts)


def _taken_by_banks(ledger: Ledger) -> Decimal:
    return _sum(_rest(entry) for entry in _of_kind(ledger, Kind.CHARGEBACK))


def _excess_of(ledger: Ledger, payment: Entry) -> Decimal:
    parts = (part for entry in _of_kind(ledger, Kind.EXCESS) for part in entry.parts)
    return _sum(part.amount for part in parts if part.entry == payment.id)


def _allotted(ledger: Ledger, amount: Decimal) -> tuple[Part, ...]:
    """What an amount that goes out answers: the entry of which exactly so much is owed, else the oldest first."""
    claims = [(entry, due) for entry in ledger if (due := owed(ledger, entry))]
    exact = next(((entry, due) for entry, due in claims if due == amount), None)
    parts: list[Part] = []
    left = amount
    for entry, due in [exact] if exact else claims:
        if left:
            parts.append(Part(entry.id, min(left, due)))
            left -= parts[-1].amount
    return tuple(parts)


def _answered(ledger: Ledger) -> Ledger:
    """The ledger in which entries that were due and are owed no longer are done."""
    return _mapped(
        ledger,
        lambda entry: entry.state is State.DUE and not owed(ledger, entry),
        lambda entry: entry._replace(state=State.DONE),
    )


def _undone(ledger: Ledger, payout: Entry) -> Ledger:
    if payout.kind is Kind.REPAYMENT:
        return _reopened(_replaced(ledger, payout._replace(state=State.FAILED)), payout)
    # Staff have decided on it, and owe the money; what nobody here decided on has simply not happened.
    decided = payout.lines or payout.source == STAFF
    return _replaced(ledger, payout._replace(state=State.DUE if decided else State.FAILED))


def _reopened(ledger: Ledger, movement: Entry) -> Ledger:
    """The ledger in which the entries that this movement had answered are due again."""
    claims = {part.entry for part in movement.parts}
    return _mapped(ledger, lambda entry: entry.id in claims, lambda entry: entry._replace(state=State.DUE))


def _balanced(ledger: Ledger) -> Ledger:
    """The ledger in which less is owed, by as much as a bank took that had gone back already: it was paid twice."""
    while (overdrawn := min(-kept(ledger), due_back(ledger))) > 0:
        chargeback = next(entry for entry in _of_kind(ledger, Kind.CHARGEBACK) if _rest(entry) > 0)
        parts = _allotted(ledger, min(overdrawn, _rest(chargeback)))
        ledger = _answered(_replaced(ledger, chargeback._replace(parts=(*chargeback.parts, *parts))))
    return ledger


def _replaced(ledger: Ledger, entry: Entry) -> Ledger:
    return _mapped(ledger, lambda each: each.id == entry.id, lambda _: entry)


def _mapped(ledger: Ledger, which: Callable[[Entry], bool], change: Callable[[Entry], Entry]) -> Ledger:
    return tuple(change(entry) if which(entry) else entry for entry in ledger)


def _check_not_failed(ledger: Ledger, reference: str) -> None:
    if _failed(ledger, reference):
        raise HasFailed


def _check_amount(known: Decimal, given: Decimal) -> None:
    if known != given:
        raise OtherAmount(known)
