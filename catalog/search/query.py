"""What a person typed, as words to look for: each with the spellings that it may stand for.

A word may be typed in the wrong keyboard layout (шзрщту, ghbdtn) or in the other alphabet (айфон, самсунг). All
spellings are tried at once, as alternatives; all words must be found.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from catalog.search.spellings import in_other_alphabet, in_other_layout
from catalog.search.words import IN_NAME, folded, stem, words_in

# Enough for any honest query; each word more costs the database a check of every candidate.
MAX_WORDS = 8
MAX_QUERY = 200

_PRODUCT_ID = re.compile(r"[a-z]+[-_]([0-9]+)")


class Word(NamedTuple):
    """One word asked for: a product that has any of these terms has the word."""

    terms: tuple[str, ...]

    @property
    def in_name(self) -> tuple[str, ...]:
        return tuple(IN_NAME + term for term in self.terms)


def words_asked(query: str) -> tuple[Word, ...]:
    """The words of a query in the order typed, without repetitions; empty when it holds no words at all."""
    chunks = folded(query[:MAX_QUERY]).split()
    words = dict.fromkeys(word for chunk in chunks for word in _words_of(chunk))
    return tuple(words)[:MAX_WORDS]


def _words_of(chunk: str) -> Iterator[Word]:
    if product_id := _PRODUCT_ID.fullmatch(chunk):
        yield Word((chunk, product_id[1]))
        return
    typed = list(words_in(chunk))
    swapped = list(words_in(in_other_layout(chunk)))
    # «yjen,er» is ноутбук: some Russian letters are punctuation in the other layout, and the word falls apart.
    meant = swapped[0] if len(swapped) == 1 and swapped[0].isalpha() else None
    for word in typed:
        yield Word(tuple(dict.fromkeys(_terms(word, meant if word.isalpha() else None))))


def _terms(word: str, meant: str | None) -> Iterator[str]:
    for spelling in (word, meant):
        if spelling:
            yield stem(spelling)
            for other in in_other_alphabet(spelling):
                yield stem(other)
