"""The vocabulary as this process holds it: read whole once, and again only when there is a newer edition."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from catalog.documents import VocabularyDocument
from catalog.search.memory import Remembered
from catalog.search.vocabulary.editions import Editions, editions, stored_words, unpacked
from catalog.search.vocabulary.vocabulary import NO_WORDS, Vocabulary
from gateway.mongo.reads import Steps


class _Held(NamedTuple):
    vocabulary: Vocabulary
    tokens: Mapping[str, str] | None
    """Of the editions that it was made of."""


def _look(held: _Held) -> Steps[Callable[[], _Held]]:
    found: Editions = yield editions()
    tokens = {which: edition.token for which, edition in found.items()}
    if tokens == held.tokens:
        return lambda: held
    documents: Sequence[VocabularyDocument] = yield stored_words()
    return lambda: _Held(_made(documents), tokens)


def _made(documents: Sequence[VocabularyDocument]) -> Vocabulary:
    frequencies: dict[str, int] = {}
    for document in documents:
        for word, times in unpacked(document["words"]).items():
            frequencies[word] = max(times, frequencies.get(word, 0))
    return Vocabulary(frequencies)


REMEMBERED = Remembered("vocabulary", _look, _Held(NO_WORDS, None))


async def current() -> Vocabulary:
    """The vocabulary for a request of GraphQL."""
    return (await REMEMBERED.get_async()).vocabulary


def current_blocking() -> Vocabulary:
    """The vocabulary for code that runs in a thread of its own."""
    return REMEMBERED.get().vocabulary
