"""Rows of a sheet, whatever file they come from."""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum
from typing import NamedTuple

from catalog.exchange.errors import NoFile, TooManyColumns, TooManyRows

# Of the shop's own columns there are a few dozen, of attributes a few hundred.
MAX_COLUMNS = 2_000


Cell = str | int | Decimal | None
"""What is written into a cell: a text, a whole number, an amount, or nothing."""


class Format(Enum):
    CSV = "csv"
    XLSX = "xlsx"


class Row(NamedTuple):
    number: int
    """As a spreadsheet counts them: the header is usually 1."""
    cells: list[str]
    """Without empty ones at the end."""


@dataclass(frozen=True, slots=True)
class Sheet:
    format: Format
    header: tuple[str, ...]
    rows: Iterator[Row]
    """What stands below the header; rows without anything in them are left out."""
    encoding: str = ""
    separator: str = ""


def with_header(rows: Iterator[Row], *, max_rows: int) -> tuple[tuple[str, ...], Iterator[Row]]:
    """The first row that has anything in it, and those below it, checked for the limits. Raises FileRefused."""
    filled = _filled(rows)
    header = next(filled, None)
    if header is None:
        raise NoFile
    return tuple(header.cells), _bounded(filled, max_rows)


def _filled(rows: Iterator[Row]) -> Iterator[Row]:
    for number, cells in rows:
        while cells and not cells[-1].strip():
            cells.pop()
        if len(cells) > MAX_COLUMNS:
            raise TooManyColumns(row=number, limit=MAX_COLUMNS)
        if cells:
            yield Row(number, cells)


def _bounded(rows: Iterator[Row], limit: int) -> Iterator[Row]:
    for count, row in enumerate(rows, start=1):
        if count > limit:
            raise TooManyRows(limit=limit)
        yield row
