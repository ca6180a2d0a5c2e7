"""How many letters an address gets in an hour: anybody can order, and cancel, in the name of somebody else's address.

Letters that money or staff stand behind always go, and are counted. What a stranger can cause for nothing waits until
there is room: a buyer gets every letter, only later, and nobody's mailbox is filled.
"""

from datetime import datetime, timedelta

from django.conf import settings
from django.utils.crypto import salted_hmac
from pymongo import ReturnDocument

from gateway.mongo.client import collection_of
from ordering.documents import MailboxDocument, OrderEvent
from ordering.events import EventType
from ordering.models import Mailbox, OrderStatus

MAILBOXES = Mailbox._meta.db_table
WINDOW = timedelta(hours=1)

_MILLISECONDS = WINDOW // timedelta(milliseconds=1)
_CLOSED_FOR_NOTHING = {OrderStatus.CANCELLED.value, OrderStatus.EXPIRED.value}


def can_wait(event: OrderEvent) -> bool:
    """Whether anybody could have caused the event, without money and without staff."""
    kind = EventType(event["type"])
    return kind is EventType.CREATED or (kind is EventType.MOVED and event["status"] in _CLOSED_FOR_NOTHING)


def take_room(address: str, letter_id: str, *, may_wait: bool) -> datetime | None:
    """Count the letter; None: it may go now. Else returns when there may be room for it.

    By the server's clock; the same letter counts once.
    """
    begin = {"$subtract": ["$$NOW", _MILLISECONDS]}
    of_others = {"$and": [{"$gt": ["$$each.at", begin]}, {"$ne": ["$$each.id", letter_id]}]}
    lately = {"$filter": {"input": {"$ifNull": ["$sent", []]}, "as": "each", "cond": of_others}}
    entered = {"$concatArrays": ["$sent", [{"id": letter_id, "at": "$$NOW"}]]}
    room = {"$lt": [{"$size": "$sent"}, settings.MAIL_PER_ADDRESS_PER_HOUR]} if may_wait else True
    mailbox = collection_of(MAILBOXES, MailboxDocument).find_one_and_update(
        {"_id": _id(address)},
        [
            {"$set": {"sent": lately, "expires_at": {"$add": ["$$NOW", _MILLISECONDS]}}},
            {"$set": {"sent": {"$cond": [room, entered, "$sent"]}}},
        ],
        upsert=True,
        return_document=ReturnDocument.AFTER,
    )
    sent = mailbox["sent"] if mailbox else []
    if any(each["id"] == letter_id for each in sent):
        return None
    return min(each["at"] for each in sent) + WINDOW


def give_back(address: str, letter_id: str) -> None:
    """Uncount the letter, which did not go after all."""
    mailboxes = collection_of(MAILBOXES, MailboxDocument)
    mailboxes.update_one({"_id": _id(address)}, {"$pull": {"sent": {"id": letter_id}}})


def _id(address: str) -> str:
    """The mailbox's id, the same for every spelling of its address: in any case, with any «+tag»."""
    name, _, domain = address.casefold().rpartition("@")
    mailbox = f"{name.partition('+')[0]}@{domain}"
    return salted_hmac("ordering.mailboxes", mailbox, algorithm="sha256").hexdigest()
