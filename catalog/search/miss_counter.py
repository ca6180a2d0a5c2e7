"""Counting searches that did not find what was typed, without saying who typed it.

A process gathers for some seconds and adds up in one write; killed, it loses those seconds. An answer that is given
again from memory is not counted again. What could name a person is not kept: no e-mail, no address of a page, no long
word, no digits of a telephone or card; and of what strangers make up, only so many texts a day.
"""

import asyncio
import threading
from collections import Counter
from datetime import UTC, datetime
from typing import NamedTuple

import structlog
from pymongo import UpdateOne
from pymongo.collection import Collection
from pymongo.errors import PyMongoError

from catalog.documents import SearchMissDocument
from catalog.search.misses import MISSES, Outcome
from catalog.search.words import MAX_WORD, folded, words_in
from gateway.mongo.client import collection_of

log = structlog.get_logger(__name__)

# Short enough to lose little, long enough that a crowd that types the same costs one write.
FLUSH_SECONDS = 5.0
# Of one process between two writes: a page of merchandisers shows two hundred of a month.
MAX_HELD = 1000
# New ones beyond are not kept that day; those already there are counted on. Ten megabytes in a quarter.
MAX_TEXTS_A_DAY = 20_000
MAX_TEXT = 100
# Numbers of models have up to five, telephones and cards more.
MAX_DIGITS = 6
_NO_WORDS_OF_OURS = ("@", "://", "www.")


class _Missed(NamedTuple):
    text: str
    outcome: Outcome
    instead: str


class MissCounter:
    """What this process has counted and not yet written. Never raises: a search is answered whatever becomes of it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._held: Counter[_Missed] = Counter()
        self._flushing: asyncio.Task[None] | None = None

    def note(self, typed: str, outcome: Outcome, instead: str = "") -> None:
        """Count one search, on the event loop; `instead`: what was searched for, or the words left out."""
        text = countable(typed)
        missed = _Missed(text, outcome, countable(instead))
        with self._lock:
            if not text or (missed not in self._held and len(self._held) >= MAX_HELD):
                return
            self._held[missed] += 1
        flushing = self._flushing
        if flushing is None or flushing.done() or flushing.get_loop() is not asyncio.get_running_loop():
            self._flushing = asyncio.create_task(self._flush_later())

    def flush(self) -> None:
        """Write what is held; what cannot be written is held until the next time."""
        with self._lock:
            taken, self._held = self._held, Counter()
        try:
            _write(taken, datetime.now(UTC))
        except PyMongoError as error:
            log.warning("misses_not_counted", texts=len(taken), error=type(error).__name__)
            with self._lock:
                self._held = Counter(dict((taken + self._held).most_common(MAX_HELD)))

    async def _flush_later(self) -> None:
        await asyncio.sleep(FLUSH_SECONDS)
        await asyncio.to_thread(self.flush)


MISSED = MissCounter()


def countable(typed: str) -> str:
    """The text as it is counted, without case and personal data; empty when nothing may be kept of it."""
    chunks = "".join(letter if letter.isprintable() else " " for letter in folded(typed)).split()
    if any(sign in chunk for chunk in chunks for sign in _NO_WORDS_OF_OURS):
        return ""
    if sum(letter.isdigit() for chunk in chunks for letter in chunk) > MAX_DIGITS:
        chunks = [chunk for chunk in chunks if not any(letter.isdigit() for letter in chunk)]
    kept: list[str] = []
    for chunk in chunks:
        if len(" ".join([*kept, chunk])) > MAX_TEXT:
            break
        if len(chunk) <= MAX_WORD:
            kept.append(chunk)
    return " ".join(kept) if any(words_in(" ".join(kept))) else ""


def _write(counts: Counter[_Missed], now: datetime) -> None:
    if not counts:
        return
    day = now.replace(hour=0, minute=0, second=0, microsecond=0)
    room = _misses().count_documents({"day": day}, limit=MAX_TEXTS_A_DAY) < MAX_TEXTS_A_DAY
    _misses().bulk_write([_counted(missed, times, day, new=room) for missed, times in counts.items()], ordered=False)


def _counted(missed: _Missed, times: int, day: datetime, *, new: bool) -> UpdateOne:
    identity = {"_id": f"{day:%F}:{missed.outcome.value}:{missed.text}"}
    fixed = {"day": day, "outcome": missed.outcome.value, "text": missed.text}
    update = {"$inc": {"count": times}, "$set": {"instead": missed.instead}, "$setOnInsert": fixed}
    return UpdateOne(identity, update, upsert=new)


def _misses() -> Collection[SearchMissDocument]:
    return collection_of(MISSES, SearchMissDocument)
