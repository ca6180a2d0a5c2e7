"""The words that stand in the shop, with how many products have each, and which of them a mistyped word may be."""

from bisect import bisect_left
from collections.abc import Iterable, Mapping
from functools import lru_cache
from heapq import nsmallest
from operator import itemgetter

from rapidfuzz import process
from rapidfuzz.distance import OSA

# Shorter words have too many neighbours: of three letters any may be any.
CORRECTED_FROM = 4
# From here on two slips still leave one word that is meant.
TWICE_FROM = 8
# More alternatives for one word only make the query dearer: the best stand first.
MAX_CORRECTIONS = 8
# Of one beginning; whoever has not found their word among so many types another letter.
MAX_COMPLETIONS = 20
# A mistyped beginning of more letters is nearly the word, which is corrected as a whole.
LONGEST_BEGINNING = 12
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
        self._sorted = sorted(frequencies)
        self.corrections = lru_cache(maxsize=REMEMBERED)(self._corrections)
        """See `_corrections`."""
        self.completions = lru_cache(maxsize=REMEMBERED)(self._completions)
        """See `_completions`."""
        self._beginnings = lru_cache(maxsize=2 * LONGEST_BEGINNING)(self._beginnings_of_length)

    def __len__(self) -> int:
        return len(self._frequencies)

    def __contains__(self, word: str) -> bool:
        return word in self._frequencies

    def words(self) -> Iterable[str]:
        return self._frequencies

    def frequency(self, word: str) -> int:
        """How many products for sale have this folded word; 0 for one that the shop does not know."""
        return self._frequencies.get(word, 0)

    def _completions(self, beginning: str) -> tuple[str, ...]:
        """Known words that begin so, the most frequent first, the word itself among them."""
        begin = bisect_left(self._sorted, beginning)
        end = bisect_left(self._sorted, beginning + chr(0x10FFFF), begin)
        # A number is completed by what is typed of it alone: of hundreds that begin with 1 none is meant.
        found = (word for word in self._sorted[begin:end] if not word.isdigit() or word == beginning)
        return tuple(nsmallest(MAX_COMPLETIONS, found, key=lambda word: (-self._frequencies[word], word)))

    def mended_completions(self, beginning: str) -> tuple[str, ...]:
        """Words whose beginning this may be a slip of, one letter off, the most frequent first."""
        if not CORRECTED_FROM <= len(beginning) <= LONGEST_BEGINNING or not beginning.isalpha():
            return ()
        among = self._beginnings(beginning.isascii(), len(beginning))
        near = process.extract(beginning, among, scorer=OSA.distance, score_cutoff=1, limit=None)
        found = {word for each, _, _ in near for word in self.completions(each)}
        return tuple(sorted(found, key=lambda word: (-self._frequencies[word], word))[:MAX_COMPLETIONS])

    def _beginnings_of_length(self, ascii_: bool, length: int) -> list[str]:
        return list({word[:length] for word in self._sorted if word.isalpha() and word.isascii() == ascii_})

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
