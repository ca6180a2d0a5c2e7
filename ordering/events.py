"""Events: what happened to an order, as it stands in its document and in its timeline."""

from datetime import UTC, datetime
from enum import Enum

from gateway.audit.trail import Actor
from gateway.domain.uuid7 import uuid7
from gateway.mongo.client import Expression
from ordering.documents import OrderEvent
from ordering.models import OrderStatus

BUYER = "buyer"
SYSTEM = "system"
PAYMENT_SYSTEM = "payments"
STAFF = "staff"
"""The four authors of events, as buyers see them."""

BY_BUYER = Actor.program(BUYER)
BY_SYSTEM = Actor.program(SYSTEM)
BY_PAYMENT_SYSTEM = Actor.program(PAYMENT_SYSTEM)
"""The same as actors. Staff act under their own accounts."""

# Whoever may write notes for the buyer to read. All others write for the shop: a member of staff about the buyer, the
# payment system the reference of a payment. A new kind of author is hidden until it stands here.
WRITES_FOR_THE_BUYER = frozenset({BUYER, SYSTEM})


class EventType(Enum):
    CREATED = "created"
    MOVED = "moved"
    PAYMENT = "payment"
    REFUND = "refund"
    REFUND_FAILED = "refund_failed"
    """What went out did not arrive."""
    REPAYMENT = "repayment"
    """What was owed to the buyer has gone out."""
    CHARGEBACK = "chargeback"
    CHARGEBACK_REVERSED = "chargeback_reversed"
    CLAIMED = "claimed"
    """A guest signed in, and the order became the customer's."""
    DETAILS_CHANGED = "details_changed"
    """Staff corrected contact or address."""
    GEOZONE_CHANGED = "geozone_changed"
    TRACKED = "tracked"
    """Staff gave or corrected the carrier's number."""


def event(
    kind: EventType,
    status: OrderStatus,
    *,
    at: datetime,
    actor: str,
    note: str = "",
    entry: str | None = None,
) -> OrderEvent:
    """A new event. `status`: the order's after it; `entry`: id of the ledger's entry that it tells of."""
    return {
        "id": str(uuid7()),
        "at": at,
        "type": kind.value,
        "status": status.value,
        "actor": actor,
        "note": note,
        "entry": entry,
    }


def event_now(
    kind: EventType, status: OrderStatus, *, actor: str, note: str = "", entry: str | None = None
) -> Expression:
    """Pipeline expression: a new event, at the server's time."""
    happened = event(kind, status, at=datetime.now(UTC), actor=actor, note=note, entry=entry)
    return {name: {"$literal": value} for name, value in happened.items()} | {"at": "$$NOW"}


def note_for_the_buyer(happened: OrderEvent) -> str:
    """The event's note, or nothing where it is none of the buyer's business, whichever release wrote it."""
    return happened["note"] if happened["actor"] in WRITES_FOR_THE_BUYER else ""
