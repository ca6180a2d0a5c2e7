"""What else a word may be called: the groups of synonyms as this process holds them, for whoever reads a query."""

from collections.abc import Callable, Sequence

from catalog.documents import SynonymGroupDocument
from catalog.search.memory import Remembered
from catalog.search.synonyms import all_groups, key_of
from catalog.search.words import words_in
from gateway.mongo.reads import Steps

Phrase = tuple[str, ...]
"""Folded whole words, as `words_in` gives them: one, or a few that have a meaning together."""


class Synonyms:
    """The groups that there are. Never changes: an edited one is in another one of these.

    Five hundred groups of a dozen words are about two megabytes; a shop has some dozens.
    """

    def __init__(self, groups: Sequence[SynonymGroupDocument]) -> None:
        self._alternatives: dict[str, tuple[Phrase, ...]] = {}
        for group in groups:
            phrases = {key_of(words): words for words in (tuple(words_in(each)) for each in group["words"])}
            for key in phrases:
                self._alternatives[key] = tuple(words for other, words in phrases.items() if other != key)

    def __len__(self) -> int:
        """How many words and phrases have alternatives."""
        return len(self._alternatives)

    def alternatives(self, phrase: Sequence[str]) -> tuple[Phrase, ...]:
        """What these folded words may be called instead, in the order of their group; without themselves.

        Declined words are the same: they are compared by their stems. A phrase of LONGEST words is the longest that can
        have any; whoever reads a query asks for the longer ones first.
        """
        return self._alternatives.get(key_of(phrase), ())


def _look(_: Synonyms) -> Steps[Callable[[], Synonyms]]:
    groups: Sequence[SynonymGroupDocument] = yield all_groups()
    return lambda: Synonyms(groups)


NO_SYNONYMS = Synonyms(())
"""Of a process that has not been able to read any: every word stands for itself."""

REMEMBERED = Remembered("synonyms", _look, NO_SYNONYMS)


async def current() -> Synonyms:
    """The synonyms for a request of GraphQL."""
    return await REMEMBERED.get_async()


def current_blocking() -> Synonyms:
    """The synonyms for code that runs in a thread of its own."""
    return REMEMBERED.get()
