"""Groups of words that mean the same to whoever searches: «айфон, iphone».

A word is in one group only: two that share one would be one group. What counts as the same word are the stems that the
search compares; an index that is unique by them holds off two who add the same at once. A query asks for a word
together with those of its group, see catalog/search/alternatives.py.
"""

from collections.abc import Callable, Iterable, Sequence
from collections.abc import Collection as Codes
from datetime import UTC, datetime

from pymongo.collection import Collection
from pymongo.errors import DuplicateKeyError

from catalog.documents import SynonymGroupDocument
from catalog.errors import (
    NotSearchable,
    SameToSearch,
    StructureChangedMeanwhile,
    SynonymTaken,
    TooFewWords,
    TooLongTogether,
    TooMany,
    UnknownSynonyms,
)
from catalog.search.words import stem, words_in
from catalog.search_models import SynonymGroup
from gateway.audit.documents import AuditEntryDocument
from gateway.audit.reading import TRAIL
from gateway.audit.trail import Action, Actor, record
from gateway.domain.errors import DomainError, Refused
from gateway.domain.input import text_errors
from gateway.domain.uuid7 import uuid7
from gateway.mongo.client import collection_of, orm_connection
from gateway.mongo.policies import CATALOG_LIST
from gateway.mongo.reads import Read
from gateway.mongo.transactions import in_transaction

SYNONYMS = SynonymGroup._meta.db_table

MAX_WORD = 60
# Words that have a meaning together: «пульт от телевизора». A query is looked through for each run of so many.
LONGEST = 3
# Each word of a group is one more alternative in the query of whoever asks for any of them.
MAX_WORDS = 12
# The search remembers all groups in each process. Two who add the last at once may make one more, which does no harm.
MAX_GROUPS = 500


def add_synonyms(words: Sequence[str], *, actor: Actor, group_id: str = "") -> SynonymGroupDocument:
    """Let these words stand for each other, and return their group; `group_id`: another one than a new one."""
    group = _checked(group_id or str(uuid7()), words, actor)

    def add() -> None:
        session = orm_connection().session
        if _groups().count_documents({}, limit=MAX_GROUPS, session=session) >= MAX_GROUPS:
            raise TooMany("words", limit=MAX_GROUPS)
        _groups().insert_one(group, session=session)
        changes = {"words": (None, group["title"])}
        record(Action.SYNONYMS_ADDED, f"synonyms:{group['_id']}", actor=actor, changes=changes)

    _unless_taken(add, group)
    return group


def edit_synonyms(
    group_id: str, words: Sequence[str], *, actor: Actor, seen: Sequence[str] | None = None
) -> SynonymGroupDocument:
    """Give the group these words and return it; refused when they are not those that the editor saw."""
    group = _checked(group_id, words, actor)

    def edit() -> None:
        session = orm_connection().session
        before = _groups().find_one({"_id": group_id}, session=session)
        if before is None:
            raise UnknownSynonyms
        if seen is not None and list(seen) != before["words"]:
            raise StructureChangedMeanwhile("words")
        if before["words"] == group["words"]:
            return
        _groups().replace_one({"_id": group_id}, group, session=session)
        changes = {"words": (before["title"], group["title"])}
        record(Action.SYNONYMS_CHANGED, f"synonyms:{group_id}", actor=actor, changes=changes)

    _unless_taken(edit, group)
    return group


def delete_synonyms(group_id: str, *, actor: Actor) -> None:
    """Let the words of the group stand for themselves again."""

    def delete() -> None:
        before = _groups().find_one_and_delete({"_id": group_id}, session=orm_connection().session)
        if before is None:
            raise UnknownSynonyms
        changes = {"words": (before["title"], None)}
        record(Action.SYNONYMS_DELETED, f"synonyms:{group_id}", actor=actor, changes=changes)

    in_transaction(delete)


def all_groups() -> Read[list[SynonymGroupDocument]]:
    """All groups, for the search: a few hundred at most, the collection is not sharded."""
    return Read(collection=SYNONYMS, policy=CATALOG_LIST, where={}, sort=(("_id", 1),), limit=MAX_GROUPS, result=list)


def words_typed(text: str) -> list[str]:
    """The words of a line in which they stand by commas, or of several lines."""
    return [" ".join(word.split()) for word in text.replace("\n", ",").replace(";", ",").split(",") if word.strip()]


def ever_added(group_ids: Codes[str]) -> set[str]:
    """Those of these groups that were added once, whatever has become of them, by the audit."""
    where = {"target": {"$in": [f"synonyms:{each}" for each in group_ids]}, "action": Action.SYNONYMS_ADDED.value}
    found = collection_of(TRAIL, AuditEntryDocument).find(where, ["target"])
    return {each["target"].removeprefix("synonyms:") for each in found}


def titles_of(group_ids: Codes[str]) -> dict[str, str]:
    """The words of these groups, by id; none of one that is gone. The collection is small and not sharded."""
    found = _groups().find({"_id": {"$in": sorted(group_ids)}}, ["title"])
    return {each["_id"]: f"«{each['title']}»" for each in found}


def _unless_taken(change: Callable[[], None], group: SynonymGroupDocument) -> None:
    try:
        in_transaction(change)
    except DuplicateKeyError as error:
        rival = _groups().find_one({"keys": {"$in": group["keys"]}, "_id": {"$ne": group["_id"]}}, ["title"])
        raise SynonymTaken("words", title=rival["title"] if rival else "") from error


def _checked(group_id: str, words: Sequence[str], actor: Actor) -> SynonymGroupDocument:
    wanted = [" ".join(word.split()) for word in words]
    if errors := _errors(wanted):
        raise Refused(errors)
    return {
        "_id": group_id,
        "title": ", ".join(wanted),
        "words": wanted,
        "keys": [key_of(words_in(word)) for word in wanted],
        "changed_at": datetime.now(UTC),
        "changed_by": actor.name,
    }


def _errors(words: Sequence[str]) -> list[DomainError]:
    if len(words) > MAX_WORDS:
        return [TooMany("words", limit=MAX_WORDS)]
    errors = [error for word in words for error in text_errors(word, MAX_WORD, "words")]
    if errors:
        return errors
    if len(words) < 2:
        errors.append(TooFewWords("words"))
    first: dict[str, str] = {}
    for word in words:
        seen = list(words_in(word))
        if not seen:
            errors.append(NotSearchable("words", word=word))
        elif len(seen) > LONGEST:
            errors.append(TooLongTogether("words", word=word, limit=LONGEST))
        elif (other := first.setdefault(key_of(seen), word)) is not word:
            errors.append(SameToSearch("words", word=word, other=other))
    return errors


def key_of(words: Iterable[str]) -> str:
    """What these folded words, one or a few together, are to the search: the same for all their forms."""
    return " ".join(map(stem, words))


def _groups() -> Collection[SynonymGroupDocument]:
    return collection_of(SYNONYMS, SynonymGroupDocument)
