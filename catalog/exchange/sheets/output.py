"""A file of rows that is written part by part, in either format."""

from collections.abc import Iterable, Sequence
from typing import Any

from catalog.exchange.sheets.csv_writer import MARK, csv_part
from catalog.exchange.sheets.rows import Cell, Format
from catalog.exchange.sheets.xlsx_writer import Progress, add_rows, begin_workbook, end_workbook
from gateway.domain.texts import Language, Text

CONTENT_TYPES = {
    Format.CSV: "text/csv; charset=utf-8",
    Format.XLSX: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}
TITLE = Text("Товары", "Products")

State = list[Any] | None
"""What the next part must know of those before it, as it can be stored."""


def begin(format_: Format, language: Language) -> tuple[bytes, State]:
    """The beginning of the file, before any row."""
    if format_ is Format.CSV:
        return MARK.encode(), None
    part, progress = begin_workbook(TITLE.in_language(language))
    return part, list(progress)


def add(format_: Format, language: Language, rows: Iterable[Sequence[Cell]], state: State) -> tuple[bytes, State]:
    """The next rows; the first of all are the header."""
    if format_ is Format.CSV:
        return csv_part(rows, language), None
    part, progress = add_rows(rows, _progress(state))
    return part, list(progress)


def end(format_: Format, state: State) -> bytes:
    return b"" if format_ is Format.CSV else end_workbook(_progress(state))


def whole_file(format_: Format, language: Language, rows: Iterable[Sequence[Cell]]) -> bytes:
    """A small file at once."""
    first, state = begin(format_, language)
    middle, state = add(format_, language, rows, state)
    return first + middle + end(format_, state)


def _progress(state: State) -> Progress:
    assert state is not None  # noqa: S101 - a workbook has been begun
    rows, written, sheet_at, size, packed, crc, members = state
    return Progress(rows, written, sheet_at, size, packed, crc, tuple(tuple(member) for member in members))
