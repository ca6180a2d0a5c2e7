"""Money that the payment system tells of and that fits no order: kept, shown to staff, settled by one of them.

Its signature proves that the money has moved, and nobody else will ever tell: refused, it would be lost with the last
repetition of the call.
"""

from datetime import UTC, datetime
from decimal import Decimal
from typing import NamedTuple

import structlog
from bson import Decimal128
from pymongo.collection import Collection
from pymongo.errors import DuplicateKeyError

from gateway.audit.trail import Action, Actor, record
from gateway.domain.money import Amount, exact
from gateway.mongo.client import collection_of, orm_connection
from gateway.mongo.transactions import in_transaction
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
    try:
        _strays().insert_one(document)
    except DuplicateKeyError:
        known = _strays().find_one({"_id": id_})
        if known is None:
            raise
        if _facts(known) != _facts(document):
            raise ReferenceReused(
                "reference", reference=stray.reference, amount=Amount(exact(known["amount"]))
            ) from None
    else:
        log.warning("money_fits_no_order", type=stray.type, order=stray.order, reason=reason.value)


def settle_stray(stray_id: str, reference: Reference, *, actor: Actor) -> None:
    """Note that staff have paid it back, or recorded it in the right order, under this reference.

    Raises SettledAlready.
    """
    settled = {"settled_by": actor.name, "settled_reference": reference}
    known = {"_id": stray_id, **settled}
    if not in_transaction(lambda: _settle_on_record(stray_id, settled, actor)) and not _strays().count_documents(known):
        raise SettledAlready("settled_reference")


def _settle_on_record(stray_id: str, settled: dict[str, str], actor: Actor) -> bool:
    """In the running transaction: settle it, and say who did; False: it is settled already."""
    found = _strays().update_one(
        {"_id": stray_id, "settled_at": None},
        [{"$set": {"settled_at": "$$NOW", **_literal(settled)}}],
        session=orm_connection().session,
    )
    if found.matched_count:
        changes = {name: ("", value) for name, value in settled.items()}
        record(Action.STRAY_MONEY_SETTLED, f"stray_money:{stray_id}", actor=actor, changes=changes)
    return bool(found.matched_count)


def _strays() -> Collection[StrayMoneyDocument]:
    return collection_of(STRAYS, StrayMoneyDocument)


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
