"""Slips of the finger, of every class, in words of the catalog: made by rule, so that nothing can be tuned to them."""

from collections.abc import Callable, Iterable, Sequence
from random import Random

_ROWS = ("qwertyuiop", "asdfghjkl", "zxcvbnm", "йцукенгшщзхъ", "фывапролджэ", "ячсмитьбю")
_NEIGHBOURS = {
    letter: row[max(0, place - 1) : place] + row[place + 1 : place + 2]
    for row in _ROWS
    for place, letter in enumerate(row)
}
# Of a shorter one three letters are left when one is dropped, and any three may be any others.
SHORTEST = 5


def _dropped(word: str, place: int, _: Random) -> str:
    return word[:place] + word[place + 1 :]


def _doubled(word: str, place: int, _: Random) -> str:
    return word[:place] + word[place] + word[place:]


def _swapped(word: str, place: int, _: Random) -> str:
    place = min(place, len(word) - 2)
    return word[:place] + word[place + 1] + word[place] + word[place + 2 :]


def _neighbour(word: str, place: int, chance: Random) -> str:
    return word[:place] + chance.choice(_NEIGHBOURS[word[place]]) + word[place + 1 :]


SLIPS: dict[str, Callable[[str, int, Random], str]] = {
    "a letter dropped": _dropped,
    "a letter doubled": _doubled,
    "two letters swapped": _swapped,
    "a neighbouring key": _neighbour,
}


def slips(slip: str, words: Iterable[str], number: int) -> Sequence[tuple[str, str]]:
    """So many of the words, each with how it was mistyped; the same ones every time."""
    chance = Random(slip)  # noqa: S311 - typing errors, not secrets
    known = set(words)
    whole = sorted(word for word in known if len(word) >= SHORTEST and word.isalpha())
    made = (
        (word, SLIPS[slip](word, chance.randrange(1, len(word)), chance)) for word in chance.sample(whole, len(whole))
    )
    # What is another word of the shop, or the same one (two equal letters swapped), is no slip that anybody could see.
    return [(word, mistyped) for word, mistyped in made if mistyped not in known][:number]
