"""Taking a person's contacts out of the trail, when the law gives them the right: who did what, and when, stays."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from pymongo import UpdateOne

from gateway.audit.documents import AuditEntryDocument
from gateway.audit.models import AuditEntry
from gateway.domain.contacts import Contacts, without_contacts
from gateway.mongo.client import collection_of

TRAIL = AuditEntry._meta.db_table
# So many entries are read and written at a time.
BATCH = 500


def remove_contacts(targets: Sequence[str], people: Sequence[Contacts], *, called: str) -> int:
    """Take the people's contacts out of all entries about these targets, and of what they did themselves.

    There they are named `called` from then on. Returns how many entries changed; repeated, none.
    """
    return sum(_write(batch) for batch in _batches(_redactions(targets, people, called)))


def _redactions(targets: Sequence[str], people: Sequence[Contacts], called: str) -> Iterator[UpdateOne]:
    entries = collection_of(TRAIL, AuditEntryDocument)
    addresses = [person.email for person in people if person.email]
    for entry in entries.find({"actor": {"$in": addresses}}, ["_id"]):
        yield UpdateOne({"_id": entry["_id"]}, {"$set": {"actor": called}})
    for entry in entries.find({"target": {"$in": list(targets)}}, ["changes", "reason"]):
        changes, reason = _redacted(entry["changes"], people), without_contacts(entry["reason"], people)
        if (changes, reason) != (entry["changes"], entry["reason"]):
            yield UpdateOne({"_id": entry["_id"]}, {"$set": {"changes": changes, "reason": reason}})


def _redacted(value: Any, people: Sequence[Contacts]) -> Any:
    match value:
        case str():
            return without_contacts(value, people)
        case Mapping():
            return {name: _redacted(inner, people) for name, inner in value.items()}
        case list():
            return [_redacted(inner, people) for inner in value]
    return value


def _batches(updates: Iterable[UpdateOne]) -> Iterator[list[UpdateOne]]:
    batch: list[UpdateOne] = []
    for update in updates:
        batch.append(update)
        if len(batch) == BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def _write(updates: list[UpdateOne]) -> int:
    return collection_of(TRAIL, AuditEntryDocument).bulk_write(updates, ordered=False).modified_count
