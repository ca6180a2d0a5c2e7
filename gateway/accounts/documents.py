"""What stands beside the accounts in MongoDB: the fields of gateway/accounts/models.py, typed."""

from datetime import datetime
from typing import TypedDict

from bson import ObjectId

from gateway.domain.texts import Language


class ContactsDocument(TypedDict):
    email: str
    phone: str
    name: str


class CustomerNoteDocument(TypedDict):
    _id: ObjectId
    user_id: str
    at: datetime
    actor: str
    text: str
    key: str


class AnonymisationDocument(TypedDict):
    _id: str
    since: datetime
    due: datetime
    contacts: ContactsDocument
    guests: bool


class AccountLetterDocument(TypedDict):
    _id: str
    kind: str
    to: str
    user_id: str | None
    about: str
    language: Language
    at: datetime
    due: datetime
    tries: int


class SavedAddressDocument(TypedDict):
    id: str
    label: str
    city: str
    street: str
    postcode: str
    comment: str


class AddressBookDocument(TypedDict):
    _id: str
    addresses: list[SavedAddressDocument]


class OrderClaimDocument(TypedDict):
    _id: str
    email: str
    due: datetime


class SecondFactorDocument(TypedDict):
    _id: str
    salt: str
    last_step: int
    recovery: list[str]
    confirmed: bool
