"""What an attribute's value says as a number: «6,1», «256 ГБ», «1 ТБ». Values stay text; numbers are for comparing."""

import re
from collections import Counter
from collections.abc import Iterable
from decimal import Decimal
from typing import NamedTuple

from catalog.search.words import stem

_QUANTITY = re.compile(r"(?P<amount>[+-]?\d{1,12}(?:[.,]\d{1,6})?)\s*(?P<unit>[^\s\d].{0,30})?")
# Units of which one is so many of the other, in the language in which a shop's catalog writes them.
_MULTIPLES = {
    "тб": ("гб", 1024),
    "кг": ("г", 1000),
    "квт": ("вт", 1000),
    "гбит/с": ("мбит/с", 1000),
    "л": ("мл", 1000),
    "м": ("см", 100),
}


class Quantity(NamedTuple):
    amount: Decimal
    unit: str
    """As it was written; empty when there is none."""


def quantity_of(text: str) -> Quantity | None:
    """The number that the text begins with, and its unit; None for anything else."""
    found = _QUANTITY.fullmatch(text.strip())
    if found is None:
        return None
    return Quantity(Decimal(found["amount"].replace(",", ".")), (found["unit"] or "").strip())


def amount_in(text: str, unit: str) -> Decimal | None:
    """The number in the text, in this unit; a bare one counts as being in it. None: no number, or another unit."""
    found = quantity_of(text)
    if found is None:
        return None
    written, wanted = _same(found.unit), _same(unit)
    if written in ("", wanted):
        return found.amount
    if written in _MULTIPLES and _same(_MULTIPLES[written][0]) == wanted:
        return found.amount * _MULTIPLES[written][1]
    if wanted in _MULTIPLES and _same(_MULTIPLES[wanted][0]) == written:
        return found.amount / _MULTIPLES[wanted][1]
    return None


def common_unit(texts: Iterable[str]) -> str | None:
    """The unit in which every one of the texts is a number, empty for bare numbers; None when there is no such unit."""
    texts = list(texts)
    unit = usual_unit(texts)
    return unit if texts and all(amount_in(text, unit) is not None for text in texts) else None


def usual_unit(texts: Iterable[str]) -> str:
    """The unit that most of the texts have; empty when none has one."""
    units = Counter(found.unit for text in texts if (found := quantity_of(text)) and found.unit)
    return units.most_common(1)[0][0] if units else ""


def _same(unit: str) -> str:
    """Equal for «дюйм», «дюйма» and «дюймов»."""
    folded = unit.casefold().rstrip(".")
    return stem(folded) if folded.isalpha() and len(folded) > 2 else folded
