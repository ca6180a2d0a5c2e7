"""What happened to an order, as it stands in its document and in its timeline."""

from datetime import datetime
from enum import Enum

from gateway.mongo.client import Document
from gateway.uuid7 import uuid7
from ordering.models import OrderStatus

BUYER = "buyer"
SYSTEM = "system"
PAYMENT_SYSTEM = "payments"


class EventType(Enum):
    CREATED = "created"
    MOVED = "moved"
    PAYMENT = "payment"
    REFUND = "refund"
    CLAIMED = "claimed"
    """A guest signed in, and the order became the customer's."""


def event(kind: EventType, status: OrderStatus, *, at: datetime | str, actor: str, note: str = "") -> Document:
    """`at` may be `$$NOW`, in a pipeline that takes the rest literally."""
    return {
        "id": str(uuid7()),
        "at": at,
        "type": kind.value,
        "status": status.value,
        "actor": actor,
        "note": note,
    }
