"""What stands in one cell, and what is meant by it: texts, amounts, numbers, «да» and «нет»."""

import re
from collections.abc import Iterable, Mapping
from enum import Enum
from typing import Any

from catalog.exchange.errors import BadFlag, BadNumber, SheetError
from gateway.domain.input import normal_key
from gateway.domain.money import NotAnAmount, amount_in

# What makes Excel, LibreOffice or Google Sheets compute a cell instead of showing it; the wide forms do in Asian ones.
FORMULA = "=+-@\t\r＝＋－＠"
GUARD = "'"
_GUARDED = (*FORMULA, GUARD)
EMPTY_MARK, EMPTY_MARK_EN = "[пусто]", "[empty]"
EMPTY_MARKS = {EMPTY_MARK, EMPTY_MARK_EN}

_YES = {"да", "д", "yes", "y", "true", "истина", "1", "+"}
_NO = {"нет", "н", "no", "n", "false", "ложь", "0", "-", "−", "–", "—"}
YES, NO = "да", "нет"
_GROUPED = {
    ",": re.compile(r"[0-9]{1,3}(?:,[0-9]{3})+\.[0-9]"),
    ".": re.compile(r"[0-9]{1,3}(?:\.[0-9]{3})+,[0-9]"),
}
_NUMBER = re.compile(r"([0-9]+)(?:[.,]0*)?")
_SHEET_ERRORS = {"#N/A", "#NAME?", "#DIV/0!", "#REF!", "#VALUE!", "#NUM!", "#NULL!", "#Н/Д", "#ИМЯ?", "#ДЕЛ/0!",
                 "#ССЫЛКА!", "#ЗНАЧ!", "#ЧИСЛО!", "#ПУСТО!"}  # fmt: skip


class Mark(Enum):
    """What a cell means besides a value."""

    KEPT = "kept"
    """Nothing stands there: the value stays as it is."""
    EMPTIED = "emptied"
    """The value is to be emptied."""


def guarded(text: str) -> str:
    """The text as a cell that nothing computes, from which `meant` gives exactly this text again."""
    is_odd = text.startswith(_GUARDED) or text.casefold() in EMPTY_MARKS
    return GUARD + text if is_odd else text


def harmless(cell: str) -> str:
    """A cell as somebody else wrote it, so that nothing computes it and it still means the same."""
    return GUARD + cell if cell.startswith(tuple(FORMULA)) else cell


def meant(cell: str) -> str | Mark:
    """What the cell means: a text without its guard, or a mark."""
    text = cell.strip()
    if not text:
        return Mark.KEPT
    if text.casefold() in EMPTY_MARKS:
        return Mark.EMPTIED
    if text[0] == GUARD and (text.startswith(_GUARDED, 1) or text[1:].casefold() in EMPTY_MARKS):
        return text[1:]
    return text


def text_value(text: str) -> str:
    _refuse_errors(text)
    # Spreadsheets have ends of lines of their own.
    return text.replace("\r\n", "\n").replace("\r", "\n")


def amount_value(text: str) -> str:
    """An amount as people and spreadsheets write it, in the form of catalog/changes/values.py.

    Thousands may be parted by the one of comma and point that is not before the kopecks. «25,990» alone is refused: who
    knows what it means.
    """
    _refuse_errors(text)
    figures = normal_key(text).replace(" ", "")
    for thousands, pattern in _GROUPED.items():
        if pattern.match(figures):
            figures = figures.replace(thousands, "")
    amount = amount_in(figures)
    if amount is None:
        raise NotAnAmount
    return f"{amount:.2f}"


def number_value(text: str) -> int:
    _refuse_errors(text)
    found = _NUMBER.fullmatch(normal_key(text).replace(" ", ""))
    # The store knows no whole number of more digits.
    if found is None or len(found[1]) > 18:
        raise BadNumber(cell=_short(text))
    return int(found[1])


def flag_value(text: str) -> bool:
    word = normal_key(text).casefold()
    if word in _YES:
        return True
    if word in _NO:
        return False
    raise BadFlag(cell=_short(text))


def images_value(text: str) -> list[dict[str, str]]:
    """Images, one in a line: address, space, description."""
    pairs = (line.strip().partition(" ") for line in text.splitlines() if line.strip())
    return [{"url": url, "alt": alt.strip()} for url, _, alt in pairs]


def image_lines(images: Iterable[Mapping[str, Any]]) -> str:
    """What `images_value` reads."""
    return "\n".join(f"{image['url']} {image.get('alt', '')}".strip() for image in images)


def _refuse_errors(text: str) -> None:
    if text in _SHEET_ERRORS:
        raise SheetError(cell=text)


def _short(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:59]}…"
