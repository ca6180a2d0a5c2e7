"""Receipts of changes that are transactions: each is a document of its own, written in the same transaction."""

from datetime import UTC, datetime

from pymongo.collection import Collection

from gateway.audit.trail import Actor
from gateway.idempotency.documents import ReceiptDocument
from gateway.idempotency.keys import Keyed
from gateway.idempotency.models import Receipt
from gateway.mongo.client import collection_of, orm_connection

RECEIPTS = Receipt._meta.db_table


def take_key(keyed: Keyed | None, actor: Actor) -> bool:
    """Bind the actor's key to the running transaction; False when this was done under it before. True without a key.

    Asked before anything is read for the change: each shard is seen as of the moment at which it is first asked, so a
    transaction that looked at the product first could see what a rival under the same key has done, not its receipt.
    As it is, the rival's insert conflicts, is run again and finds the receipt. What is refused leaves none.
    Raises KeyReused when other input was given under the key.
    """
    session = orm_connection().session
    if session is None:
        raise RuntimeError("a receipt belongs to the transaction of the change it tells of")
    if keyed is None:
        return True
    found = _receipts().find_one({"_id": _id(keyed, actor)}, session=session)
    if found is not None:
        keyed.refuse_unless_same(found["request"])
        return False
    receipt: ReceiptDocument = {"_id": _id(keyed, actor), "request": keyed.request, "at": datetime.now(UTC)}
    _receipts().insert_one(receipt, session=session)
    return True


def _receipts() -> Collection[ReceiptDocument]:
    return collection_of(RECEIPTS, ReceiptDocument)


def _id(keyed: Keyed, actor: Actor) -> str:
    return f"{actor.id}:{keyed.key}"
