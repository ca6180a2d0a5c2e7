"""Rows written as CSV in the way that Excel opens with a double click."""

import csv
import io
from collections.abc import Iterable, Sequence
from decimal import Decimal

from catalog.exchange.sheets.rows import Cell
from gateway.domain.texts import Language

# What Russian Excel takes for the separator.
SEPARATOR = ";"
# It knows UTF-8 by this.
MARK = "\ufeff"


def csv_part(rows: Iterable[Sequence[Cell]], language: Language) -> bytes:
    """The rows as a part of a file, which begins with `MARK`."""
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=SEPARATOR).writerows([_text(cell, language) for cell in row] for row in rows)
    return text.getvalue().encode()


def _text(cell: Cell, language: Language) -> str:
    if isinstance(cell, Decimal):
        return f"{cell:.2f}" if language == "en" else f"{cell:.2f}".replace(".", ",")
    return "" if cell is None else str(cell)
