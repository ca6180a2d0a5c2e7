"""An XLSX workbook of one sheet, written in parts that are joined end to end.

A part may be made by another process, hours later: all that it must know of those before it is in `Progress`. So a job
appends to a workbook as it appends to a text, and nothing ever holds the whole. The sheet is the last member of the
zip; each part is a run of whole deflate blocks, and the sums that end a zip are carried along.
"""

import re
import struct
import zlib
from collections.abc import Iterable, Sequence
from decimal import Decimal
from functools import cache
from typing import NamedTuple
from xml.sax.saxutils import escape, quoteattr

from openpyxl.utils.cell import get_column_letter

from catalog.exchange.sheets.rows import Cell

# Excel has no longer cells, and no more rows.
MAX_CELL = 32_767
MAX_ROWS = 1_048_576
# A zip of the usual kind tells sizes in four bytes.
MAX_SIZE = 4_000_000_000

_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_TYPES = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
# Numbers of the styles below.
_BOLD, _MONEY, _TEXT = 1, 2, 3
_MEMBERS = {
    "[Content_Types].xml": (
        f'<Types xmlns="{_PACKAGE}/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{_TYPES}.sheet.main+xml"/>'
        f'<Override PartName="/xl/styles.xml" ContentType="{_TYPES}.styles+xml"/>'
        f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{_TYPES}.worksheet+xml"/></Types>'
    ),
    "_rels/.rels": (
        f'<Relationships xmlns="{_PACKAGE}/relationships">'
        f'<Relationship Id="rId1" Type="{_OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>'
    ),
    "xl/_rels/workbook.xml.rels": (
        f'<Relationships xmlns="{_PACKAGE}/relationships">'
        f'<Relationship Id="rId1" Type="{_OFFICE}/worksheet" Target="worksheets/sheet1.xml"/>'
        f'<Relationship Id="rId2" Type="{_OFFICE}/styles" Target="styles.xml"/></Relationships>'
    ),
    "xl/styles.xml": (
        f'<styleSheet xmlns="{_MAIN}"><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font>'
        '<font><b/><sz val="11"/><name val="Calibri"/></font></fonts>'
        '<fills count="2"><fill><patternFill patternType="none"/></fill>'
        '<fill><patternFill patternType="gray125"/></fill></fills>'
        '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>'
        '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>'
        '<cellXfs count="4"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>'
        '<xf numFmtId="49" fontId="1" fillId="0" borderId="0" xfId="0" applyNumberFormat="1" applyFont="1"/>'
        '<xf numFmtId="4" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>'
        '<xf numFmtId="49" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/></cellXfs>'
        '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>'
    ),
}
_WORKBOOK = (
    f'<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}"><sheets>'
    '<sheet name={title} sheetId="1" r:id="rId1"/></sheets></workbook>'
)
_SHEET = "xl/worksheets/sheet1.xml"
_SHEET_BEGINS = (
    f'{_XML}<worksheet xmlns="{_MAIN}"><sheetViews><sheetView workbookViewId="0">'
    '<pane xSplit="1" ySplit="1" topLeftCell="B2" activePane="bottomRight" state="frozen"/></sheetView></sheetViews>'
    '<sheetFormatPr defaultRowHeight="15"/><cols><col min="1" max="64" width="18" customWidth="1"/></cols><sheetData>'
)
_SHEET_ENDS = "</sheetData></worksheet>"
# An empty last block ends what the parts before have begun.
_LAST_BLOCK = b"\x03\x00"
_STORED, _DEFLATED = 0, 8
_UTF8, _SUMS_FOLLOW = 1 << 11, 1 << 3
# The first day that a zip can name: the same rows are always the same bytes.
_DATE = 0x21
# What XML cannot hold, and what looks like the way in which Excel writes that.
_ODD = re.compile(r"[\x00-\x08\x0b-\x1f\ud800-\udfff\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)")


class Progress(NamedTuple):
    """What the next part must know of those before it."""

    rows: int
    written: int
    """Bytes of the whole file."""
    sheet_at: int
    """Where the sheet begins in it."""
    size: int
    packed: int
    """Bytes of the sheet, unpacked and packed."""
    crc: int
    members: tuple[tuple[str, int, int, int], ...]
    """Name, place, size and sum of the members before the sheet."""


