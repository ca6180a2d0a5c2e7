"""A file of rows that is written part by part, in either format."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from catalog.exchange.errors import WorkbookFull
from catalog.exchange.sheets.csv_writer import UTF_8, csv_begin, csv_part
from catalog.exchange.sheets.rows import Cell, Format
from catalog.exchange.sheets.xlsx_writer import (
    MAX_CELL,
    MAX_ROWS,
    MAX_SIZE,
    Progress,
    add_rows,
    begin_workbook,
    end_workbook,
)
from gateway.domain.texts import Language, Text

TITLE = Text("Товары", "Products")

State = list[Any] | None
"""What the next part must know of those before it, as it can be stored."""


class Target(NamedTuple):
    """What is written: in which format, with which words for «да» and «нет», and in which encoding."""

    format: Format
    language: Language
    encoding: str = UTF_8
    """Of CSV."""

    @property
    def content_type(self) -> str:
        if self.format is Format.CSV:
            return f"text/csv; charset={self.encoding}"
        return "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"

    def holds(self, cell: Cell) -> bool:
        """Whether the cell can stand in the file and be read from there as it is."""
        if not isinstance(cell, str):
            return True
        if self.format is Format.XLSX:
            return len(cell) <= MAX_CELL
        try:
            cell.encode(self.encoding)
        except UnicodeEncodeError:
            return False
        return True


def begin(target: Target) -> tuple[bytes, State]:
    """The beginning of the file, before any row."""
    if target.format is Format.CSV:
        return csv_begin(target.encoding), None
    part, progress = begin_workbook(TITLE.in_language(target.language))
    return part, list(progress)


def add(target: Target, rows: Iterable[Sequence[Cell]], state: State) -> tuple[bytes, State]:
    """The next rows; the first of all are the header. Raises WorkbookFull for more than Excel opens."""
    if target.format is Format.CSV:
        return csv_part(rows, target.language, target.encoding), None
    part, progress = add_rows(rows, _progress(state))
    if progress.rows > MAX_ROWS or progress.size > MAX_SIZE:
        raise WorkbookFull(limit=MAX_ROWS - 1)
    return part, list(progress)


def end(target: Target, state: State) -> bytes:
    return b"" if target.format is Format.CSV else end_workbook(_progress(state))


def whole_file(target: Target, rows: Iterable[Sequence[Cell]]) -> bytes:
    """A small file at once."""
    first, state = begin(target)
    middle, state = add(target, rows, state)
    return first + middle + end(target, state)


def _progress(state: State) -> Progress:
    assert state is not None  # noqa: S101 - a workbook has been begun
    rows, written, sheet_at, size, packed, crc, members = state
    return Progress(rows, written, sheet_at, size, packed, crc, tuple(tuple(member) for member in members))
