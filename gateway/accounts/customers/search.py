"""Customers by what a person says on the phone: e-mail, telephone in any spelling, words of the name, id."""

from collections.abc import Mapping, Sequence
from typing import Any

from bson import ObjectId
from bson.errors import InvalidId

from gateway.accounts.models import LENGTHS, User, contact_keys, normalize_email
from gateway.domain.contacts import phone_digits
from gateway.mongo.policies import ACCOUNT_SEARCH
from gateway.mongo.reads import Read, run

USERS = User._meta.db_table
BY_KEY = "accounts_by_key"
# As many as a person looks through; more means that the words say too little.
FOUND = 200
_NEWEST = (("date_joined", -1), ("_id", -1))


def find_customers(text: str, *, limit: int = FOUND) -> list[ObjectId]:
    """The ids of the customers that the text may mean, newest first. Walks an index for each meaning."""
    text = text.strip()
    if not text or len(text) > LENGTHS["email"]:
        return []
    found = [each for read in _reads(text, limit) for each in run(read)]
    return list(dict.fromkeys(found))[:limit]


def _reads(text: str, limit: int) -> list[Read[list[ObjectId]]]:
    if "@" in text:
        return [_read({"email": normalize_email(text)}, limit)]
    reads = []
    if account := _id(text):
        reads.append(_read({"_id": account}, limit))
    if phone_digits(text):
        (phone,) = contact_keys(name="", phone=text)
        reads.append(_keyed([phone], limit))
    elif words := contact_keys(name=text, phone=""):
        reads.append(_keyed(words, limit))
    return reads


def _keyed(keys: Sequence[str], limit: int) -> Read[list[ObjectId]]:
    """Those with all of the keys. The longest walks, since it is the rarest as a rule; the others are looked at."""
    longest = max(keys, key=len)
    others = [key for key in keys if key != longest]
    # In a form that no index tempts.
    also = {"$expr": {"$setIsSubset": [{"$literal": others}, "$keys"]}} if others else {}
    return _read({"keys": longest, **also}, limit, hint=BY_KEY)


def _read(where: Mapping[str, Any], limit: int, hint: str | None = None) -> Read[list[ObjectId]]:
    return Read(
        collection=USERS,
        policy=ACCOUNT_SEARCH,
        # A unique key needs no other condition, which would only tempt the planner.
        where={"is_staff": False, **where} if hint else where,
        fields=("is_staff",),
        sort=_NEWEST if hint else (),
        limit=limit,
        hint=hint,
        result=lambda documents: [document["_id"] for document in documents if not document["is_staff"]],
    )


def _id(text: str) -> ObjectId | None:
    try:
        return ObjectId(text)
    except InvalidId:
        return None
