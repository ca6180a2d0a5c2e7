"""What somebody may be about to type: queries that begin so, from the words that this process holds."""

from collections.abc import Callable, Iterator

from catalog.search.query import MAX_QUERY, MAX_WORDS
from catalog.search.spellings import in_other_alphabet, in_other_layout
from catalog.search.synonyms import key_of
from catalog.search.vocabulary.vocabulary import Vocabulary
from catalog.search.words import folded, words_in

# Of fewer keys in the wrong layout anything may be meant.
LAYOUT_FROM = 3

_Complete = Callable[[str], tuple[str, ...]]


def completed(typed: str, vocabulary: Vocabulary) -> tuple[str, ...]:
    """Queries that begin as typed, the most frequent last word first; declined forms of one count as one.

    The layout, the alphabet and slips are looked at in turn, each only where nothing begins as the one before says. The
    last word is completed, the words before it are corrected; that a product has them all together is not promised.
    """
    for words, complete in _readings(typed[:MAX_QUERY], vocabulary):
        if found := complete(words[-1]):
            before = [_known(word, vocabulary) for word in words[:-1]]
            queries = [(*before, last) for last in found]
            # The most frequent form stands first, and stays.
            kept = {key_of(query): " ".join(query) for query in reversed(queries)}
            return tuple(reversed(kept.values()))
    return ()


def _readings(typed: str, vocabulary: Vocabulary) -> Iterator[tuple[list[str], _Complete]]:
    """The words that may be meant, and how the last of them is completed."""
    plain = list(words_in(typed))[:MAX_WORDS]
    swapped = list(words_in(in_other_layout(folded(typed))))[:MAX_WORDS]
    readings = [plain] if plain else []
    if swapped and sum(map(len, swapped)) >= LAYOUT_FROM:
        readings.append(swapped)

    def in_the_other_alphabet(last: str) -> tuple[str, ...]:
        found = (vocabulary.completions(spelling) for spelling in in_other_alphabet(last) if spelling)
        return next(filter(None, found), ())

    for complete in (vocabulary.completions, in_the_other_alphabet, vocabulary.mended_completions):
        for words in readings:
            yield words, complete


def _known(word: str, vocabulary: Vocabulary) -> str:
    """The word, or what it is a slip of."""
    if word in vocabulary:
        return word
    return next(iter(vocabulary.corrections(word)), word)
