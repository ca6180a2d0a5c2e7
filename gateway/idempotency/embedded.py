"""Receipts of changes that are one update of one document: inside that document, written by that update."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from gateway.domain.errors import Code, DomainError
from gateway.domain.texts import Text
from gateway.idempotency.documents import KeyReceipt
from gateway.idempotency.keys import KEPT, Keyed
from gateway.mongo.client import Expression

# A buyer with a shaky connection makes a few dozen in two days; so many weigh some 25 kB.
MAX_RECEIPTS = 200

_KEPT_MILLISECONDS = KEPT // timedelta(milliseconds=1)


class TooManyKeys(DomainError):
    code = Code.RATE_LIMITED
    text = Text(
        "Слишком много изменений с ключами за два дня. Повторите позже или без ключа.",
        "Too many changes under keys within two days. Try again later, or without a key.",
    )


def free_for(keyed: Keyed) -> Expression:
    """Filter for documents that have no receipt of the key, and room for one more."""
    return {"receipts.key": {"$ne": keyed.key}, "$expr": {"$lt": [{"$size": _LIVE}, MAX_RECEIPTS]}}


def with_receipt(keyed: Keyed) -> Expression:
    """Expression for an update: the document's receipts and that of the key, without those old enough to go."""
    return {"$concatArrays": [_LIVE, [{"key": keyed.key, "request": keyed.request, "at": "$$NOW"}]]}


def first_receipt(keyed: Keyed) -> KeyReceipt:
    """The receipt to be put into a document that this very change makes."""
    return {"key": keyed.key, "request": keyed.request, "at": datetime.now(UTC)}


def has_receipt(documents: Sequence[Mapping[str, Any]], keyed: Keyed) -> bool:
    """Whether one of the documents has the key's receipt. Raises KeyReused when the receipt is for other input."""
    for document in documents:
        for receipt in document.get("receipts") or ():
            if receipt["key"] == keyed.key:
                keyed.refuse_unless_same(receipt["request"])
                return True
    return False


def refuse_when_full(document: Mapping[str, Any]) -> None:
    """Raise TooManyKeys when the document has as many receipts as it may have."""
    oldest = datetime.now(UTC).replace(tzinfo=None) - KEPT
    if sum(receipt["at"] > oldest for receipt in document.get("receipts") or ()) >= MAX_RECEIPTS:
        raise TooManyKeys("idempotency_key")


_LIVE: Expression = {
    "$filter": {
        "input": {"$ifNull": ["$receipts", []]},
        "as": "receipt",
        "cond": {"$gt": ["$$receipt.at", {"$subtract": ["$$NOW", _KEPT_MILLISECONDS]}]},
    }
}
