"""What a process knows to read a query by: the words of the shop, what they are called instead, names of categories."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property

from catalog.search.sounds import sound
from catalog.search.vocabulary.vocabulary import NO_WORDS, Vocabulary
from catalog.search.words import stem, words_in

Alternatives = Callable[[Sequence[str]], Sequence[Sequence[str]]]
"""Other words, or phrases of words, for the given one; all folded and whole."""
Branches = Mapping[str, Sequence[str]]
"""By slug of a category, its name and before it those of the categories above."""

# Two letters sound like nearly anything.
SOUNDED_FROM = 3
# A slip in a sound is more than a slip in a letter.
CORRECTED_BY_EAR_FROM = 5
# A word of a root category names all that is below it; beyond this it tells nothing.
MAX_BELOW = 24


class Words:
    """A vocabulary by stem and by sound. Made once for an edition; about a second for two hundred thousand words."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary
        by_stem: dict[str, str] = {}
        by_sound: dict[str, list[str]] = {}
        for word in vocabulary.words():
            known = by_stem.setdefault(stem(word), word)
            if vocabulary.frequency(word) > vocabulary.frequency(known):
                by_stem[stem(word)] = word
            if word.isalpha() and len(word) >= SOUNDED_FROM:
                by_sound.setdefault(sound(word), []).append(word)
        # Of all forms of a word the most frequent one, and of all words of a sound.
        self._by_stem, self._by_sound = by_stem, by_sound
        self._stems = Vocabulary({root: vocabulary.frequency(word) for root, word in by_stem.items()})
        self._sounds = Vocabulary({heard: max(map(vocabulary.frequency, words)) for heard, words in by_sound.items()})

    def __bool__(self) -> bool:
        return bool(len(self.vocabulary))

    def frequency(self, word: str) -> int:
        """How many products have the word in one of its forms, about."""
        return max(self.vocabulary.frequency(word), self._stems.frequency(stem(word)))

    def sounding_like(self, word: str) -> list[str]:
        """Words of the other alphabet that sound the same."""
        if len(word) < SOUNDED_FROM or not word.isalpha():
            return []
        return [each for each in self._by_sound.get(sound(word), ()) if each.isascii() != word.isascii()]

    def corrections(self, word: str) -> Iterator[str]:
        """What a mistyped word may be, best first: a word, a form of one (наушнков), a name by ear (самсуг)."""
        yield from self.vocabulary.corrections(word)
        yield from (self._by_stem[root] for root in self._stems.corrections(stem(word)))
        if len(heard := sound(word)) >= CORRECTED_BY_EAR_FROM:
            yield from (each for near in self._sounds.corrections(heard) for each in self._by_sound[near])


NOTHING = Words(NO_WORDS)


class Lexicon:
    def __init__(
        self, words: Words = NOTHING, alternatives: Alternatives = lambda _: (), branches: Branches | None = None
    ) -> None:
        self.words = words
        self.alternatives = alternatives
        self._branches = branches or {}

    @cached_property
    def kinds(self) -> dict[str, list[str]]:
        """Slugs of the categories by the stems of their names."""
        return self._by_stem({slug: names[-1:] for slug, names in self._branches.items()})

    @cached_property
    def below(self) -> dict[str, list[str]]:
        """Slugs of the categories by the stems of names above them."""
        found = self._by_stem({slug: names[:-1] for slug, names in self._branches.items()})
        return {root: slugs for root, slugs in found.items() if len(slugs) <= MAX_BELOW}

    def called(self, roots: Sequence[str]) -> list[str]:
        """Slugs of the categories in whose name all these stems stand."""
        first, *others = (self.kinds.get(root, []) for root in roots)
        return [slug for slug in first if all(slug in slugs for slugs in others)]

    def _by_stem(self, names: Branches) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for slug, texts in names.items():
            for root in {stem(word) for text in texts for word in words_in(text)}:
                found.setdefault(root, []).append(slug)
        return found

    def is_known(self, word: str) -> bool:
        return self.frequency(word) > 0 or stem(word) in self.kinds

    def frequency(self, word: str) -> int:
        return self.words.frequency(word)


PLAIN = Lexicon()
"""Of a process that has read nothing yet: words stand for themselves and for what rules make of them."""