def begin_workbook(title: str) -> tuple[bytes, Progress]:
    """The first part: everything but rows."""
    workbook = _WORKBOOK.format(title=quoteattr(title))
    output = b""
    members: list[tuple[str, int, int, int]] = []
    for name, text in {**_MEMBERS, "xl/workbook.xml": workbook}.items():
        data = f"{_XML}{text}".encode()
        members.append((name, len(output), len(data), zlib.crc32(data)))
        output += _local_header(name, _STORED, len(data), zlib.crc32(data)) + data
    sheet_at = len(output)
    output += _local_header(_SHEET, _DEFLATED, None, None)
    return _packed(output, _SHEET_BEGINS, Progress(0, 0, sheet_at, 0, 0, 0, tuple(members)))


def add_rows(rows: Iterable[Sequence[Cell]], before: Progress) -> tuple[bytes, Progress]:
    """The next part; the first row of all is the header."""
    lines = [_row(number, row) for number, row in enumerate(rows, start=before.rows + 1)]
    part, after = _packed(b"", "".join(lines), before)
    return part, after._replace(rows=before.rows + len(lines))


def end_workbook(before: Progress) -> bytes:
    """The last part."""
    last, after = _packed(b"", _SHEET_ENDS, before)
    packed = after.packed + len(_LAST_BLOCK)
    sums = struct.pack("<4s3L", b"PK\x07\x08", after.crc, packed, after.size)
    directory = b"".join(
        [
            *(_entry(name, _STORED, size, size, crc, at) for name, at, size, crc in after.members),
            _entry(_SHEET, _DEFLATED, packed, after.size, after.crc, after.sheet_at),
        ]
    )
    at = after.written + len(_LAST_BLOCK) + len(sums)
    count = len(after.members) + 1
    ends = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, count, count, len(directory), at, 0)
    return last + _LAST_BLOCK + sums + directory + ends


def _packed(output: bytes, text: str, before: Progress) -> tuple[bytes, Progress]:
    data = text.encode()
    # The fastest: XML of rows packs well enough, and a million of them take seconds.
    packer = zlib.compressobj(1, zlib.DEFLATED, -zlib.MAX_WBITS)
    packed = packer.compress(data) + packer.flush(zlib.Z_SYNC_FLUSH)
    return output + packed, before._replace(
        written=before.written + len(output) + len(packed),
        size=before.size + len(data),
        packed=before.packed + len(packed),
        crc=zlib.crc32(data, before.crc),
    )


def _local_header(name: str, method: int, size: int | None, crc: int | None) -> bytes:
    flags = _UTF8 | (_SUMS_FOLLOW if size is None else 0)
    coded = name.encode()
    fields = (b"PK\x03\x04", 20, flags, method, 0, _DATE, crc or 0, size or 0, size or 0, len(coded), 0)
    return struct.pack("<4s5H3L2H", *fields) + coded


def _entry(name: str, method: int, packed: int, size: int, crc: int, at: int) -> bytes:
    flags = _UTF8 | (_SUMS_FOLLOW if method == _DEFLATED else 0)
    coded = name.encode()
    fields = (b"PK\x01\x02", 20, 20, flags, method, 0, _DATE, crc, packed, size, len(coded), 0, 0, 0, 0, 0, at)
    return struct.pack("<4s6H3L5H2L", *fields) + coded


def _row(number: int, cells: Sequence[Cell]) -> str:
    is_header = number == 1
    filled = (
        _cell(f"{_letters(column)}{number}", cell, is_header=is_header)
        for column, cell in enumerate(cells, start=1)
        if cell not in (None, "")
    )
    return f'<row r="{number}">{"".join(filled)}</row>'


def _cell(place: str, cell: Cell, *, is_header: bool) -> str:
    if isinstance(cell, str):
        text = _ODD.sub(lambda found: f"_x{ord(found[0]):04X}_", cell[:MAX_CELL])
        style = _BOLD if is_header else _TEXT
        return f'<c r="{place}" s="{style}" t="inlineStr"><is><t xml:space="preserve">{escape(text)}</t></is></c>'
    if isinstance(cell, Decimal):
        return f'<c r="{place}" s="{_MONEY}"><v>{cell}</v></c>'
    return f'<c r="{place}"><v>{cell}</v></c>'


@cache
def _letters(column: int) -> str:
    return get_column_letter(column)
