"""What a query may mean, the likeliest first: as typed, corrected, then with the least telling words left out.

Whoever searches takes the first reading that finds something. A query in quotes is meant as typed, and has one reading.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from catalog.search.lexicon import Lexicon
from catalog.search.query import Word, is_known, words_asked
from catalog.search.spellings import in_other_layout
from catalog.search.words import folded

# Each is one more look for whether there is anything. Enough to leave out any one word of eight, or all but one.
MAX_SHORTER = 8

# Unknown words tell nothing; then a number goes, then how a thing is, then its name, and last what kind of thing it is.
_ADJECTIVE = re.compile("(?:ый|ий|ой|ая|яя|ое|ее|ые|ие|ую|юю|ого|его|ых|их)$")
_QUOTES = {'"': '"', "«": "»", "“": "”", "„": "“"}


@dataclass(frozen=True, slots=True)
class Reading:
    words: tuple[Word, ...]
    searched_for: str | None = None
    """The query as corrected; None: as typed."""
    left_out: tuple[str, ...] = ()
    """Words of it that are not looked for."""


def readings(query: str, lexicon: Lexicon) -> Iterator[Reading]:
    """All that the query may mean. One after the other, since a correction takes some milliseconds."""
    text = query.strip()
    if len(text) > 2 and _QUOTES.get(text[0]) == text[-1]:
        yield Reading(words_asked(text[1:-1], lexicon))
        return
    words, searched_for = words_asked(text, lexicon), None
    yield Reading(words)
    if (corrected := _corrected(text, words, lexicon)) is not None:
        words, searched_for = words_asked(corrected, lexicon), corrected
        yield Reading(words, searched_for)
    for left_out in _left_out(words)[:MAX_SHORTER]:
        rest = tuple(word for word in words if word not in left_out)
        yield Reading(rest, searched_for, tuple(word.typed for word in words if word in left_out))


def _corrected(text: str, words: Sequence[Word], lexicon: Lexicon) -> str | None:
    """The text with words that the shop does not know as the known ones that they may be; None: there are none."""
    corrected = text
    for word in words:
        if not word.typed.isalpha() or is_known(word.typed, lexicon):
            continue
        meant = next(_corrections(word.typed, lexicon), None)
        if meant is not None:
            corrected = _replaced(corrected, word.typed, meant)
    return corrected if corrected != text else None


def _corrections(word: str, lexicon: Lexicon) -> Iterator[str]:
    swapped = folded(in_other_layout(word))
    return chain(lexicon.words.corrections(word), lexicon.words.corrections(swapped) if swapped.isalpha() else iter(()))


def _replaced(text: str, word: str, by: str) -> str:
    """The text with this folded word replaced; it may be glued to a number."""
    letters = "a-z" if word.isascii() else "а-яё"
    pattern = re.escape(word).replace("е", "[её]")
    return re.sub(f"(?<![{letters}]){pattern}(?![{letters}])", by, text, flags=re.IGNORECASE)


def _left_out(words: Sequence[Word]) -> list[tuple[Word, ...]]:
    """Which words to leave out, the least telling first: each alone, then ever more of them; never all."""
    by_telling = sorted(words, key=_telling)
    alone = [(word,) for word in by_telling] if len(words) > 1 else []
    # As many single words as leave room for all the longer ones.
    together = [tuple(by_telling[:number]) for number in range(2, len(words))]
    return [*alone[: MAX_SHORTER - len(together)], *together]


def _telling(word: Word) -> tuple[int, int]:
    """How much the word tells; of equally telling ones that tells less which more products have."""
    if not word.frequency:
        kind = 0
    elif word.kinds:
        kind = 4
    elif any(letter.isdigit() for letter in word.typed):
        kind = 1
    else:
        kind = 2 if _ADJECTIVE.search(word.typed) else 3
    return kind, -word.frequency
