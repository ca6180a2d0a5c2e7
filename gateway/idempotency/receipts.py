"""Receipts of changes that are transactions: a document beside them, in the same transaction."""

from datetime import UTC, datetime

from gateway.audit.trail import Actor
from gateway.idempotency.keys import Keyed
from gateway.idempotency.models import Receipt
from gateway.mongo.client import database, orm_connection

RECEIPTS = Receipt._meta.db_table


def is_done(keyed: Keyed | None, actor: Actor) -> bool:
    """In the running transaction: whether the actor has done this under the key. Raises KeyReused for something else.

    Of two at once under the same key one conflicts, in `remember` at the latest, is run again and finds the receipt.
    """
    if keyed is None:
        return False
    receipt = database()[RECEIPTS].find_one({"_id": _id(keyed, actor)}, session=orm_connection().session)
    if receipt is None:
        return False
    keyed.refuse_unless_same(receipt["request"])
    return True


def remember(keyed: Keyed | None, actor: Actor) -> None:
    """In the running transaction, as a part of the change: from its commit on, the key is bound."""
    session = orm_connection().session
    if session is None:
        raise RuntimeError("a receipt belongs to the transaction of the change it tells of")
    if keyed is not None:
        receipt = {"_id": _id(keyed, actor), "request": keyed.request, "at": datetime.now(UTC)}
        database()[RECEIPTS].insert_one(receipt, session=session)


def _id(keyed: Keyed, actor: Actor) -> str:
    return f"{actor.id}:{keyed.key}"
