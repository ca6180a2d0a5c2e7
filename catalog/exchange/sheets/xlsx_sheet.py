"""The first sheet of an XLSX workbook, read row by row.

A workbook is a zip of XML. What would unpack to more than the limits is refused before it is unpacked, and XML with
entities is refused. Of the sheet no more than a row is in memory, and a row that never ends is refused at its limit,
where openpyxl would first hold all of it.
"""

import re
import zipfile
from collections.abc import Callable, Iterator
from datetime import datetime, time
from typing import IO, Any, BinaryIO
from xml.etree.ElementTree import Element, ParseError
from xml.parsers import expat

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import parse
from openpyxl.styles.numbers import BUILTIN_FORMATS, is_date_format
from openpyxl.utils.cell import column_index_from_string
from openpyxl.utils.datetime import CALENDAR_MAC_1904, CALENDAR_WINDOWS_1900, from_excel

from catalog.exchange.errors import BrokenWorkbook, FileRefused, TooManyColumns, WorkbookTooLarge
from catalog.exchange.sheets.rows import MAX_COLUMNS, Format, Row, Sheet, with_header

MEGABYTE = 1 << 20
# A million rows of a dozen cells; they pass through, none is kept.
MAX_SHEET = 1024 * MEGABYTE
# Texts of the cells, kept while the sheet is read.
MAX_TEXTS = 128 * MEGABYTE
# Whatever is in memory at once: names of sheets, formats of cells, a row, a text.
MAX_PART = MAX_PIECE = 4 * MEGABYTE
BLOCK = 1 << 16

_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")
_LETTERS = re.compile(r"[A-Z]{1,3}")


def read_xlsx(file: BinaryIO, *, max_rows: int) -> Sheet:
    try:
        workbook = _Workbook(zipfile.ZipFile(file))
        header, below = with_header(_guarded(workbook.rows()), max_rows=max_rows)
    except FileRefused:
        raise
    except _BROKEN as error:
        raise BrokenWorkbook from error
    return Sheet(Format.XLSX, header, below)


# What zipfile and the parsers raise for files that are not what they seem.
_BROKEN = (
    *(zipfile.BadZipFile, zipfile.LargeZipFile, ParseError, expat.ExpatError, DefusedXmlException),
    *(KeyError, ValueError, IndexError, EOFError, OSError, NotImplementedError, RuntimeError, OverflowError),
)


def _guarded(rows: Iterator[Row]) -> Iterator[Row]:
    try:
        yield from rows
    except FileRefused:
        raise
    except _BROKEN as error:
        raise BrokenWorkbook from error


