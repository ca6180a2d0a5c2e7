"""What stands beside the accounts in MongoDB: the fields of gateway/accounts/models.py, typed."""

from datetime import datetime
from typing import TypedDict

from bson import ObjectId


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


class SecondFactorDocument(TypedDict):
    _id: str
    salt: str
    last_step: int
    recovery: list[str]
    confirmed: bool
