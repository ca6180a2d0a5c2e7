"""E-mails to the buyer: one per event, told once as far as a queue can promise.

The update that causes an event also writes down that the buyer is to be told. A worker takes the letter for a while,
sends it outside any transaction and strikes it off. Whoever dies before sending leaves it to the sweep; whoever dies
between sending and striking off makes the buyer read it twice, under the same Message-ID. An address that has had many
within the hour waits for those that anybody could cause, see ordering/mail/mailboxes.py.
"""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from smtplib import SMTPDataError, SMTPRecipientsRefused, SMTPSenderRefused

import structlog
from django.core.mail import EmailMessage
from pymongo import ReturnDocument

from gateway.background import mark_begun, send_soon
from gateway.mongo.client import Document, database
from ordering.mail.letters import Letter, letter
from ordering.mail.mailboxes import give_back, take_room
from ordering.models import Order
from ordering.reading.orders import find_order

log = structlog.get_logger(__name__)

ORDERS = Order._meta.db_table
MAIL_TASK = "ordering.tasks.mail"

# The change's own task sends within a second or two.
OVERDUE_AFTER = timedelta(minutes=1)
# Taken for a minute, far longer than a server takes; then twice as long after each failure, up to an hour.
LEASE_MILLISECONDS = 60_000
LONGEST_LEASES = 60
# News of yesterday's status is no news.
GIVEN_UP_AFTER = timedelta(hours=24)
# The server is well and does not want this letter. Whatever else fails concerns the other letters too.
LETTER_REFUSED = (SMTPRecipientsRefused, SMTPSenderRefused, SMTPDataError)


class MailServerAway(Exception):
    """Nothing can be sent now; what is due stays due."""


def mail_soon(order_id: str) -> None:
    send_soon(MAIL_TASK, order_id)


def send_due_mails(order_id: str) -> int:
    """What the buyer is to be told of this order and nobody is telling already; returns how many letters went."""
    mark_begun(MAIL_TASK, order_id)
    order = find_order(order_id)
    return _send_due([order]) if order else 0


def mail_overdue(*, limit: int, now: datetime | None = None) -> int:
    """Letters that their own tasks did not send, oldest first; returns how many went. Asks every shard, by index."""
    moment = (now or datetime.now(UTC)) - OVERDUE_AFTER
    found = database()[ORDERS].find({"mail_due.at": {"$lt": moment}}, sort=[("mail_due.at", 1)], limit=limit)
    return _send_due(list(found))


def _send_due(orders: Iterable[Document]) -> int:
    sent = 0
    try:
        for order in orders:
            for due in order["mail_due"]:
                taken = _taken(order, due["id"])
                if taken is not None and _is_sent(taken, due["id"]):
                    sent += 1
    except MailServerAway:
        log.warning("mails_left_to_the_sweep")
    return sent


def _is_sent(order: Document, event_id: str) -> bool:
    told = letter(order, event_id)
    event = next(event for event in order["events"] if event["id"] == event_id)
    if (room_at := take_room(told.to, event)) is not None:
        log.warning("mail_waits_for_room", order=order["_id"], event_id=event_id)
        _postpone(order, event_id, room_at)
        _give_up_when_old(order, told, event_id)
        return False
    message = EmailMessage(told.subject, told.body, to=[told.to], headers={"Message-ID": told.message_id})
    try:
        message.send()
    except OSError as error:
        log.warning("mail_not_sent", order=order["_id"], event_id=event_id, error=type(error).__name__)
        give_back(told.to, event)
        _give_up_when_old(order, told, event_id)
        if isinstance(error, LETTER_REFUSED):
            return False
        raise MailServerAway from error
    _strike_off(order, event_id)
    return True


def _give_up_when_old(order: Document, told: Letter, event_id: str) -> None:
    if told.at < datetime.now(UTC) - GIVEN_UP_AFTER:
        log.warning("mail_given_up", order=order["_id"], event_id=event_id)
        _strike_off(order, event_id)


def _postpone(order: Document, event_id: str, until: datetime) -> None:
    """Back to those that are due, from then on; to have waited is no failure."""
    later = {"$set": {"mail_due.$[due].at": until}, "$inc": {"mail_due.$[due].tries": -1}}
    _update(order, later, array_filters=[{"due.id": event_id}])


def _taken(order: Document, event_id: str) -> Document | None:
    """The order, whose letter is ours for a while by the server's clock; None: another has it, or it has gone."""
    tries = {"$ifNull": ["$$due.tries", 0]}
    lease = {"$multiply": [LEASE_MILLISECONDS, {"$min": [LONGEST_LEASES, {"$pow": [2, tries]}]}]}
    ours = {"$eq": ["$$due.id", event_id]}
    free = {"$and": [ours, {"$lte": ["$$due.at", "$$NOW"]}]}
    renewed = {"$mergeObjects": ["$$due", {"at": {"$add": ["$$NOW", lease]}, "tries": {"$add": [tries, 1]}}]}
    taken: Document | None = database()[ORDERS].find_one_and_update(
        {
            "owner": order["owner"],
            "_id": order["_id"],
            "$expr": {"$anyElementTrue": {"$map": {"input": "$mail_due", "as": "due", "in": free}}},
        },
        [
            {
                "$set": {
                    "mail_due": {"$map": {"input": "$mail_due", "as": "due", "in": {"$cond": [ours, renewed, "$$due"]}}}
                }
            }
        ],
        return_document=ReturnDocument.AFTER,
    )
    return taken


def _strike_off(order: Document, event_id: str) -> None:
    _update(order, {"$pull": {"mail_due": {"id": event_id}}})


def _update(order: Document, update: Document, array_filters: Sequence[Document] | None = None) -> None:
    # By id alone when the owner has changed meanwhile.
    for where in ({"owner": order["owner"], "_id": order["_id"]}, {"_id": order["_id"]}):
        if database()[ORDERS].update_one(where, update, array_filters=array_filters).matched_count:
            return
