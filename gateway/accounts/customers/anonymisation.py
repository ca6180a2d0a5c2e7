"""Anonymising an account: begun with one write, so that a crash later on leaves word of what is still to be done.

The account comes first: inactive and signed out, its owner orders nothing more. Orders and their copies follow, in
gateway/viewer/anonymisation.py, which alone knows all of them; until then the contacts stand in `anonymisations`.
"""

from datetime import UTC, datetime, timedelta

from django.contrib.admin.models import LogEntry
from django.contrib.auth.hashers import make_password
from django.contrib.contenttypes.models import ContentType

from gateway.accounts.customers.accounts import contacts_of, find_customer
from gateway.accounts.customers.notes import NOTES
from gateway.accounts.documents import (
    AccountLetterDocument,
    AddressBookDocument,
    AnonymisationDocument,
    CustomerNoteDocument,
    OrderClaimDocument,
)
from gateway.accounts.errors import NotTyped
from gateway.accounts.models import (
    AccountLetter,
    AddressBook,
    Anonymisation,
    Customer,
    OrderClaim,
    User,
    normalize_email,
)
from gateway.accounts.sign_out import end_sessions
from gateway.audit.trail import Action, Actor, record
from gateway.mongo.client import collection_of, orm_connection
from gateway.mongo.transactions import in_transaction

ANONYMISATIONS = Anonymisation._meta.db_table
# Nobody's, by the standard: no letter ever goes there, and no account is registered with it.
DOMAIN = "anonymised.invalid"
# Requests that were under way when the account was closed have ended by then, and what they ordered is there.
LATE = timedelta(minutes=2)
# Of what failed, or was left by a process that died.
PAUSE = timedelta(minutes=1)


def begin_anonymising(user_id: str, *, typed: str, guests: bool, actor: Actor) -> AnonymisationDocument | None:
    """Take the contacts out of the account, close it, and write down what is to follow; None: it is all done already.

    Repeated, it returns what is written down. Raises NotTyped unless `typed` is the customer's e-mail or id.
    """
    begun = in_transaction(lambda: _begin(user_id, typed, guests, actor))
    end_sessions(find_customer(user_id))
    return begun


def anonymisation_of(user_id: str) -> AnonymisationDocument | None:
    """What is still to be done about this account; None: nothing."""
    return collection_of(ANONYMISATIONS, AnonymisationDocument).find_one({"_id": user_id})


def due_anonymisations(*, limit: int, now: datetime | None = None) -> list[AnonymisationDocument]:
    """Those that nobody is busy with, oldest first."""
    due = {"due": {"$lte": now or datetime.now(UTC)}}
    return list(collection_of(ANONYMISATIONS, AnonymisationDocument).find(due).sort("due", 1).limit(limit))


def postpone_anonymisation(user_id: str, until: datetime) -> None:
    collection_of(ANONYMISATIONS, AnonymisationDocument).update_one({"_id": user_id}, {"$set": {"due": until}})


def forget_notes(user_id: str) -> None:
    """Delete what staff noted about the customer, where they had things sent, and what Django's log calls them."""
    collection_of(AddressBook._meta.db_table, AddressBookDocument).delete_one({"_id": user_id})
    collection_of(NOTES, CustomerNoteDocument).delete_many({"user_id": user_id})
    kinds = ContentType.objects.get_for_models(User, Customer, for_concrete_models=False).values()
    LogEntry.objects.filter(content_type__in=list(kinds), object_id=user_id).update(object_repr=user_id)


def forget_letters(user_id: str, email: str) -> None:
    """Delete what waits to be told, and what waits to be done about the address. Both are nearly always empty."""
    letters = collection_of(AccountLetter._meta.db_table, AccountLetterDocument)
    letters.delete_many({"$or": [{"user_id": user_id}, {"to": email}]})
    collection_of(OrderClaim._meta.db_table, OrderClaimDocument).delete_one({"_id": user_id})


def end_anonymising(begun: AnonymisationDocument) -> None:
    """Forget the contacts themselves: nothing is left to be done."""
    collection_of(ANONYMISATIONS, AnonymisationDocument).delete_one({"_id": begun["_id"], "since": begun["since"]})


def _begin(user_id: str, typed: str, guests: bool, actor: Actor) -> AnonymisationDocument | None:
    customer = find_customer(user_id)
    if customer.anonymised_at is not None:
        return anonymisation_of(user_id)
    if normalize_email(typed) not in {customer.email, user_id}:
        raise NotTyped("typed")
    now = datetime.now(UTC)
    contacts = contacts_of(customer)
    begun: AnonymisationDocument = {
        "_id": user_id,
        "since": now,
        "due": now + PAUSE,
        "contacts": {"email": contacts.email, "phone": contacts.phone, "name": contacts.name},
        "guests": guests,
    }
    collection_of(ANONYMISATIONS, AnonymisationDocument).insert_one(begun, session=orm_connection().session)
    customer.email, customer.name, customer.phone = f"{user_id}@{DOMAIN}", "", ""
    customer.new_email, customer.email_confirmed_at = "", None
    customer.password = make_password(None)
    customer.is_active = False
    customer.session_generation += 1
    customer.anonymised_at = now
    customer.save()
    changes = {"guests": (None, guests)}
    record(Action.CUSTOMER_ANONYMISED, f"customer:{user_id}", actor=actor, changes=changes)
    return begun
