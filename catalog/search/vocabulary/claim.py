"""Who counts the vocabulary: one at a time, because two do the same work twice. Whoever died lets go in minutes."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from secrets import token_hex

from pymongo.collection import Collection
from pymongo.errors import DuplicateKeyError

from catalog.documents import ClaimDocument
from catalog.search_models import SearchVocabulary
from gateway.mongo.client import collection_of

CLAIMS = SearchVocabulary._meta.db_table
# Far longer than a page takes, after each of which the holder renews it.
LEASE = timedelta(minutes=3)
# A write for each page would be one for every twenty milliseconds.
RENEW_AFTER = timedelta(seconds=30)


class TakenOver(Exception):
    """The holder was so slow that another has begun the same work."""


class Claim:
    def __init__(self, name: str, holder: str) -> None:
        self._name = name
        self._holder = holder
        self._renewed_at = datetime.now(UTC)

    def renew(self) -> None:
        """Hold on to it; raises TakenOver when another has it."""
        now = datetime.now(UTC)
        if now - self._renewed_at < RENEW_AFTER:
            return
        mine = {"_id": self._name, "holder": self._holder}
        if not _claims().update_one(mine, {"$set": {"until": now + LEASE}}).matched_count:
            raise TakenOver(self._name)
        self._renewed_at = now

    def release(self) -> None:
        _claims().delete_one({"_id": self._name, "holder": self._holder})


@contextmanager
def claimed(name: str) -> Iterator[Claim | None]:
    """Hold the claim of this name meanwhile; None when somebody else holds it."""
    now, holder = datetime.now(UTC), token_hex(8)
    free = {"_id": name, "until": {"$lt": now}}
    try:
        _claims().update_one(free, {"$set": {"until": now + LEASE, "holder": holder}}, upsert=True)
    except DuplicateKeyError:
        yield None
        return
    claim = Claim(name, holder)
    try:
        yield claim
    finally:
        claim.release()


def _claims() -> Collection[ClaimDocument]:
    return collection_of(CLAIMS, ClaimDocument)
