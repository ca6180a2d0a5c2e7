"""Anonymising a customer in every store. Begun once, finished by whoever comes: the page, or the sweep."""

from datetime import UTC, datetime

import structlog

from cart.lines import clear
from gateway.accounts.customers.accounts import find_customer
from gateway.accounts.customers.anonymisation import (
    LATE,
    PAUSE,
    anonymisation_of,
    begin_anonymising,
    due_anonymisations,
    end_anonymising,
    forget_letters,
    forget_notes,
    postpone_anonymisation,
)
from gateway.accounts.documents import AnonymisationDocument
from gateway.accounts.owners import customer_owner
from gateway.audit.redaction import remove_contacts
from gateway.audit.trail import Actor
from gateway.cassandra.errors import CassandraError
from gateway.domain.contacts import Contacts
from ordering.archive.anonymisation import Buyer, anonymise_orders, is_anonymised, open_orders
from ordering.errors import OpenOrders

log = structlog.get_logger(__name__)

# Each takes well under a second, unless it has hundreds of orders; the next run takes the rest.
SWEPT = 20


def anonymise_customer(user_id: str, *, typed: str, guests: bool, actor: Actor, now: datetime | None = None) -> bool:
    """Take the customer's contacts out of everything; returns whether all is done, else the sweep goes on.

    `guests`: orders of guests under the customer's address are meant too. Pressed again, it goes on where it was.
    Raises OpenOrders while there are orders about which somebody must be reached, and NotTyped.
    """
    if anonymisation_of(user_id) is None:
        customer = find_customer(user_id)
        numbers = open_orders(_buyer(user_id, customer.email if guests else None))
        if numbers:
            raise OpenOrders(numbers=", ".join(numbers))
    begun = begin_anonymising(user_id, typed=typed, guests=guests, actor=actor)
    return begun is None or _go_on(begun, now)


def sweep_anonymisations(now: datetime | None = None) -> int:
    """Go on with what was left; returns how many are done now."""
    return sum(_go_on(begun, now) for begun in due_anonymisations(limit=SWEPT, now=now))


def _go_on(begun: AnonymisationDocument, now: datetime | None) -> bool:
    moment = now or datetime.now(UTC)
    user_id, contacts = begun["_id"], Contacts(**begun["contacts"])
    buyer = _buyer(user_id, contacts.email if begun["guests"] else None)
    late = begun["since"].replace(tzinfo=UTC) + LATE
    try:
        anonymise_orders(buyer, contacts)
        remove_contacts([f"customer:{user_id}"], [contacts], called=user_id)
        forget_notes(user_id)
        forget_letters(user_id, contacts.email)
        # They hold no contacts and stay for the figures; but nobody will buy what is in this one.
        clear(buyer.owner)
        done = moment >= late and is_anonymised(buyer)
    except CassandraError as error:
        log.warning("anonymising_left_to_the_sweep", customer=user_id, error=type(error).__name__)
        done = False
    if not done:
        postpone_anonymisation(user_id, max(late, moment + PAUSE))
        return False
    end_anonymising(begun)
    log.info("customer_anonymised", customer=user_id)
    return True


def _buyer(user_id: str, email: str | None) -> Buyer:
    return Buyer(customer_owner(user_id), email)
