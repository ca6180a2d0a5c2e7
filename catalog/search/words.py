"""Words of a text as the search knows them: lower case, split where letters meet digits, reduced to their stems.

The same functions read what is stored and what is asked, so that both always agree.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from threading import local
from typing import Any

import Stemmer

# Letters of one alphabet, or digits: «iPhone15» and «iPhone 15», «256GB» and «256 ГБ» are the same words.
_WORD = re.compile(r"[a-z]+|[а-я]+|[0-9]+")
# Longer runs of letters are no words; the bound keeps a term an ordinary index key.
MAX_WORD = 40
# A word of the name is stored twice: as itself, and under this mark, by which the search ranks the name first.
IN_NAME = "n:"

# They stand in nearly every description, so that they find nothing and would only lengthen the index.
STOP_WORDS = frozenset(
    """
    а без бы был в во для до его ее если же за и из или их к как ко ли на над не но о об от по под при с со так также то
    у что это a an and are as at be by for from in is it of on or that the this to with
    """.split()  # noqa: SIM905 - sixty words in quotes would be unreadable
)

_stemmers = local()


def folded(text: str) -> str:
    """The text without case and without ё, which people and price lists write as they please."""
    return text.casefold().replace("ё", "е")


def words_in(text: str) -> Iterator[str]:
    """The words of a text, folded, in order, with repetitions, without stop words."""
    for found in _WORD.finditer(folded(text)):
        word = found[0][:MAX_WORD]
        if word not in STOP_WORDS:
            yield word


# A catalog has few distinct words: a load of a million products stems each of them once.
@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """The stem of a folded word in one alphabet; a number is its own stem."""
    if word.isascii():
        return word if word.isdigit() else str(_stemmer("english").stemWord(word))
    return str(_stemmer("russian").stemWord(word))


def _stemmer(language: str) -> Any:
    """This thread's stemmer of the language: one is not safe to share."""
    if not hasattr(_stemmers, language):
        setattr(_stemmers, language, Stemmer.Stemmer(language))
    return getattr(_stemmers, language)
