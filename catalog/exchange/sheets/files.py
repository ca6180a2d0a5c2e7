"""A file that somebody has sent: what it is, by what stands in it, whatever it is called."""

from collections.abc import Callable
from typing import BinaryIO

from catalog.exchange.errors import NoFile, OldExcel
from catalog.exchange.sheets.csv_sheet import read_csv
from catalog.exchange.sheets.rows import Sheet
from catalog.exchange.sheets.xlsx_sheet import read_xlsx

_ZIP, _OLD_EXCEL = b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


def open_sheet(file: BinaryIO, *, max_rows: int, is_known: Callable[[str], bool]) -> Sheet:
    """The sheet in the file; its rows are read from there as they are asked for. Raises FileRefused, the rows too.

    `is_known`: whether a column of this name means something, by which the separator of a CSV file is told.
    """
    file.seek(0)
    head = file.read(8)
    if not head:
        raise NoFile
    if head == _OLD_EXCEL:
        raise OldExcel
    if head.startswith(_ZIP):
        return read_xlsx(file, max_rows=max_rows)
    return read_csv(file, max_rows=max_rows, is_known=is_known)
