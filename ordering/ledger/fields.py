"""How the ledger stands in an order's document, and how it is read from one that an earlier release wrote.

That release kept `payments` and `refunds`, and of each payment what had to go back; archived orders are like that for
good. Their entries are derived at every reading, with the same ids each time; the next change of the order's money
writes the ledger and takes the old fields away.
"""

from typing import Any, TypedDict
from uuid import NAMESPACE_OID, uuid5

from bson import Decimal128

from gateway.domain.input import normal_key
from gateway.mongo.client import Document
from ordering.events import PAYMENT_SYSTEM, STAFF, SYSTEM
from ordering.ledger.ledger import Entry, Kind, Ledger, Part, RefundLine, State, due_back

EARLIER = ("payments", "refunds")
"""Fields of the earlier release."""
WEBHOOK = "webhook"


class EntryFields(TypedDict):
    id: str
    at: Any
    kind: str
    state: str
    amount: Decimal128
    reference: str
    actor: str
    source: str
    parts: list[Document]
    lines: list[Document]
    restocked: bool


def ledger_of(order: Document) -> Ledger:
    """Of a document from MongoDB or Cassandra, whichever release wrote it."""
    entries = order.get("money")
    return tuple(map(_entry, entries)) if entries is not None else _derived(order)


def money_fields(ledger: Ledger) -> Document:
    """What the ledger sets in the document, as pipeline expressions."""
    return {
        "money": {"$literal": [_fields(entry) for entry in ledger]},
        "to_refund": due_back(ledger) > 0,
        **dict.fromkeys(EARLIER, "$$REMOVE"),
    }


def _fields(entry: Entry) -> EntryFields:
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
        "lines": [line._asdict() for line in entry.lines],
        "restocked": entry.restocked,
    }


def _entry(fields: EntryFields) -> Entry:
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


def _derived(order: Document) -> Ledger:
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


def _refund(order: Document, index: int, refund: Document) -> Entry:
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


def _id(order: Document, kind: str, index: int) -> str:
    return str(uuid5(NAMESPACE_OID, f"{order['_id']}/{kind}/{index}"))
