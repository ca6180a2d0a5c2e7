"""Words of a text as the search knows them: lower case, split where letters meet digits, reduced to their stems.

The same functions read what is stored and what is asked, so that both always agree.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from threading import local
from typing import Any

import Stemmer

# Letters of one alphabet, or a number: «iPhone15» and «iPhone 15», «256GB» and «256 ГБ» are the same words.
_WORD = re.compile(r"[a-z]+|[а-я]+|[0-9]+(?:[.,][0-9]+)?")
# Units that are no letters: 55″, 5000 мА·ч.
_SIGNS = (("″", " дюймов "), ("”", " дюймов "), ("·", ""))
_INCHES = re.compile(r"(?<=[0-9])(?:\"|'')")
# «14 Pro» is a name beside a number.
MAX_GLUED = 2
# Longer runs of letters are no words; the bound keeps a term an ordinary index key.
MAX_WORD = 40
# What a product is: a word of its name is stored twice, as itself and under this mark, by which it is ranked first.
IN_NAME = "n:"
# The category of a product as a term, `c:smartphones`. Its names are looked up by whoever reads the query.
OF_KIND = "c:"

_CONSONANTS = "бвгджзйклмнпрстфхцчшщ"
_FLEETING = re.compile(f"(?<=[{_CONSONANTS}])[оеь](?=[{_CONSONANTS}]$)")
_FLEETING_AFTER_VOWEL = re.compile("(?<=е)е(?=к$)")  # батареек, батарейка
# Shorter stems would lose what tells them apart: кот, год, ток.
MIN_FLEETING = 4

# They stand in nearly every description, so that they find nothing and would only lengthen the index.
STOP_WORDS = frozenset(
    """
    а без бы был в во для до его ее если же за и из или их к как ко ли между на над не но о об около от перед по под при
    с со так также то у через что это a an and are as at be by for from in is it of on or that the this to with
    """.split()  # noqa: SIM905 - sixty words in quotes would be unreadable
)

_stemmers = local()


def folded(text: str) -> str:
    """The text without case and without ё, which people and price lists write as they please."""
    return text.casefold().replace("ё", "е")


def words_in(text: str) -> Iterator[str]:
    """The words of a text, folded, in order, with repetitions, without stop words."""
    text = _INCHES.sub(" дюймов ", folded(text))
    for sign, written in _SIGNS:
        text = text.replace(sign, written)
    for found in _WORD.finditer(text):
        word = found[0][:MAX_WORD].replace(",", ".")
        if word not in STOP_WORDS:
            yield word


# A catalog has few distinct words: a load of a million products stems each of them once.
@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """The stem of a folded word in one alphabet; a number is its own stem."""
    if word.isascii():
        return str(_stemmer("english").stemWord(word)) if word.isalpha() else word
    return _without_fleeting(undeclined(word))


def undeclined(russian: str) -> str:
    """The folded Russian word without its ending."""
    return str(_stemmer("russian").stemWord(russian))


def _without_fleeting(russian: str) -> str:
    """The stem without the vowel that comes and goes: чехол and чехлы, стёкол and стекло, кошелёк and кошельки.

    Snowball leaves it. It goes from every stem that could have one (телефн), as from every other form of the word.
    """
    if len(russian) < MIN_FLEETING:
        return russian
    return _FLEETING.sub("", _FLEETING_AFTER_VOWEL.sub("й", russian))


def _stemmer(language: str) -> Any:
    """This thread's stemmer of the language: one is not safe to share."""
    if not hasattr(_stemmers, language):
        setattr(_stemmers, language, Stemmer.Stemmer(language))
    return getattr(_stemmers, language)


def together(left: str, right: str) -> str:
    """The term of two stems side by side where letters meet a number, as in a model: `a16`, `iphon15`, `14c`, `256гб`.

    Empty for any others: what follows a number belongs to it only if it is short.
    """
    if right.isdigit():
        return left + right if left.isalpha() else ""
    return left + right if left.isdigit() and right.isalpha() and len(right) <= MAX_GLUED else ""
