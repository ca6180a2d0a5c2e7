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

from gateway.mongo.client import collection_of
from ordering.documents import StrayMoneyDocument
from ordering.errors import ReferenceReused, SettledAlready
from ordering.ledger.references import Reference
from ordering.models import StrayMoney, StrayReason

log = structlog.get_logger(__name__)

STRAYS = StrayMoney._meta.db_table


class Stray(NamedTuple):
    type: str
    """The kind of the event: a payment, a refund, a chargeback."""
    reference: Reference
    """The same of the same type is recorded once."""
    amount: Decimal
    currency: str
    order: str
    """The order as the payment system names it."""


def record_stray(stray: Stray, reason: StrayReason) -> None:
    """Keep it for staff, once. Raises ReferenceReused when another amount or order is recorded under its reference."""
    id_ = f"{stray.type}:{stray.reference}"
    document = _unsettled(id_, stray, reason)
    strays = collection_of(STRAYS, StrayMoneyDocument)
    try:
        strays.insert_one(document)
    except DuplicateKeyError:
        known = strays.find_one({"_id": id_})
        if known is None:
            raise
        if _facts(known) != _facts(document):
            raise ReferenceReused("reference", reference=stray.reference, amount=known["amount"]) from None
    else:
        log.warning("money_fits_no_order", type=stray.type, order=stray.order, reason=reason.value)


def settle_stray(stray_id: str, reference: Reference, *, actor: str) -> None:
    """Note that staff have paid it back, or recorded it in the right order, under this reference.

    Raises SettledAlready.
    """
    settled = {"settled_by": actor, "settled_reference": reference}
    strays = collection_of(STRAYS, StrayMoneyDocument)
    found = strays.update_one(
        {"_id": stray_id, "settled_at": None}, [{"$set": {"settled_at": "$$NOW", **_literal(settled)}}]
    )
    if not found.matched_count and not strays.count_documents({"_id": stray_id, **settled}):
        raise SettledAlready("settled_reference")


def _unsettled(id_: str, stray: Stray, reason: StrayReason) -> StrayMoneyDocument:
    return {
        "_id": id_,
        "at": datetime.now(UTC),
        "type": stray.type,
        "reference": stray.reference,
        "amount": Decimal128(stray.amount),
        "currency": stray.currency,
        "order": stray.order,
        "reason": reason.value,
        "settled_at": None,
        "settled_by": "",
        "settled_reference": "",
    }


def _facts(document: StrayMoneyDocument) -> tuple[Decimal128, str, str]:
    """What is the same whenever the payment system tells of it again."""
    return document["amount"], document["currency"], document["order"]


def _literal(fields: dict[str, str]) -> dict[str, dict[str, str]]:
    return {name: {"$literal": value} for name, value in fields.items()}
