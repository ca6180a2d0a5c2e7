"""How the ledger stands in an order's document, and how it is read from one that an earlier release wrote.

That release kept `payments` and `refunds`, and of each payment what had to go back; archived orders are like that for
good. Their entries are derived at every reading, with the same ids each time; the next change of the order's money
writes the ledger and takes the old fields away.
"""

from uuid import NAMESPACE_OID, uuid5

from bson import Decimal128

from gateway.domain.input import normal_key
from gateway.mongo.client import Expression
from ordering.documents import EarlierRefund, LedgerEntry, OrderDocument
from ordering.events import PAYMENT_SYSTEM, STAFF, SYSTEM
from ordering.ledger.ledger import Entry, Kind, Ledger, Part, RefundLine, State, due_back

EARLIER = ("payments", "refunds")
"""Fields of the earlier release."""
WEBHOOK = "webhook"


def ledger_of(order: OrderDocument) -> Ledger:
    """The ledger of an order from MongoDB or Cassandra, whichever release wrote it."""
    entries = order.get("money")
    return tuple(map(_entry, entries)) if entries is not None else _derived(order)


def money_fields(ledger: Ledger) -> Expression:
    """What the ledger sets in the document, as pipeline expressions."""
    return {
        "money": {"$literal": [_fields(entry) for entry in ledger]},
        "to_refund": due_back(ledger) > 0,
        **dict.fromkeys(EARLIER, "$$REMOVE"),
    }


def _fields(entry: Entry) -> LedgerEntry:
    return {
        "id": entry.id,
        "at": entry.at,
        "kind": entry.kind.value,
        "state": entry.state.value,
        "amount": Decimal128(entry.amount),
        "reference": entry.reference,
        "actor": entry.actor,
        "source": entry.source,
        "parts": [{"entry": part.entry, "amount": Decimal128(part.amount)} for part in entry.parts],
        "lines": [{"product_id": line.product_id, "quantity": line.quantity} for line in entry.lines],
        "restocked": entry.restocked,
    }


def _entry(fields: LedgerEntry) -> Entry:
    return Entry(
        id=fields["id"],
        at=fields["at"],
        kind=Kind(fields["kind"]),
        state=State(fields["state"]),
        amount=fields["amount"].to_decimal(),
        reference=fields["reference"],
        actor=fields["actor"],
        source=fields["source"],
        parts=tuple(Part(part["entry"], part["amount"].to_decimal()) for part in fields["parts"]),
        lines=tuple(RefundLine(**line) for line in fields["lines"]),
        restocked=fields["restocked"],
    )


def _derived(order: OrderDocument) -> Ledger:
    entries: list[Entry] = []
    for index, payment in enumerate(order.get("payments") or ()):
        came = Entry(
            id=_id(order, "payment", index),
            at=payment["at"],
            kind=Kind.PAYMENT,
            state=State.DONE,
            amount=payment["amount"].to_decimal(),
            reference=normal_key(payment["reference"]),
            actor=PAYMENT_SYSTEM if payment["source"] == WEBHOOK else STAFF,
            source=payment["source"],
        )
        entries.append(came)
        if surplus := payment["to_refund"].to_decimal():
            entries.append(
                came._replace(
                    id=_id(order, "excess", index),
                    kind=Kind.EXCESS,
                    state=State.DUE,
                    amount=surplus,
                    actor=SYSTEM,
                    parts=(Part(came.id, surplus),),
                )
            )
    return (*entries, *(_refund(order, index, refund) for index, refund in enumerate(order.get("refunds") or ())))


def _refund(order: OrderDocument, index: int, refund: EarlierRefund) -> Entry:
    return Entry(
        id=_id(order, "refund", index),
        at=refund["at"],
        kind=Kind.REFUND,
        state=State.DONE,
        amount=refund["amount"].to_decimal(),
        reference=normal_key(refund["reference"]),
        actor=STAFF,
        source=STAFF,
        lines=tuple(RefundLine(**line) for line in refund["lines"]),
        restocked=refund["restocked"],
    )


def _id(order: OrderDocument, kind: str, index: int) -> str:
    return str(uuid5(NAMESPACE_OID, f"{order['_id']}/{kind}/{index}"))
