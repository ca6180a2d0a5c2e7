"""The vocabulary as this process holds it: read whole once, and again only when there is a newer edition."""

import asyncio
import threading
import time
from collections.abc import Sequence

import structlog
from pymongo.errors import PyMongoError

from catalog.documents import VocabularyDocument
from catalog.search.vocabulary.editions import Editions, editions, stored_words, unpacked
from catalog.search.vocabulary.vocabulary import NO_WORDS, Vocabulary
from gateway.mongo.outage import MongoUnavailable
from gateway.mongo.reads import run, run_async

log = structlog.get_logger(__name__)

# A word that is new in the shop is known everywhere after this and the minute of the count.
LOOK_SECONDS = 30.0


class RememberedVocabulary:
    """The vocabulary as last read. Once there is one nobody waits: it is looked for a newer one behind their backs."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.forget()

    def forget(self) -> None:
        """Read it anew next time."""
        self._held: Vocabulary | None = None
        self._tokens: dict[str, str] | None = None
        self._looked_at = float("-inf")
        self._looking: asyncio.Task[Vocabulary] | None = None

    def get(self) -> Vocabulary:
        """For the admin, Celery and commands: may read."""
        if self._is_fresh():
            return self._held or NO_WORDS
        with self._lock:
            if not self._is_fresh():
                self._looked_at = time.monotonic()
                try:
                    found = run(editions())
                    if self._differs(found):
                        self._hold(found, _made(run(stored_words())))
                except PyMongoError as error:
                    log.warning("vocabulary_not_read", error=type(error).__name__)
            return self._held or NO_WORDS

    async def get_async(self) -> Vocabulary:
        """For GraphQL: waits only in a process that has none yet; without MongoDB there are no words."""
        looking = self._looking
        if looking is None or looking.done() or looking.get_loop() is not asyncio.get_running_loop():
            if self._is_fresh():
                return self._held or NO_WORDS
            looking = self._looking = asyncio.create_task(self._look())
        # A field that is cancelled must not take the words away from the others.
        return self._held if self._held is not None else await asyncio.shield(looking)

    async def _look(self) -> Vocabulary:
        self._looked_at = time.monotonic()
        try:
            found = await run_async(editions())
            if self._differs(found):
                # Some ten milliseconds for a large shop: not on the event loop.
                self._hold(found, await asyncio.to_thread(_made, await run_async(stored_words())))
        except (MongoUnavailable, PyMongoError) as error:
            log.warning("vocabulary_not_read", error=type(error).__name__)
        return self._held or NO_WORDS

    def _is_fresh(self) -> bool:
        return time.monotonic() - self._looked_at < LOOK_SECONDS

    def _differs(self, found: Editions) -> bool:
        return self._tokens != _tokens(found)

    def _hold(self, found: Editions, vocabulary: Vocabulary) -> None:
        self._held, self._tokens = vocabulary, _tokens(found)


def _tokens(found: Editions) -> dict[str, str]:
    return {which: edition.token for which, edition in found.items()}


def _made(documents: Sequence[VocabularyDocument]) -> Vocabulary:
    frequencies: dict[str, int] = {}
    for document in documents:
        for word, times in unpacked(document["words"]).items():
            frequencies[word] = max(times, frequencies.get(word, 0))
    return Vocabulary(frequencies)


REMEMBERED = RememberedVocabulary()


async def current() -> Vocabulary:
    """The vocabulary for a request of GraphQL."""
    return await REMEMBERED.get_async()


def current_blocking() -> Vocabulary:
    """The vocabulary for code that runs in a thread of its own."""
    return REMEMBERED.get()
