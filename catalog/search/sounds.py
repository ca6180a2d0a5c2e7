"""How a word sounds, roughly, in whichever alphabet: самсунг and samsung, хуавей and huawei are one sound.

Rules of spelling, not of any language: two words of one sound are likely the same name. Names that no rule gives
(айфон) stand in catalog/search/spellings.py and among the synonyms.
"""

import re
from functools import lru_cache

_RUSSIAN = dict(
    zip(
        "абвгдезийклмнопрстуфхъыьэжчшщц",
        "a b v g d e z i i k l m n o p r s t u f h _ i _ e j ch sh sh ts".split(),  # noqa: SIM905 - as a table
        strict=True,
    )
)
# In order: what an earlier rule has made, a later one may take further.
_RULES = tuple(
    (re.compile(pattern), sound)
    for pattern, sound in (
        ("_", ""),
        ("shch|sch", "sh"),
        ("dj|zh", "j"),
        ("ck", "k"),
        ("ph", "f"),
        ("th", "t"),
        ("gh", "g"),
        ("kh", "h"),
        ("tch|ch", "x"),  # a letter that is free by now
        ("ee", "i"),
        ("oo|ou", "u"),
        ("w", "v"),
        ("y", "i"),
        ("q", "k"),
        ("c(?=[ei])", "s"),
        ("c", "k"),
        ("(?<=[a-z]{2})e$", ""),
        (r"(.)\1", r"\1"),
    )
)


# As many as a large shop has words.
@lru_cache(maxsize=50_000)
def sound(word: str) -> str:
    """The sound of a folded word of letters."""
    if word.isascii():
        heard = word.replace("x", "ks")
    else:
        heard = re.sub("^я", "ia", re.sub("^ю", "iu", word)).replace("дж", "j").replace("я", "a").replace("ю", "u")
        heard = "".join(_RUSSIAN.get(letter, letter) for letter in heard)
    for pattern, written in _RULES:
        heard = pattern.sub(written, heard)
    return heard
