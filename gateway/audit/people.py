"""Members of staff, to choose whose changes are shown."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from bson import ObjectId

from gateway.accounts.models import User, normalize_email
from gateway.audit.links import PROGRAMS
from gateway.domain.texts import Text
from gateway.mongo.policies import AUDIT
from gateway.mongo.reads import Read, run
from gateway.staff.language import said

# As many as a list under an input shows.
OFFERED = 10
# The indexes of accounts that begin with `is_staff`: however many customers there are, only staff are looked through.
NEWEST, BY_KEY = "accounts_newest", "accounts_by_key"
PROGRAMS_NAME = Text("система", "system")


class Person(NamedTuple):
    id: str
    email: str
    name: str


def people_beginning(text: str) -> list[Person]:
    """Staff whose address or a word of whose name begins so. Walks the accounts of staff only, by their indexes."""
    beginning = normalize_email(text)
    if not beginning:
        return []
    by_email = run(_accounts({"is_staff": True, "email": _prefix(beginning)}, hint=NEWEST))
    # Of one element: of an array, one might be above the lower bound and another below the upper one.
    name = {"$elemMatch": _prefix(f"name:{beginning.replace('ё', 'е')}")}
    by_name = run(_accounts({"is_staff": True, "keys": name}, hint=BY_KEY))
    return list(dict.fromkeys([*by_email, *by_name]))[:OFFERED]


def person_called(text: str) -> str | None:
    """The id of the one person whose address this is, or who alone begins so; empty for programs; None: nobody."""
    called = text.strip()
    if called.casefold() in {PROGRAMS, *map(str.casefold, PROGRAMS_NAME)}:
        return ""
    # Whoever was staff once, and is named by the whole address, has their past here too.
    found = run(_accounts({"email": normalize_email(called)})) if "@" in called else people_beginning(called)
    return found[0].id if len(found) == 1 else None


def address_of(person_id: str) -> str:
    """How the filter names the person: by the address; by the id of one that is gone."""
    if not person_id:
        return said(PROGRAMS_NAME)
    found = run(_accounts({"_id": ObjectId(person_id)})) if ObjectId.is_valid(person_id) else []
    return found[0].email if found else person_id


def names_of(ids: Iterable[str]) -> Read[dict[str, str]]:
    """The names of these people; of those without a name, the address."""
    wanted = [ObjectId(each) for each in set(ids) if ObjectId.is_valid(each)]

    def named(documents: Sequence[Any]) -> dict[str, str]:
        return {str(document["_id"]): document.get("name") or document["email"] for document in documents}

    return Read(
        collection=User._meta.db_table,
        policy=AUDIT,
        where={"_id": {"$in": wanted}},
        fields=("name", "email"),
        result=named,
    )


def _accounts(where: Mapping[str, Any], *, hint: str | None = None) -> Read[list[Person]]:
    return Read(
        collection=User._meta.db_table,
        policy=AUDIT,
        where=where,
        fields=("email", "name"),
        limit=OFFERED,
        hint=hint,
        result=_people,
    )


def _people(documents: Sequence[Any]) -> list[Person]:
    return [Person(str(each["_id"]), each["email"], each.get("name", "")) for each in documents]


def _prefix(beginning: str) -> dict[str, str]:
    """A range that an index has: from the beginning itself to the last text that goes on from it."""
    return {"$gte": beginning, "$lt": f"{beginning}\uffff"}
