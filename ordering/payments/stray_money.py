"""Money that the payment system tells of and that fits no order: kept, shown to staff, settled by one of them.

Its signature proves that the money has moved, and nobody else will ever tell: refused, it would be lost with the last
repetition of the call.
"""

from datetime import UTC, datetime
from decimal import Decimal
from typing import NamedTuple

import structlog
from bson import Decimal128
from pymongo.errors import DuplicateKeyError

from gateway.mongo.client import database
from ordering.errors import ReferenceReused, SettledAlready
from ordering.ledger.references import Reference
from ordering.models import StrayMoney, StrayReason

log = structlog.get_logger(__name__)

STRAYS = StrayMoney._meta.db_table


class Stray(NamedTuple):
    type: str
    """Of the event: a payment, a refund, a chargeback."""
    reference: Reference
    """The same of the same type is recorded once."""
    amount: Decimal
    currency: str
    order: str
    """As the payment system names it."""


def record_stray(stray: Stray, reason: StrayReason) -> None:
    """Raises ReferenceReused, when another amount or order is recorded under its reference."""
    id_ = f"{stray.type}:{stray.reference}"
    document = {**stray._asdict(), "amount": Decimal128(stray.amount), "reason": reason.value}
    unsettled = {"settled_at": None, "settled_by": "", "settled_reference": ""}
    try:
        database()[STRAYS].insert_one({"_id": id_, "at": datetime.now(UTC), **document, **unsettled})
    except DuplicateKeyError:
        known = database()[STRAYS].find_one({"_id": id_}) or {}
        if any(known[field] != document[field] for field in ("amount", "currency", "order")):
            raise ReferenceReused("reference", reference=stray.reference, amount=known["amount"]) from None
    else:
        log.warning("money_fits_no_order", type=stray.type, order=stray.order, reason=reason.value)


def settle_stray(stray_id: str, reference: Reference, *, actor: str) -> None:
    """Staff have paid it back, or recorded it in the right order: under this reference. Raises SettledAlready."""
    settled = {"settled_by": actor, "settled_reference": reference}
    found = database()[STRAYS].update_one(
        {"_id": stray_id, "settled_at": None}, [{"$set": {"settled_at": "$$NOW", **_literal(settled)}}]
    )
    if not found.matched_count and not database()[STRAYS].count_documents({"_id": stray_id, **settled}):
        raise SettledAlready("settled_reference")


def _literal(fields: dict[str, str]) -> dict[str, dict[str, str]]:
    return {name: {"$literal": value} for name, value in fields.items()}
