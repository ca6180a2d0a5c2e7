"""E-mails to the buyer: one per event, told once as far as a queue can promise.

The update that causes an event also writes down that the buyer is to be told. A worker takes the letter for a while,
sends it outside any transaction and strikes it off. Whoever dies before sending leaves it to the sweep; whoever dies
between sending and striking off makes the buyer read it twice, under the same Message-ID. An address that has had many
within the hour waits for those that anybody could cause, see ordering/mail/mailboxes.py.
"""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from smtplib import SMTPDataError, SMTPRecipientsRefused, SMTPSenderRefused

import structlog
from django.core.mail import EmailMessage

from gateway.background import mark_begun, send_soon
from gateway.outbox import Outbox, Owed, growing_lease
from ordering.documents import MailDebt, OrderDocument
from ordering.mail.letters import Letter, letter
from ordering.mail.mailboxes import give_back, take_room
from ordering.models import Order
from ordering.reading.orders import find_order

log = structlog.get_logger(__name__)

ORDERS = Order._meta.db_table
MAIL_TASK = "ordering.tasks.mail"

MAIL_DEBTS: Outbox[OrderDocument, MailDebt] = Outbox(
    collection=ORDERS,
    documents=OrderDocument,
    key=("owner", "_id"),
    field="mail_due",
    # Taken for a minute, far longer than a server takes; then twice as long after each failure, up to an hour.
    lease=growing_lease(timedelta(minutes=1), longest=timedelta(hours=1)),
    # The change's own task sends within a second or two.
    overdue_after=timedelta(minutes=1),
)

# News of yesterday's status is no news.
GIVEN_UP_AFTER = timedelta(hours=24)
# The server is well and does not want this letter. Whatever else fails concerns the other letters too.
LETTER_REFUSED = (SMTPRecipientsRefused, SMTPSenderRefused, SMTPDataError)


class MailServerAway(Exception):
    """Nothing can be sent now; what is due stays due."""


def mail_soon(order_id: str) -> None:
    send_soon(MAIL_TASK, order_id)


def send_due_mails(order_id: str) -> int:
    """Tell the buyer of this order what nobody is telling already; returns how many letters went."""
    mark_begun(MAIL_TASK, order_id)
    order = find_order(order_id)
    return _send_due(Owed(order, due) for due in order["mail_due"]) if order else 0


def mail_overdue(*, limit: int, now: datetime | None = None) -> int:
    """Letters that their own tasks did not send, oldest first; returns how many went. Asks every shard, by index."""
    return _send_due(MAIL_DEBTS.overdue(limit=limit, now=now))


def _send_due(owed: Iterable[Owed[OrderDocument, MailDebt]]) -> int:
    sent = 0
    try:
        for each in owed:
            if taken := MAIL_DEBTS.take(each):
                sent += _send(taken)
    except MailServerAway:
        log.warning("mails_left_to_the_sweep")
    return sent


def _send(owed: Owed[OrderDocument, MailDebt]) -> bool:
    """Send the letter that we have taken and strike it off; returns whether it went. Raises MailServerAway."""
    order, event_id = owed.document, owed.debt["id"]
    told = letter(order, event_id)
    event = next(event for event in order["events"] if event["id"] == event_id)
    if (room_at := take_room(told.to, event)) is not None:
        log.warning("mail_waits_for_room", order=order["_id"], event_id=event_id)
        if not _give_up_when_old(owed, told):
            MAIL_DEBTS.postpone(owed, room_at)
        return False
    message = EmailMessage(told.subject, told.body, to=[told.to], headers={"Message-ID": told.message_id})
    try:
        message.send()
    except OSError as error:
        log.warning("mail_not_sent", order=order["_id"], event_id=event_id, error=type(error).__name__)
        give_back(told.to, event)
        _give_up_when_old(owed, told)
        if isinstance(error, LETTER_REFUSED):
            return False
        raise MailServerAway from error
    MAIL_DEBTS.strike_off(owed)
    return True


def _give_up_when_old(owed: Owed[OrderDocument, MailDebt], told: Letter) -> bool:
    """Strike off a letter that is no news any more; returns whether it was."""
    if told.at >= datetime.now(UTC) - GIVEN_UP_AFTER:
        return False
    log.warning("mail_given_up", order=owed.document["_id"], event_id=owed.debt["id"])
    MAIL_DEBTS.strike_off(owed)
    return True
