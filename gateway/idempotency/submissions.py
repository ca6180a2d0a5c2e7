"""Forms that are sent twice: by two clicks, by «back» and «send» again, by a browser that lost the answer.

An action of staff may be more than one transaction, so that the receipt of its form cannot be written together with it.
It is written before (`begun`) and marked after (`done`). A process that dies in between leaves it begun: whoever sends
the form again is told that nobody knows, and looks before sending it anew.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from time import monotonic, sleep

from pymongo.collection import Collection
from pymongo.errors import DuplicateKeyError

from gateway.audit.trail import Actor
from gateway.domain.errors import Code, DomainError
from gateway.domain.texts import Text
from gateway.idempotency.documents import SubmissionDocument
from gateway.idempotency.keys import Keyed, KeyReused
from gateway.idempotency.models import Receipt
from gateway.mongo.client import collection_of

# A second click waits for the first one as long as people wait for a page.
PATIENCE = 10.0
PAUSE = 0.1


class OutcomeUnknown(DomainError):
    code = Code.CONFLICT
    text = Text(
        "Эта форма уже отправлена, и неизвестно, чем кончилось. Проверьте, что сделано; если нет, отправьте ещё раз.",
        "This form was sent before, and nobody knows how it ended. See what was done; if nothing was, send it again.",
    )


@contextmanager
def submission(keyed: Keyed, actor: Actor) -> Iterator[bool]:
    """Run the block for the first who sends this form; yields False to all others, once the first is done.

    What the block raises as DomainError leaves the form free: nothing happened. Raises KeyReused for other input and
    OutcomeUnknown when the first did not end.
    """
    receipt_id = f"form:{actor.id}:{keyed.key}"
    if not _begin(receipt_id, keyed):
        yield False
        return
    try:
        yield True
    except DomainError:
        _receipts().delete_one({"_id": receipt_id})
        raise
    _receipts().update_one({"_id": receipt_id}, {"$set": {"done": True}})


def _begin(receipt_id: str, keyed: Keyed) -> bool:
    """Whether this is the first; waits for one that is under way."""
    end = monotonic() + PATIENCE
    while True:
        receipt: SubmissionDocument = {
            "_id": receipt_id,
            "request": keyed.request,
            "at": datetime.now(UTC),
            "done": False,
        }
        try:
            _receipts().insert_one(receipt)
        except DuplicateKeyError:
            found = _receipts().find_one({"_id": receipt_id})
            if found is not None and found["request"] != keyed.request:
                raise KeyReused from None
            if found is not None and found["done"]:
                return False
        else:
            return True
        if monotonic() > end:
            raise OutcomeUnknown
        sleep(PAUSE)


def _receipts() -> Collection[SubmissionDocument]:
    return collection_of(Receipt._meta.db_table, SubmissionDocument)
