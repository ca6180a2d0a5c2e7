"""What a person typed, as words to look for: each with all that it may stand for.

A word stands for itself, for its other alphabet (самсунг), for what sounds the same, for its synonyms, and, when the
shop knows nothing of the kind, for what the same keys type in the other layout (шзрщту). All alternatives are tried at
once; all words must be found. When nothing has them all, see catalog/search/readings.py.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from catalog.search.lexicon import PLAIN, Lexicon
from catalog.search.spellings import in_one_alphabet, in_other_alphabet, in_other_layout
from catalog.search.words import IN_NAME, OF_KIND, folded, stem, together, words_in

# Enough for any honest query; each word more costs the database a check of every candidate.
MAX_WORDS = 8
MAX_QUERY = 200
# Each alternative is one more walk to merge, and a page has at most two ranges of each.
MAX_TERMS = 24
MAX_PHRASES = 4
# «умные часы», «пульт от телевизора»: as long as a synonym may be.
LONGEST_PHRASE = 3
# «powerbank» is two words; shorter parts are found in any slip of the finger.
MIN_PART = 3
# What is left of «ssd» in the other layout stands for half the shop.
MIN_SWAPPED = 3

_PRODUCT_ID = re.compile(r"[a-z]+[-_]([0-9]+)")

Phrase = tuple[str, ...]


class Word(NamedTuple):
    """One word asked for: a product that has any of these terms, or all of a phrase, has the word."""

    terms: tuple[str, ...]
    phrases: tuple[Phrase, ...] = ()
    kinds: tuple[str, ...] = ()
    """Of the terms, those of categories that are called so."""
    typed: str = ""
    frequency: int = 0
    """How many products have it, about; 0: unknown."""
    glued: tuple[str, ...] = ()
    """Terms of the word together with the one before it, where letters meet a number: `a16`, `14c`."""

    @property
    def in_name(self) -> "Word":
        """The word as what a product is, not as what is told of it.

        A kind of thing is its category, and a name only as it was typed: «монитор» is not the headphones Monitor.
        """
        plain = [IN_NAME + term for term in self.terms if not term.startswith(OF_KIND)]
        phrases = [tuple(IN_NAME + term for term in phrase) for phrase in self.phrases]
        if self.kinds:
            return self._replace(terms=(*self.kinds, *plain[:1]), phrases=())
        return self._replace(terms=tuple(plain), phrases=tuple(phrases))

    @property
    def entries(self) -> tuple[str, ...]:
        """Terms of which every product that has the word has one."""
        return tuple(dict.fromkeys((*self.terms, *(max(phrase, key=len) for phrase in self.phrases))))

    def is_in(self, terms: Collection[str]) -> bool:
        return any(term in terms for term in self.terms) or any(
            all(term in terms for term in phrase) for phrase in self.phrases
        )


class _Token(NamedTuple):
    """A word as it stands in the query, and what the same keys give in the other layout, if it may be meant."""

    word: str
    swapped: str = ""
    apart: Phrase = ()
    """What the keys have typed, where that fell apart: some Russian letters are punctuation in the other layout."""
    product_id: str = ""


def words_asked(query: str, lexicon: Lexicon = PLAIN) -> tuple[Word, ...]:
    """The words of a query as typed, in order, without repetitions; empty when it holds no words at all."""
    tokens = [
        token for chunk in in_one_alphabet(folded(query[:MAX_QUERY])).split() for token in _tokens_of(chunk, lexicon)
    ]
    words = {word.terms: word for word in _glued(_words(tokens, lexicon))}
    return tuple(words.values())[:MAX_WORDS]


def _tokens_of(chunk: str, lexicon: Lexicon) -> Iterator[_Token]:
    typed = list(words_in(chunk))
    if product_id := _PRODUCT_ID.fullmatch(chunk):
        yield _Token(chunk.replace("_", "-"), apart=tuple(typed), product_id=product_id[1])
        return
    swapped = list(words_in(in_other_layout(chunk)))
    if not _may_be_meant(swapped, typed, lexicon):
        yield from map(_Token, typed)
    elif len(swapped) == len(typed):
        yield from map(_Token, typed, swapped)
    elif len(swapped) == 1:
        yield _Token(swapped[0], apart=tuple(typed))
    else:
        yield from map(_Token, swapped)


def _may_be_meant(swapped: Sequence[str], typed: Sequence[str], lexicon: Lexicon) -> bool:
    """Whether somebody has typed with the keyboard switched: what stands there is unknown, the other is not."""
    letters = [word for word in swapped if word.isalpha()]
    if not typed or not letters or any(len(stem(word)) < MIN_SWAPPED for word in letters):
        return False
    if not lexicon.words:
        # Nobody can tell what is known: both are tried.
        return len(swapped) == 1
    if not all(is_known(word, lexicon) for word in letters):
        return False
    # What falls apart but is one word in the other layout was meant as one, whatever its pieces may be: xt[jk.
    fell_apart = len(swapped) == 1 and len(typed) > 1
    return fell_apart or not any(is_known(word, lexicon) for word in typed if word.isalpha())


def is_known(word: str, lexicon: Lexicon) -> bool:
    """Whether the shop has this word, or something that it stands for."""
    return any(lexicon.is_known(each) for each in _names(word, lexicon)) or bool(lexicon.alternatives((word,)))


def _words(tokens: Sequence[_Token], lexicon: Lexicon) -> Iterator[Word]:
    place = 0
    while place < len(tokens):
        for length in range(LONGEST_PHRASE, 1, -1):
            run = tuple(token.word for token in tokens[place : place + length])
            if len(run) == length and (word := _phrase(run, lexicon)):
                yield word
                place += length
                break
        else:
            yield _word(tokens[place], lexicon)
            place += 1


def _glued(words: Iterable[Word]) -> Iterator[Word]:
    before: tuple[str, ...] = ()
    for word in words:
        pairs = (together(left, right) for left in before for right in word.terms)
        yield word._replace(glued=tuple(filter(None, pairs))[:MAX_TERMS])
        before = word.terms


def _phrase(run: Phrase, lexicon: Lexicon) -> Word | None:
    """The words of this run as one: they have synonyms together, or the shop writes them as one word."""
    others = [tuple(each) for each in lexicon.alternatives(run)]
    joined = "".join(run)
    if joined.isalpha() and len(run) == 2 and lexicon.frequency(joined):
        others.append((joined,))
    return _made(" ".join(run), [run, *others], lexicon) if others else None


def _word(token: _Token, lexicon: Lexicon) -> Word:
    if token.product_id:
        whole, parts = token.word, tuple(map(stem, token.apart))
        return Word((whole, token.product_id), (parts,), typed=whole)
    names = [(name,) for word in (token.word, token.swapped) if word for name in _names(word, lexicon)]
    others = [tuple(each) for name in names for each in lexicon.alternatives(name)]
    split = _split(token.word, lexicon) if not any(lexicon.is_known(name) for (name,) in names) and not others else ()
    return _made(token.word, [*names, *others, *([split] if split else []), *filter(None, [token.apart])], lexicon)


def _names(word: str, lexicon: Lexicon) -> Iterator[str]:
    yield word
    yield from in_other_alphabet(word)
    yield from lexicon.words.sounding_like(word)


def _split(word: str, lexicon: Lexicon) -> Phrase:
    """The two known words that this one is made of: samsunggalaxy."""
    if not word.isalpha() or not lexicon.words:
        return ()
    parts = [(word[:middle], word[middle:]) for middle in range(MIN_PART, len(word) - MIN_PART + 1)]
    known = [pair for pair in parts if all(map(lexicon.frequency, pair))]
    return max(known, key=lambda pair: min(map(lexicon.frequency, pair)), default=())


def _made(typed: str, meanings: Sequence[Phrase], lexicon: Lexicon) -> Word:
    """The word that any of these names and phrases stands for."""
    roots = dict.fromkeys(tuple(map(stem, meaning)) for meaning in meanings if meaning)
    single = [phrase[0] for phrase in roots if len(phrase) == 1]
    phrases = [phrase for phrase in roots if len(phrase) > 1]
    kinds = dict.fromkeys(OF_KIND + slug for root in roots for slug in lexicon.called(root))
    below = (OF_KIND + slug for root in single for slug in lexicon.below.get(root, ()))
    frequency = sum(max(map(lexicon.frequency, meaning)) for meaning in dict.fromkeys(meanings))
    return Word(
        tuple(dict.fromkeys((*single[:MAX_TERMS], *kinds, *below))),
        tuple(phrases[:MAX_PHRASES]),
        tuple(kinds),
        typed,
        frequency,
    )
