"""The vocabulary as it is stored: a counted edition, and what has come up since in products edited later.

Each is one document, replaced as a whole: whoever reads it has the one before or the one after, whatever dies.
"""

import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from secrets import token_hex
from typing import NamedTuple

from pymongo.errors import DuplicateKeyError

from catalog.documents import VocabularyDocument
from catalog.search_models import SearchVocabulary
from gateway.mongo.client import collection_of
from gateway.mongo.policies import CATALOG_LIST, STAFF_LIST, Policy
from gateway.mongo.reads import Read

VOCABULARY = SearchVocabulary._meta.db_table
COUNTED, RECENT = "counted", "recent"
# The most frequent stay. A process keeps each in some 150 bytes; a shop of a million products has a few ten thousand
# words, and the rest are numbers of parts that nobody completes.
MAX_WORDS = 200_000


class Edition(NamedTuple):
    """What tells one edition from another, without its words."""

    token: str
    """Another one for other words."""
    began_at: datetime
    """Its count missed nothing of before."""


Editions = Mapping[str, Edition]
"""By COUNTED and RECENT; what has never been made is absent."""


def editions(policy: Policy = CATALOG_LIST) -> Read[Editions]:
    """Which editions there are: two small documents, the collection is not sharded."""

    def made(documents: Sequence[VocabularyDocument]) -> Editions:
        return {each["_id"]: Edition(each["token"], each["began_at"]) for each in documents}

    return Read(
        collection=VOCABULARY,
        policy=policy,
        where={"_id": {"$in": [COUNTED, RECENT]}},
        fields=("token", "began_at"),
        result=made,
    )


def stored_words() -> Read[Sequence[VocabularyDocument]]:
    """The editions with their words, packed: `unpacked` takes some ten milliseconds for each hundred thousand."""
    return Read(collection=VOCABULARY, policy=CATALOG_LIST, where={"_id": {"$in": [COUNTED, RECENT]}}, result=list)


def counted_words() -> Read[dict[str, int]]:
    """The words of the counted edition as it was written last."""

    def made(documents: Sequence[VocabularyDocument]) -> dict[str, int]:
        return unpacked(documents[0]["words"]) if documents else {}

    return Read(collection=VOCABULARY, policy=STAFF_LIST, where={"_id": COUNTED}, result=made)


def keep_edition(which: str, frequencies: Mapping[str, int], *, began_at: datetime) -> bool:
    """Store these words in place of an edition that was begun before; returns whether none was begun later."""
    words = packed(dict(Counter(frequencies).most_common(MAX_WORDS)))
    document: VocabularyDocument = {"_id": which, "token": token_hex(8), "began_at": began_at, "words": words}
    kept = collection_of(VOCABULARY, VocabularyDocument)
    older = {"_id": which, "began_at": {"$lte": began_at}}
    # The same words keep their token, or each process would read them anew every minute.
    if kept.update_one({**older, "words": words}, {"$set": {"began_at": began_at}}).matched_count:
        return True
    try:
        kept.replace_one(older, document, upsert=True)
    except DuplicateKeyError:
        # A newer one was not matched, so its id is taken.
        return False
    return True


def packed(frequencies: Mapping[str, int]) -> bytes:
    """The words for storing: 200 000 of them are about a megabyte, where a document may have sixteen."""
    return zlib.compress("\n".join(f"{word} {times}" for word, times in sorted(frequencies.items())).encode())


def unpacked(words: bytes) -> dict[str, int]:
    lines = zlib.decompress(words).decode().splitlines()
    return {word: int(times) for word, _, times in (line.partition(" ") for line in lines)}
