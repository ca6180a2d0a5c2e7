"""The link to an order once more, for whoever knows its number and its e-mail address: sent there, never told.

Whoever asks learns nothing: the answer comes before anybody has looked whether there is such an order, and what is
counted is what was asked for. A request that is lost with a worker or a mail server can be made again.
"""

import math

import structlog
from django.conf import settings
from django.core.mail import EmailMessage

from gateway.accounts.sign_in.tallies import Full, Tally, count
from gateway.background import send_soon
from gateway.domain.errors import DomainError, Refused
from gateway.domain.input import BadEmail, is_email
from gateway.domain.uuid7 import uuid7
from ordering.cassandra.lookup import archived_id
from ordering.cassandra.orders import archived_copy
from ordering.documents import OrderDocument
from ordering.errors import NoNumber, TooManyLinks
from ordering.mail.letters import link_letter
from ordering.mail.links import address_mark, is_marked
from ordering.mail.mailboxes import Claim, give_back, take_rooms
from ordering.numbers import number_in
from ordering.reading.orders import find_order_by_number

log = structlog.get_logger(__name__)

TASK = "ordering.tasks.send_link"
WINDOW_SECONDS = 3600
# Of one order and address: who has not found three letters will not find the fourth. Not of the order alone: a
# stranger who guesses numbers must not keep its buyer from asking.
PER_PAIR = 3
# Of one network: an office, or a mobile network, whose people do not all look for their letters in one hour.
PER_CLIENT = 50


def request_link(number: str, email: str, *, client: str) -> None:
    """Have the link sent, if there is such an order with this address. Raises Refused or TooManyLinks.

    `client`: the network that requests count against, besides the order.
    """
    written, address = number_in(number), email.strip()
    errors: list[DomainError] = [] if written else [NoNumber("number")]
    if not is_email(address):
        errors.append(BadEmail("email"))
    if errors or written is None:
        raise Refused(errors)
    subject = f"{written} {address_mark(address)}"
    try:
        count(
            Tally(f"attempts:links:pair:{subject}", PER_PAIR, WINDOW_SECONDS, WINDOW_SECONDS, WINDOW_SECONDS),
            Tally(f"attempts:links:client:{client}", PER_CLIENT, WINDOW_SECONDS, WINDOW_SECONDS, WINDOW_SECONDS),
        )
    except Full as full:
        raise TooManyLinks(minutes=math.ceil(full.seconds / 60)) from None
    # Neither Redis nor the log learns the address.
    send_soon(TASK, subject)


def send_link(subject: str) -> bool:
    """Send what was requested; returns whether a letter went. Raises OSError or CassandraError, to be tried again."""
    number, mark = subject.split()
    order = _order(number)
    if order is None or not settings.STOREFRONT_URL or not is_marked(mark, order["contact"]["email"]):
        return False
    letter = link_letter(order, letter_id=str(uuid7()))
    claim = Claim(letter.to, letter.message_id, may_wait=True)
    if take_rooms([claim]):
        # Who asks again within the hour gets it then.
        log.warning("link_without_room", order=order["_id"])
        return False
    message = EmailMessage(letter.subject, letter.body, to=[letter.to], headers={"Message-ID": letter.message_id})
    try:
        message.send()
    except OSError:
        give_back(letter.to, claim.letter_id)
        raise
    return True


def _order(number: str) -> OrderDocument | None:
    order = find_order_by_number(number)
    if order is None and settings.CASSANDRA_CONTACT_POINTS and (order_id := archived_id(number)):
        return archived_copy(order_id)
    return order
