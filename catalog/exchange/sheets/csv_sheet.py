"""A CSV file as people make them: any usual encoding, any usual separator."""

import csv
import io
from collections.abc import Callable, Iterator
from itertools import islice
from typing import BinaryIO

from catalog.exchange.errors import BrokenRow
from catalog.exchange.sheets.encodings import guess_encoding
from catalog.exchange.sheets.rows import Format, Row, Sheet, with_header

SEPARATORS = (";", ",", "\t", "|")
# More than any product has: a longer line is no row of a sheet, and must not be held in memory whole.
MAX_LINE = 1_000_000
# Of the beginning, for guessing the separator.
_SAMPLE_LINES = 20


def read_csv(file: BinaryIO, *, max_rows: int, is_known: Callable[[str], bool]) -> Sheet:
    encoding = guess_encoding(file)
    separator = _guess_separator(list(islice(_lines(_text(file, encoding)), _SAMPLE_LINES)), is_known)
    rows = _rows(_text(file, encoding), separator)
    header, below = with_header(rows, max_rows=max_rows)
    return Sheet(Format.CSV, header, below, encoding=encoding, separator=separator)


class _Borrowed(io.BufferedIOBase):
    """A file that stays open when its reader is gone: it is the caller's."""

    name = ""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def readable(self) -> bool:
        return True

    def read(self, size: int | None = -1, /) -> bytes:
        return self._file.read(-1 if size is None else size)

    def read1(self, size: int = -1, /) -> bytes:
        return self._file.read(size)


def _text(file: BinaryIO, encoding: str) -> io.TextIOWrapper:
    file.seek(0)
    return io.TextIOWrapper(_Borrowed(file), encoding, newline="")


def _rows(text: io.TextIOWrapper, separator: str) -> Iterator[Row]:
    reader = csv.reader(_lines(text), delimiter=separator)
    number = 0
    while True:
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise BrokenRow(row=number) from error
        number += 1
        if number == 1 and _hint(separator.join(cells)):
            continue
        yield Row(number, cells)


def _lines(text: io.TextIOWrapper) -> Iterator[str]:
    number = 0
    while line := text.readline(MAX_LINE + 1):
        if len(line) > MAX_LINE:
            raise BrokenRow(row=number)
        number += 1
        yield line


def _guess_separator(lines: list[str], is_known: Callable[[str], bool]) -> str:
    """The one by which most columns of the header are known; Excel writes it into a line of its own before."""
    if lines and (hinted := _hint(lines[0].strip())):
        return hinted
    filled = [line for line in lines if line.strip()]

    def score(separator: str) -> tuple[int, int]:
        try:
            header = next(csv.reader(filled, delimiter=separator), [])
        except csv.Error:
            return 0, 0
        return sum(map(is_known, header)), len(header)

    return max(SEPARATORS, key=score)


def _hint(line: str) -> str | None:
    name, _, separator = line.partition("=")
    return separator if name.strip().lower() == "sep" and separator in SEPARATORS else None
