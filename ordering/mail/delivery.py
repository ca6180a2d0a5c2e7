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
from gateway.domain.uuid7 import moment_of
from gateway.mongo.client import Expression
from gateway.outbox import NOW, Outbox, Owed, growing_lease
from ordering.documents import MailDebt, OrderDocument, OrderEvent
from ordering.mail.letters import Letter, event_with, letter
from ordering.mail.mailboxes import can_wait, give_back, take_room
from ordering.mail.record import LetterState, due_letter, with_state
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


def owe_letter(happened: Expression, *, to: str) -> Expression:
    """Part of `$set` in the update that causes the event: the letter about it is due."""
    return {
        **MAIL_DEBTS.owe({"id": happened["id"], "at": NOW}),
        **due_letter(happened["id"], happened["id"], to),
    }


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
    order, debt = owed
    event = event_with(order, debt.get("event", debt["id"]))
    told = letter(order, event, letter_id=debt["id"], to=debt.get("to"))
    if not told.to:
        # The buyer was anonymised: there is nobody to tell.
        MAIL_DEBTS.strike_off(owed)
        return False
    # What staff send again is caused by them, whatever it tells of.
    if (room_at := take_room(told.to, debt["id"], may_wait="event" not in debt and can_wait(event))) is not None:
        log.warning("mail_waits_for_room", order=order["_id"], event_id=event["id"])
        if not _give_up_when_old(owed, event, told):
            MAIL_DEBTS.postpone(owed, room_at)
        return False
    message = EmailMessage(told.subject, told.body, to=[told.to], headers={"Message-ID": told.message_id})
    try:
        message.send()
    except OSError as error:
        log.warning("mail_not_sent", order=order["_id"], event_id=event["id"], error=type(error).__name__)
        give_back(told.to, debt["id"])
        if not _give_up_when_old(owed, event, told):
            MAIL_DEBTS.update(order, with_state(debt["id"], event["id"], told.to, LetterState.FAILED))
        if isinstance(error, LETTER_REFUSED):
            return False
        raise MailServerAway from error
    MAIL_DEBTS.strike_off(owed, *with_state(debt["id"], event["id"], told.to, LetterState.SENT))
    return True


def _give_up_when_old(owed: Owed[OrderDocument, MailDebt], event: OrderEvent, told: Letter) -> bool:
    """Strike off a letter that is no news any more; returns whether it was."""
    id_ = owed.debt["id"]
    wanted_since = moment_of(id_) or told.at if "event" in owed.debt else told.at
    if wanted_since >= datetime.now(UTC) - GIVEN_UP_AFTER:
        return False
    log.warning("mail_given_up", order=owed.document["_id"], event_id=event["id"])
    MAIL_DEBTS.strike_off(owed, *with_state(id_, event["id"], told.to, LetterState.GIVEN_UP))
    return True
