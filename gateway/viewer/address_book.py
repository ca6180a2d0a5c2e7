"""A customer's address book: where things were sent before, to be copied into the next checkout."""

from typing import NamedTuple
from uuid import uuid4

from gateway.accounts.documents import AddressBookDocument, SavedAddressDocument
from gateway.accounts.models import AddressBook
from gateway.domain.errors import Code, DomainError, Refused
from gateway.domain.input import text_errors
from gateway.domain.texts import Text
from gateway.mongo.client import Expression, collection_of
from gateway.mongo.policies import ACCOUNT_ADDRESSES
from gateway.mongo.reads import Read
from ordering.lifecycle.contacts import AddressDetails, address_errors

BOOKS = AddressBook._meta.db_table
# Home, work, relatives; more is no list that anybody chooses from.
MOST = 20
LONGEST_LABEL = 100


class TooManyAddresses(DomainError):
    code = Code.CONFLICT
    text = Text("Не больше {limit} адресов: удалите лишние.", "At most {limit} addresses: remove some.")


class UnknownAddress(DomainError):
    code = Code.NOT_FOUND
    text = Text("Такого адреса в вашей книге нет.", "There is no such address in your book.")


class Entry(NamedTuple):
    """What is to stand in the book."""

    label: str
    address: AddressDetails


def addresses_of(user_id: str) -> Read[list[SavedAddressDocument]]:
    """The account's addresses, in the order in which they were saved first."""
    return Read(
        collection=BOOKS,
        policy=ACCOUNT_ADDRESSES,
        where={"_id": user_id},
        limit=1,
        result=lambda documents: documents[0]["addresses"] if documents else [],
    )


def save_address(user_id: str, address_id: str | None, entry: Entry) -> None:
    """Change the address with this id, or add one without. What stands in the book already is not added twice.

    Raises Refused with all that is wrong with the input, UnknownAddress, or TooManyAddresses.
    """
    fields = _checked(entry)
    if address_id is not None:
        _change(user_id, address_id, fields)
    else:
        _add(user_id, fields)


def remove_address(user_id: str, address_id: str) -> None:
    """Take the address out of the book. Raises UnknownAddress, also when it is gone already."""
    there = {"_id": user_id, "addresses.id": address_id}
    gone = {"$pull": {"addresses": {"id": address_id}}}
    if not collection_of(BOOKS, AddressBookDocument).update_one(there, gone).matched_count:
        raise UnknownAddress("id")


def _checked(entry: Entry) -> Expression:
    label, address = entry.label.strip(), entry.address.tidy()
    if errors := [*text_errors(label, LONGEST_LABEL, "label"), *address_errors(address, "address")]:
        raise Refused(errors)
    return {"label": label, **address.document()}


def _change(user_id: str, address_id: str, fields: Expression) -> None:
    there = {"_id": user_id, "addresses.id": address_id}
    changed = {"$set": {f"addresses.$.{name}": value for name, value in fields.items()}}
    if not collection_of(BOOKS, AddressBookDocument).update_one(there, changed).matched_count:
        raise UnknownAddress("id")


def _add(user_id: str, fields: Expression) -> None:
    """One update looks and adds, so that neither two at once nor a repeated call add the same, or one too many."""
    books = collection_of(BOOKS, AddressBookDocument)
    books.update_one({"_id": user_id}, {"$setOnInsert": {"addresses": []}}, upsert=True)
    same = {"addresses": {"$elemMatch": fields}}
    room = {"_id": user_id, f"addresses.{MOST - 1}": {"$exists": False}, "$nor": [same]}
    added = {"$push": {"addresses": {"id": str(uuid4()), **fields}}}
    if books.update_one(room, added).matched_count or books.count_documents({"_id": user_id, **same}, limit=1):
        return
    raise TooManyAddresses("address", limit=MOST)
