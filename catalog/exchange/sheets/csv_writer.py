"""Rows written as CSV in the way that Excel opens with a double click."""

import csv
import io
from collections.abc import Iterable, Sequence
from decimal import Decimal

from catalog.exchange.sheets.rows import Cell
from gateway.domain.texts import Language

# What Russian Excel takes for the separator.
SEPARATOR = ";"
UTF_8 = "utf-8"
# What programs of this country that know nothing of UTF-8 take.
CP1251 = "cp1251"
# Excel knows UTF-8 by this.
MARK = "\ufeff"


def csv_begin(encoding: str) -> bytes:
    """What the file begins with, before any row."""
    return MARK.encode() if encoding == UTF_8 else b""


def csv_part(rows: Iterable[Sequence[Cell]], language: Language, encoding: str = UTF_8) -> bytes:
    """The rows as a part of a file. What the encoding lacks must not stand in them."""
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=SEPARATOR).writerows([_text(cell, language) for cell in row] for row in rows)
    return text.getvalue().encode(encoding)


def _text(cell: Cell, language: Language) -> str:
    if isinstance(cell, Decimal):
        return f"{cell:.2f}" if language == "en" else f"{cell:.2f}".replace(".", ",")
    return "" if cell is None else str(cell)
