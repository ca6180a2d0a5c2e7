"""How many letters an address gets in an hour: anybody can order, and cancel, in the name of somebody else's address.

Letters that money or staff stand behind always go, and are counted. What a stranger can cause for nothing waits until
there is room: a buyer gets every letter, only later, and nobody's mailbox is filled.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from django.conf import settings
from django.utils.crypto import salted_hmac
from pymongo import UpdateOne

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


class Claim(NamedTuple):
    """A letter for which there should be room."""

    address: str
    letter_id: str
    may_wait: bool


def take_rooms(claims: Sequence[Claim]) -> dict[str, datetime]:
    """Count the letters, by two commands for all; returns, for those that must wait, when there may be room, by id.

    By the server's clock; the same letter counts once.
    """
    if not claims:
        return {}
    mailboxes = collection_of(MAILBOXES, MailboxDocument)
    mailboxes.bulk_write([_entry(claim) for claim in claims], ordered=False)
    ids = {claim.letter_id: _id(claim.address) for claim in claims}
    found = {each["_id"]: each["sent"] for each in mailboxes.find({"_id": {"$in": sorted(set(ids.values()))}})}
    counted = {each["id"] for sent in found.values() for each in sent}
    return {
        letter_id: min(each["at"] for each in found[mailbox]) + WINDOW
        for letter_id, mailbox in ids.items()
        if letter_id not in counted
    }


def _entry(claim: Claim) -> UpdateOne:
    """The update that counts the letter if there is room."""
    begin = {"$subtract": ["$$NOW", _MILLISECONDS]}
    of_others = {"$and": [{"$gt": ["$$each.at", begin]}, {"$ne": ["$$each.id", claim.letter_id]}]}
    lately = {"$filter": {"input": {"$ifNull": ["$sent", []]}, "as": "each", "cond": of_others}}
    entered = {"$concatArrays": ["$sent", [{"id": claim.letter_id, "at": "$$NOW"}]]}
    room = {"$lt": [{"$size": "$sent"}, settings.MAIL_PER_ADDRESS_PER_HOUR]} if claim.may_wait else True
    return UpdateOne(
        {"_id": _id(claim.address)},
        [
            {"$set": {"sent": lately, "expires_at": {"$add": ["$$NOW", _MILLISECONDS]}}},
            {"$set": {"sent": {"$cond": [room, entered, "$sent"]}}},
        ],
        upsert=True,
    )


def give_back(address: str, letter_id: str) -> None:
    """Uncount the letter, which did not go after all."""
    mailboxes = collection_of(MAILBOXES, MailboxDocument)
    mailboxes.update_one({"_id": _id(address)}, {"$pull": {"sent": {"id": letter_id}}})


def _id(address: str) -> str:
    """The mailbox's id, the same for every spelling of its address: in any case, with any «+tag»."""
    name, _, domain = address.casefold().rpartition("@")
    mailbox = f"{name.partition('+')[0]}@{domain}"
    return salted_hmac("ordering.mailboxes", mailbox, algorithm="sha256").hexdigest()
