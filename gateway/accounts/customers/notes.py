"""Notes of staff about a customer: for colleagues, never for the customer."""

from datetime import UTC, datetime

from bson import ObjectId
from pymongo.errors import DuplicateKeyError

from gateway.accounts.customers.accounts import customer_to_change
from gateway.accounts.documents import CustomerNoteDocument
from gateway.accounts.models import CustomerNote
from gateway.audit.trail import Action, Actor, record
from gateway.domain.errors import Refused
from gateway.domain.input import text_errors
from gateway.mongo.client import collection_of, orm_connection
from gateway.mongo.policies import ACCOUNT_SEARCH
from gateway.mongo.reads import Read
from gateway.mongo.transactions import in_transaction

NOTES = CustomerNote._meta.db_table
LONGEST = 2000
# Nobody reads more; older ones stay.
SHOWN = 50


def add_note(user_id: str, text: str, *, actor: Actor, key: str) -> None:
    """Note something about the customer, once per `key`, which the form made. Raises Refused."""
    text = text.strip()
    if errors := text_errors(text, LONGEST, "text", lines=True):
        raise Refused(errors)
    try:
        in_transaction(lambda: _add(user_id, text, actor, key))
    except DuplicateKeyError:
        # Sent twice, and written the first time.
        return


def notes_of(user_id: str) -> Read[list[CustomerNoteDocument]]:
    """The newest notes about the customer, newest first."""
    return Read(
        collection=NOTES,
        policy=ACCOUNT_SEARCH,
        where={"user_id": user_id},
        sort=(("at", -1),),
        limit=SHOWN,
        result=list,
    )


def _add(user_id: str, text: str, actor: Actor, key: str) -> None:
    customer_to_change(user_id)
    note: CustomerNoteDocument = {
        "_id": ObjectId(),
        "user_id": user_id,
        "at": datetime.now(UTC),
        "actor": actor.name,
        "text": text,
        "key": key,
    }
    collection_of(NOTES, CustomerNoteDocument).insert_one(note, session=orm_connection().session)
    record(Action.CUSTOMER_NOTED, f"customer:{user_id}", actor=actor, changes={"note": (None, str(note["_id"]))})
