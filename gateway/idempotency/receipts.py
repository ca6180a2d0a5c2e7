"""Receipts of changes that are transactions: each is a document of its own, written in the same transaction."""

from datetime import UTC, datetime

from pymongo.collection import Collection

from gateway.audit.trail import Actor
from gateway.idempotency.documents import ReceiptDocument
from gateway.idempotency.keys import Keyed
from gateway.idempotency.models import Receipt
from gateway.mongo.client import collection_of, orm_connection

RECEIPTS = Receipt._meta.db_table


def is_done(keyed: Keyed | None, actor: Actor) -> bool:
    """Whether the actor has done this under the key, as the running transaction sees it. False without a key.

    Raises KeyReused when other input was given under the key. When two come at once under one key, one of them
    conflicts, in `remember` at the latest, is run again and finds the receipt.
    """
    if keyed is None:
        return False
    receipt = _receipts().find_one({"_id": _id(keyed, actor)}, session=orm_connection().session)
    if receipt is None:
        return False
    keyed.refuse_unless_same(receipt["request"])
    return True


def remember(keyed: Keyed | None, actor: Actor) -> None:
    """Leave a receipt in the running transaction, as a part of the change: the key is bound once it commits."""
    session = orm_connection().session
    if session is None:
        raise RuntimeError("a receipt belongs to the transaction of the change it tells of")
    if keyed is not None:
        receipt: ReceiptDocument = {"_id": _id(keyed, actor), "request": keyed.request, "at": datetime.now(UTC)}
        _receipts().insert_one(receipt, session=session)


def _receipts() -> Collection[ReceiptDocument]:
    return collection_of(RECEIPTS, ReceiptDocument)


def _id(keyed: Keyed, actor: Actor) -> str:
    return f"{actor.id}:{keyed.key}"
