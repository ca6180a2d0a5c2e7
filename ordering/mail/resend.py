"""A letter once more, as staff ask for it: to the contact as it is now, or to another address."""

from datetime import UTC, datetime, timedelta

from pymongo import ReturnDocument

from gateway.accounts.masking import masked_email
from gateway.audit.trail import Action, Actor, record
from gateway.domain.errors import Refused
from gateway.domain.input import BadEmail, Missing, is_email, text_errors
from gateway.domain.uuid7 import uuid7
from gateway.mongo.client import collection_of, orm_connection
from gateway.mongo.transactions import in_transaction
from gateway.outbox import NOW
from ordering.documents import OrderDocument, OrderEvent
from ordering.errors import OrderBusy, UnknownEvent, WithoutLetter
from ordering.events import EventType
from ordering.mail.delivery import MAIL_DEBTS, ORDERS, mail_soon
from ordering.mail.letters import WITHOUT_LETTER
from ordering.mail.record import due_letter
from ordering.reading.orders import order_to_change

MAX_EMAIL = 254
# A second press of the button within it means the first.
ONE_WITHIN = timedelta(minutes=1)
# A claim or another letter at the same moment costs one of them.
TURNS = 10


def resend_letter(
    order_id: str, event_id: str, *, email: str | None = None, actor: Actor, owner: str | None = None
) -> OrderDocument:
    """Have the letter about the event sent once more, under a Message-ID of its own; returns the order.

    `email`: another address than the contact's. Within a minute the same event to the same address is one letter.
    Raises UnknownEvent and WithoutLetter.
    """
    address = _checked(email)
    for _ in range(TURNS):
        order = order_to_change(order_id, owner=owner)
        event = _event(order, event_id)
        to = address or order["contact"]["email"]
        if not to:
            raise Missing("email")
        if _is_asked_for(order, event, to):
            return order
        if asked := in_transaction(lambda: _ask_on_record(order, event, to, actor)):  # noqa: B023 - run at once
            mail_soon(order_id)
            return asked
    raise OrderBusy("order")


def _checked(email: str | None) -> str | None:
    address = (email or "").strip()
    errors = text_errors(address, MAX_EMAIL, "email", required=False)
    if not errors and address and not is_email(address):
        errors = [BadEmail("email")]
    if errors:
        raise Refused(errors)
    return address or None


def _event(order: OrderDocument, event_id: str) -> OrderEvent:
    event = next((event for event in order["events"] if event["id"] == event_id), None)
    if event is None:
        raise UnknownEvent("event")
    if EventType(event["type"]) in WITHOUT_LETTER:
        raise WithoutLetter("event")
    return event


def _is_asked_for(order: OrderDocument, event: OrderEvent, to: str) -> bool:
    """Whether somebody has just had this letter sent again."""
    since = datetime.now(UTC).replace(tzinfo=None) - ONE_WITHIN
    return any(
        letter["event"] == event["id"] and letter["to"] == to and "by" in letter and letter["at"] > since
        for letter in order.get("letters") or ()
    )


def _ask_on_record(order: OrderDocument, event: OrderEvent, to: str, actor: Actor) -> OrderDocument | None:
    """In the running transaction: one more letter is due, and who asked for it; None: the letters have changed."""
    letter_id = str(uuid7())
    owed = {"id": letter_id, "event": event["id"], "to": {"$literal": to}, "at": NOW}
    asked = collection_of(ORDERS, OrderDocument).find_one_and_update(
        {"owner": order["owner"], "_id": order["_id"], "letters": order.get("letters")},
        [{"$set": {**MAIL_DEBTS.owe(owed), **due_letter(letter_id, event["id"], to, by=actor.name)}}],
        return_document=ReturnDocument.AFTER,
        session=orm_connection().session,
    )
    if asked is not None:
        changes = {"letter": (None, event["type"]), "status": (None, event["status"]), "to": (None, masked_email(to))}
        record(Action.ORDER_LETTER_RESENT, f"order:{order['_id']}", actor=actor, changes=changes)
    return asked
