"""Delivering letters about accounts: each is a document, written down with what causes it and deleted once it is sent.

A letter about a password is written down for any address, whether it is somebody's or not: only the worker looks. Who
dies before sending leaves the letter to the sweep; who dies behind it sends it twice, under the same Message-ID.
"""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from smtplib import SMTPDataError, SMTPRecipientsRefused, SMTPSenderRefused

import structlog
from django.conf import settings
from django.core.mail import EmailMessage
from pymongo import ReturnDocument

from gateway.accounts.documents import AccountLetterDocument
from gateway.accounts.models import AccountLetter
from gateway.accounts.own.letters import Kind, letter
from gateway.background import Queue, queue_soon, taken_from
from gateway.domain.texts import Language
from gateway.domain.uuid7 import uuid7
from gateway.mongo.client import collection_of, orm_connection
from gateway.outbox import growing_pause

log = structlog.get_logger(__name__)

LETTERS = AccountLetter._meta.db_table
MAIL_TASK = "gateway.tasks.mail_accounts"
QUEUE = Queue("queue:account-letters", MAIL_TASK)
# A minute's work at a hundred milliseconds a letter is far more; the others have tasks of their own.
BATCH = 20
# Far longer than a server takes; then twice as long after each failure: a link is waited for.
_LEASE, _LONGEST = timedelta(minutes=1), timedelta(minutes=15)
_REFUSED = (SMTPRecipientsRefused, SMTPSenderRefused, SMTPDataError)


def owe_letter(kind: Kind, to: str, *, language: Language, user_id: str | None = None, about: str = "") -> str:
    """Write the letter down, in the running transaction if there is one; returns its id, for `mail_soon`."""
    now = datetime.now(UTC)
    document: AccountLetterDocument = {
        "_id": str(uuid7()),
        "kind": kind.value,
        "to": to,
        "user_id": user_id,
        "about": about,
        "language": language,
        "at": now,
        "due": now,
        "tries": 0,
    }
    collection_of(LETTERS, AccountLetterDocument).insert_one(document, session=orm_connection().session)
    return document["_id"]


def mail_soon(*letter_ids: str) -> None:
    """Have a worker send the letters soon; the sweep is behind it."""
    queue_soon(QUEUE, *letter_ids)


def send_queued_letters() -> int:
    """Send some of the queued letters, whose others have tasks of their own; returns how many went."""
    with taken_from(QUEUE, most=BATCH) as letter_ids:
        pass  # gone from the queue before they are tried: the sweep is behind them
    return _send_all(letter_ids)


def send_overdue_letters(*, limit: int, now: datetime | None = None) -> int:
    """Letters that nobody has sent in time, oldest first; returns how many went. Asks every shard, by its index."""
    before = (now or datetime.now(UTC)) - _LEASE
    found = collection_of(LETTERS, AccountLetterDocument).find({"due": {"$lte": before}}, ["_id"]).sort("due", 1)
    return _send_all(each["_id"] for each in found.limit(limit))


def _send_all(letter_ids: Iterable[str]) -> int:
    sent = 0
    for letter_id in letter_ids:
        document = _take(letter_id)
        if document is None:
            continue
        try:
            sent += _send(document)
        except OSError as error:
            log.warning("account_letter_not_sent", letter=letter_id, error=type(error).__name__)
            if not isinstance(error, _REFUSED):
                break
    return sent


def _take(letter_id: str) -> AccountLetterDocument | None:
    """The letter under a new lease; None: another has it, or it is gone."""
    pause = growing_pause({"$ifNull": ["$tries", 0]}, _LEASE, _LONGEST)
    return collection_of(LETTERS, AccountLetterDocument).find_one_and_update(
        {"_id": letter_id, "$expr": {"$lte": ["$due", "$$NOW"]}},
        [{"$set": {"due": {"$add": ["$$NOW", pause]}, "tries": {"$add": ["$tries", 1]}}}],
        return_document=ReturnDocument.AFTER,
    )


def _send(document: AccountLetterDocument) -> bool:
    """Send the letter, unless there is nobody to be told, and forget it. Raises OSError."""
    told = letter(document)
    if told is not None:
        domain = settings.DEFAULT_FROM_EMAIL.rpartition("@")[2].rstrip("> ")
        message_id = f"<{document['_id']}@{domain}>"
        EmailMessage(told.subject, told.body, to=[document["to"]], headers={"Message-ID": message_id}).send()
    collection_of(LETTERS, AccountLetterDocument).delete_one({"_id": document["_id"]})
    return told is not None