class _Workbook:
    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        workbook = self._tree("xl/workbook.xml")
        self._epoch = CALENDAR_MAC_1904 if _is_of_1904(workbook) else CALENDAR_WINDOWS_1900
        self._sheet = self._first_sheet(workbook)
        self._texts = self._shared_texts()
        self._dates = self._date_styles()

    def rows(self) -> Iterator[Row]:
        with self._open(self._sheet, MAX_SHEET) as source:
            for number, cells in _SheetParser(self._value).rows(source):
                while cells and not cells[-1]:
                    cells.pop()
                yield Row(number, cells)

    def _value(self, kind: str, style: int, text: str) -> str:
        match kind:
            case "s":
                return self._texts[int(text)] if text else ""
            case "b":
                return ("true" if text.strip() == "1" else "false") if text else ""
            case "n" if text:
                return self._number(text, style)
        return _unescaped(text)

    def _number(self, value: str, style: int) -> str:
        if style in self._dates:
            return self._date(value)
        number = float(value)
        # Fifteen digits are what Excel itself keeps: the rest is noise of its binary fractions.
        return str(int(number)) if number.is_integer() and abs(number) < 1e15 else f"{number:.15g}"

    def _date(self, value: str) -> str:
        try:
            return _date_text(from_excel(float(value), self._epoch))
        except (ValueError, OverflowError):
            return value

    def _first_sheet(self, workbook: Element) -> str:
        sheets = [element for element in workbook.iter() if _local(element) == "sheet"]
        shown = [sheet for sheet in sheets if sheet.get("state", "visible") == "visible"] or sheets
        relation = next(value for name, value in shown[0].attrib.items() if name.endswith("}id"))
        for element in self._tree("xl/_rels/workbook.xml.rels"):
            if element.get("Id") == relation:
                target = element.get("Target") or ""
                return target.lstrip("/") if target.startswith("/") else f"xl/{target}"
        raise BrokenWorkbook

    def _shared_texts(self) -> list[str]:
        name = "xl/sharedStrings.xml"
        if name not in self._archive.namelist():
            return []
        with self._open(name, MAX_TEXTS) as source:
            return [_unescaped(text) for text in _TextParser().texts(source)]

    def _date_styles(self) -> set[int]:
        """Numbers of the styles in which a number is shown as a date."""
        if "xl/styles.xml" not in self._archive.namelist():
            return set()
        styles = self._tree("xl/styles.xml")
        own = {
            int(element.get("numFmtId") or 0): element.get("formatCode") or ""
            for element in styles.iter()
            if _local(element) == "numFmt"
        }
        formats = {**BUILTIN_FORMATS, **own}
        cells = next((element for element in styles if _local(element) == "cellXfs"), ())
        return {
            number
            for number, style in enumerate(cells)
            if is_date_format(formats.get(int(style.get("numFmtId") or 0), "General"))
        }

    def _tree(self, name: str) -> Element:
        with self._open(name, MAX_PART) as source:
            root: Element | None = parse(source).getroot()
        if root is None:
            raise BrokenWorkbook
        return root

    def _open(self, name: str, limit: int) -> IO[bytes]:
        # What zipfile gives out is never longer than the size that is checked here.
        if self._archive.getinfo(name).file_size > limit:
            raise WorkbookTooLarge(limit=limit // MEGABYTE)
        return self._archive.open(name)


class _Parser:
    """A parser that calls back and keeps nothing; a document type, with which bombs are built, is refused."""

    def __init__(self) -> None:
        self._expat = expat.ParserCreate()
        self._expat.buffer_text = True
        self._expat.StartElementHandler = self.starts
        self._expat.EndElementHandler = self.ends
        self._expat.CharacterDataHandler = self.text
        self._expat.StartDoctypeDeclHandler = self._refuse
        self._piece = 0
        self._is_text = False
        self._texts: list[str] = []

    def feed(self, source: IO[bytes]) -> Iterator[None]:
        """Parse the source block by block, and pause after each."""
        while block := source.read(BLOCK):
            self._piece += len(block)
            if self._piece > MAX_PIECE:
                raise WorkbookTooLarge(limit=MAX_PIECE // MEGABYTE)
            self._expat.Parse(block)
            yield
        self._expat.Parse(b"", True)

    def starts(self, name: str, attributes: dict[str, str]) -> None:
        raise NotImplementedError

    def ends(self, name: str) -> None:
        raise NotImplementedError

    def text(self, text: str) -> None:
        if self._is_text:
            self._texts.append(text)

    def taken(self) -> str:
        """The text since it was last taken."""
        text = "".join(self._texts)
        self._texts.clear()
        return text

    def _refuse(self, *_: Any) -> None:
        raise BrokenWorkbook


class _SheetParser(_Parser):
    def __init__(self, value_of: Callable[[str, int, str], str]) -> None:
        super().__init__()
        self._value_of = value_of
        self._rows: list[tuple[int, list[str]]] = []
        self._cells: list[str] = []
        self._number = 0
        self._column = 0
        self._kind, self._style = "n", 0
        self._ended = False

    def rows(self, source: IO[bytes]) -> Iterator[tuple[int, list[str]]]:
        for _ in self.feed(source):
            if self._rows:
                yield from self._rows
                self._rows.clear()
                self._piece = 0
            if self._ended:
                return

    def starts(self, name: str, attributes: dict[str, str]) -> None:
        match name.rpartition(":")[2]:
            case "c":
                self._begin_cell(attributes)
            case "v" | "t":
                self._is_text = True
            case "row":
                self._number = max(self._number + 1, int(attributes.get("r") or 0))
                self._cells, self._column = [], 0

    def ends(self, name: str) -> None:
        match name.rpartition(":")[2]:
            case "v" | "t":
                self._is_text = False
            case "c":
                self._end_cell()
            case "row":
                self._rows.append((self._number, self._cells))
            case "sheetData":
                self._ended = True

    def _begin_cell(self, attributes: dict[str, str]) -> None:
        found = _LETTERS.match(attributes.get("r") or "")
        self._column = column_index_from_string(found[0]) if found else self._column + 1
        self._kind, self._style = attributes.get("t") or "n", int(attributes.get("s") or 0)
        self._texts.clear()

    def _end_cell(self) -> None:
        value = self._value_of(self._kind, self._style, self.taken())
        if not value:
            return
        if self._column > MAX_COLUMNS:
            raise TooManyColumns(row=self._number, limit=MAX_COLUMNS)
        self._cells += [""] * (self._column - len(self._cells))
        self._cells[self._column - 1] = value


class _TextParser(_Parser):
    """Shared texts: each of pieces with formats of their own, and perhaps with how it is pronounced."""

    def __init__(self) -> None:
        super().__init__()
        self._found: list[str] = []
        self._is_pronounced = False

    def texts(self, source: IO[bytes]) -> Iterator[str]:
        for _ in self.feed(source):
            if self._found:
                yield from self._found
                self._found.clear()
                self._piece = 0

    def starts(self, name: str, attributes: dict[str, str]) -> None:
        match name.rpartition(":")[2]:
            case "t":
                self._is_text = not self._is_pronounced
            case "rPh":
                self._is_pronounced = True

    def ends(self, name: str) -> None:
        match name.rpartition(":")[2]:
            case "t":
                self._is_text = False
            case "rPh":
                self._is_pronounced = False
            case "si":
                self._found.append(self.taken())


def _local(element: Element) -> str:
    return str(element.tag).rpartition("}")[2]


def _unescaped(text: str) -> str:
    """Excel writes signs that XML does not allow, and what looks like them, as _x000D_."""
    return _ESCAPED.sub(lambda found: chr(int(found[1], 16)), text) if "_x" in text else text


def _is_of_1904(workbook: Element) -> bool:
    return any(
        _local(element) == "workbookPr" and element.get("date1904") in ("1", "true") for element in workbook.iter()
    )


def _date_text(moment: Any) -> str:
    if isinstance(moment, datetime):
        return moment.date().isoformat() if moment.time() == time() else moment.isoformat(sep=" ", timespec="minutes")
    return str(moment)
