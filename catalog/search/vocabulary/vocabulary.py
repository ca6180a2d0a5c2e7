"""The words that stand in the shop, with how many products have each, and which of them a mistyped word may be."""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from operator import itemgetter

from rapidfuzz import process
from rapidfuzz.distance import OSA

# Shorter words have too many neighbours: of three letters any may be any.
CORRECTED_FROM = 4
# From here on two slips still leave one word that is meant.
TWICE_FROM = 8
# More alternatives for one word only make the query dearer: the best stand first.
MAX_CORRECTIONS = 8
# Misspelt words that a process remembers the corrections of: crowds mistype the same ones.
REMEMBERED = 4096

_Bucket = tuple[bool, int]


class Vocabulary:
    """Folded whole words with their frequencies. Never changes: a newer edition is another one."""

    def __init__(self, frequencies: Mapping[str, int]) -> None:
        self._frequencies = frequencies
        # By alphabet and length: only those of about the same length can be near.
        self._buckets: dict[_Bucket, list[str]] = {}
        for word in frequencies:
            if not word.isdigit():
                self._buckets.setdefault((word.isascii(), len(word)), []).append(word)
        self.corrections = lru_cache(maxsize=REMEMBERED)(self._corrections)
        """See `_corrections`."""

    def __len__(self) -> int:
        return len(self._frequencies)

    def __contains__(self, word: str) -> bool:
        return word in self._frequencies

    def words(self) -> Iterable[str]:
        return self._frequencies

    def frequency(self, word: str) -> int:
        """How many products for sale have this folded word; 0 for one that the shop does not know."""
        return self._frequencies.get(word, 0)

    def _corrections(self, word: str) -> tuple[str, ...]:
        """Known words that this folded one may be a slip of, best first; without itself, never for a number.

        A slip is a letter too many, missing, wrong, or two exchanged: one from four letters on, two from eight. The
        nearer comes first, of equally near ones the more frequent.
        """
        if len(word) < CORRECTED_FROM or not word.isalpha():
            return ()
        slips = 1 if len(word) < TWICE_FROM else 2
        near: list[tuple[int, int, str]] = []
        for length in range(len(word) - slips, len(word) + slips + 1):
            among = self._buckets.get((word.isascii(), length), ())
            found = process.extract(word, among, scorer=OSA.distance, score_cutoff=slips, limit=None)
            near += [(round(slip), -self._frequencies[each], each) for each, slip, _ in found if each != word]
        return tuple(map(itemgetter(2), sorted(near)[:MAX_CORRECTIONS]))


NO_WORDS = Vocabulary({})
"""Of a process that has not been able to read any: it corrects nothing."""
