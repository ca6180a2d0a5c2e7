"""The lexicon as this process has it, as fresh as its parts: the vocabulary, the synonyms, the names of categories."""

import asyncio

from catalog.search import alternatives
from catalog.search.lexicon import NOTHING, PLAIN, Branches, Lexicon, Words
from catalog.search.vocabulary import memory


class _Held:
    """What was made last, and of what. Two who make the same at once do no harm."""

    def __init__(self) -> None:
        self.words = NOTHING
        self.lexicon = PLAIN
        self.made_of: tuple[object, ...] = ()


_held = _Held()


async def current_lexicon(branches: Branches) -> Lexicon:
    """The lexicon for a request of GraphQL; `branches` are those that buyers are shown, of one edition one object."""
    vocabulary, synonyms = await memory.current(), await alternatives.current()
    if _held.words.vocabulary is not vocabulary:
        _held.words = await asyncio.to_thread(Words, vocabulary)
    parts = (_held.words, synonyms, branches)
    if len(_held.made_of) != len(parts) or any(
        held is not part for held, part in zip(_held.made_of, parts, strict=True)
    ):
        _held.lexicon = Lexicon(_held.words, synonyms.alternatives, branches)
        _held.made_of = parts
    return _held.lexicon
