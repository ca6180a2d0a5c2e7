"""E-mails to the buyer: one per event, told once as far as a queue can promise.

The update that causes an event also writes down that the buyer is to be told. A worker takes some letters for a while,
sends them outside any transaction and strikes them off. Whoever dies before sending leaves them to the sweep; whoever
dies between sending and striking off makes a few buyers read theirs twice, under the same Message-ID. An address that
has had many within the hour waits for those that anybody could cause, see ordering/mail/mailboxes.py.
"""

import time
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from smtplib import SMTPDataError, SMTPRecipientsRefused, SMTPSenderRefused
from typing import NamedTuple

import structlog
from django.core.mail import EmailMessage

from gateway.background import Queue, queue_soon, taken_from
from gateway.domain.uuid7 import moment_of
from gateway.mongo.client import Expression, Pipeline
from gateway.mongo.policies import ORDER_HISTORY_FRESH
from gateway.mongo.reads import run_steps
from gateway.outbox import NOW, Outbox, Owed, growing_lease
from ordering.documents import MailDebt, OrderDocument, OrderEvent
from ordering.mail.letters import Letter, event_with, letter
from ordering.mail.mailboxes import Claim, can_wait, give_back, take_rooms
from ordering.mail.record import LetterState, due_letter, with_state
from ordering.models import Order
from ordering.reading.orders import OrderKey, orders_by_key

log = structlog.get_logger(__name__)

ORDERS = Order._meta.db_table
MAIL_TASK = "ordering.tasks.mail"
LETTERS = Queue("queue:letters", MAIL_TASK)
# A batch of writes costs little more than one. Who dies between sending and striking off repeats no more than these.
BATCH = 20
# Half of the first lease: who is slower leaves the rest to others, before these can take what is just being sent.
LONGEST_SECONDS = 30.0

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


def mail_soon(*order_ids: str) -> None:
    queue_soon(LETTERS, *order_ids)


def send_queued_mails() -> int:
    """Tell the buyers of some of the queued orders, whose others have tasks of their own; returns how many went."""
    with taken_from(LETTERS, most=BATCH) as order_ids:
        pass  # gone from the queue before they are tried: the sweep is behind them, and waits longer after each failure
    return send_due_mails(*order_ids)


def send_due_mails(*order_ids: str) -> int:
    """Tell the buyers of these orders what nobody is telling already; returns how many letters went."""
    keys = [OrderKey(None, order_id) for order_id in order_ids]
    orders = run_steps(orders_by_key(keys, ORDER_HISTORY_FRESH))
    return _send_due([Owed(order, due) for order in orders.values() for due in order["mail_due"]])


def mail_overdue(*, limit: int, now: datetime | None = None) -> int:
    """Letters that their own tasks did not send, oldest first; returns how many went. Asks every shard, by index."""
    return _send_due(MAIL_DEBTS.overdue(limit=limit, now=now))


def _send_due(owed: Sequence[Owed[OrderDocument, MailDebt]]) -> int:
    sent = 0
    try:
        for begin in range(0, len(owed), BATCH):
            sent += _send_together(MAIL_DEBTS.take_all(owed[begin : begin + BATCH]))
    except MailServerAway:
        log.warning("mails_left_to_the_sweep")
    return sent


class _Written(NamedTuple):
    """A letter that we have taken, and what it tells of."""

    owed: Owed[OrderDocument, MailDebt]
    event: OrderEvent
    letter: Letter

    @property
    def claim(self) -> Claim:
        # What staff send again is caused by them, whatever it tells of.
        return Claim(self.letter.to, self.owed.debt["id"], "event" not in self.owed.debt and can_wait(self.event))


def _send_together(taken: Sequence[Owed[OrderDocument, MailDebt]]) -> int:
    """Send the letters that we have taken and strike them off; returns how many went. Raises MailServerAway.

    One that fails in a way of its own keeps no other from going; the first such fault is raised afterwards.
    """
    ends = time.monotonic() + LONGEST_SECONDS
    written, faults = _write(taken)
    rooms = take_rooms([each.claim for each in written if each.letter.to])
    gone: list[tuple[Owed[OrderDocument, MailDebt], Pipeline]] = []
    waiting = list(written)
    try:
        while waiting and time.monotonic() < ends:
            each = waiting.pop(0)
            try:
                if _send(each, rooms.get(each.owed.debt["id"])):
                    told = each.owed.debt["id"], each.event["id"], each.letter.to
                    gone.append((each.owed, with_state(*told, LetterState.SENT)))
            except MailServerAway:
                raise
            except Exception as fault:  # noqa: BLE001 - whatever is wrong with one, the others must not wait
                faults.append(fault)
    finally:
        MAIL_DEBTS.strike_off_all(gone)
        for each in waiting:
            give_back(each.letter.to, each.owed.debt["id"])
            MAIL_DEBTS.postpone(each.owed, datetime.now(UTC))
    if faults:
        raise faults[0]
    return len(gone)


def _write(taken: Iterable[Owed[OrderDocument, MailDebt]]) -> tuple[list[_Written], list[Exception]]:
    """The letters, and what went wrong with those that cannot be written."""
    written, faults = [], []
    for owed in taken:
        order, debt = owed
        try:
            event = event_with(order, debt.get("event", debt["id"]))
            written.append(_Written(owed, event, letter(order, event, letter_id=debt["id"], to=debt.get("to"))))
        except Exception as fault:  # noqa: BLE001 - as above
            faults.append(fault)
    return written, faults


def _send(written: _Written, room_at: datetime | None) -> bool:
    """Send the letter unless it must wait for room; returns whether it went. Raises MailServerAway."""
    (order, debt), event, told = written
    if not told.to:
        # The buyer was anonymised: there is nobody to tell.
        MAIL_DEBTS.strike_off(written.owed)
        return False
    if room_at is not None:
        log.warning("mail_waits_for_room", order=order["_id"], event_id=event["id"])
        if not _give_up_when_old(written.owed, event, told):
            MAIL_DEBTS.postpone(written.owed, room_at)
        return False
    message = EmailMessage(told.subject, told.body, to=[told.to], headers={"Message-ID": told.message_id})
    try:
        message.send()
    except OSError as error:
        log.warning("mail_not_sent", order=order["_id"], event_id=event["id"], error=type(error).__name__)
        give_back(told.to, debt["id"])
        if not _give_up_when_old(written.owed, event, told):
            MAIL_DEBTS.update(order, with_state(debt["id"], event["id"], told.to, LetterState.FAILED))
        if isinstance(error, LETTER_REFUSED):
            return False
        raise MailServerAway from error
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
