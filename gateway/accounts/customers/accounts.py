"""One customer's account, to look at and to change; contacts shown on record."""

from typing import cast

from bson import ObjectId
from bson.errors import InvalidId

from gateway.accounts.errors import AnonymisedAccount, UnknownAccount
from gateway.accounts.models import Customer
from gateway.audit.trail import Action, Actor, record
from gateway.domain.contacts import Contacts
from gateway.mongo.transactions import in_transaction


def find_customer(user_id: str) -> Customer:
    """The customer with this id. Raises UnknownAccount, also for the account of a member of staff."""
    try:
        found = Customer.objects.filter(pk=ObjectId(user_id), is_staff=False).first()
    except InvalidId:
        found = None
    if found is None:
        raise UnknownAccount
    return cast("Customer", found)


def customer_to_change(user_id: str) -> Customer:
    """Likewise, and not anonymised. Raises AnonymisedAccount."""
    customer = find_customer(user_id)
    if customer.anonymised_at is not None:
        raise AnonymisedAccount
    return customer


def contacts_of(customer: Customer) -> Contacts:
    return Contacts(email=customer.email, phone=customer.phone, name=customer.name)


def show_contacts(user_id: str, *, actor: Actor) -> Contacts:
    """The customer's contacts in the clear, for somebody who otherwise sees them masked: on record, without them."""

    def show() -> Contacts:
        customer = customer_to_change(user_id)
        record(Action.CONTACTS_SHOWN, f"customer:{user_id}", actor=actor, changes={})
        return contacts_of(customer)

    return in_transaction(show)
