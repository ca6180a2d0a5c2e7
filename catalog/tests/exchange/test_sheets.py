"""Files as people send them: whatever encoding, separator and program they come from; what is none is refused."""

import csv
import io
import zipfile

import openpyxl
import pytest

from catalog.exchange.columns import is_known
from catalog.exchange.errors import (
    BrokenRow,
    BrokenWorkbook,
    FileRefused,
    NoFile,
    NotASheet,
    OldExcel,
    TooManyColumns,
    TooManyRows,
    WorkbookTooLarge,
)
from catalog.exchange.sheets import xlsx_sheet
from catalog.exchange.sheets.files import open_sheet
from catalog.exchange.sheets.output import Target, whole_file
from catalog.exchange.sheets.rows import Format, Sheet

HEADER = ("Артикул", "Название", "Цена")
ROW = ["PROD-1", 'Наушники «Тишина», 13"', "25 990,50"]


def opened(data: bytes, *, max_rows: int = 1000) -> Sheet:
    return open_sheet(io.BytesIO(data), max_rows=max_rows, is_known=is_known)


def csv_text(separator: str = ";", ends: str = "\r\n") -> str:
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=separator, lineterminator=ends).writerows([HEADER, ROW])
    return text.getvalue()


def workbook(*rows: list[object]) -> bytes:
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)  # type: ignore[union-attr]
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def with_sheet(xml: str, data: bytes | None = None) -> bytes:
    """A workbook whose sheet is this XML."""
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data or workbook(list(HEADER)))) as source, zipfile.ZipFile(file, "w", 8) as target:
        for name in source.namelist():
            target.writestr(name, xml if name == "xl/worksheets/sheet1.xml" else source.read(name))
    return file.getvalue()


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1251", "cp866", "koi8-r", "mac-cyrillic"])
def test_encoding_is_guessed(encoding: str) -> None:
    name = "Беспроводные наушники с шумоподавлением"

    sheet = opened(f"Артикул;Название\nPROD-1;{name}\n".encode(encoding))

    assert sheet.header == ("Артикул", "Название")
    assert list(sheet.rows) == [(2, ["PROD-1", name])]
    assert sheet.encoding == encoding


@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("separator", [";", ",", "\t", "|"])
def test_separator_is_guessed_by_the_names_of_columns(separator: str, ends: str) -> None:
    sheet = opened(csv_text(separator, ends).encode())

    assert (sheet.separator, sheet.header, list(sheet.rows)) == (separator, HEADER, [(2, ROW)])


def test_separator_is_taken_from_the_line_that_excel_writes() -> None:
    sheet = opened(b"sep=|\r\n" + csv_text("|").encode())

    assert (sheet.header, list(sheet.rows)) == (HEADER, [(3, ROW)])


def test_rows_without_anything_are_left_out_and_counted() -> None:
    sheet = opened("\n;;\nАртикул;Цена\n\nPROD-1;1\n;\n".encode())

    assert (sheet.header, list(sheet.rows)) == (("Артикул", "Цена"), [(5, ["PROD-1", "1"])])


def test_workbook_of_another_program_is_read() -> None:
    sheet = opened(workbook(list(HEADER), ["PROD-1", None, 25990.5], ["PROD-2", "Чайник", 0.1 + 0.2], [True, 7, None]))

    assert (sheet.format, sheet.header) == (Format.XLSX, HEADER)
    assert list(sheet.rows) == [
        (2, ["PROD-1", "", "25990.5"]),
        (3, ["PROD-2", "Чайник", "0.3"]),
        (4, ["true", "7"]),
    ]


def test_own_workbook_is_read_by_other_programs() -> None:
    data = whole_file(Target(Format.XLSX, "ru"), [list(HEADER), ["PROD-1", "а\nб < & _x0041_", 5]])

    rows = openpyxl.load_workbook(io.BytesIO(data)).worksheets[0].iter_rows(values_only=True)

    assert list(rows) == [HEADER, ("PROD-1", "а\nб < & _x005F_x0041_", 5)]
    assert list(opened(data).rows) == [(2, ["PROD-1", "а\nб < & _x0041_", "5"])]


BINARY = bytes(range(256)) * 10
BOMB = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>'
SHEET = (
    '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>{}</sheetData></worksheet>'
)


@pytest.mark.parametrize(
    ("data", "error"),
    [
        (b"", NoFile),
        (b"\r\n \r\n", NoFile),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + BINARY, OldExcel),
        (BINARY, NotASheet),
        (b"\x89PNG\r\n\x1a\n" + BINARY, NotASheet),
        ("Артикул;Цена\nPROD-1;1\0\n".encode(), NotASheet),
        ("Артикул;Цена".encode("utf-16-le"), NotASheet),
        (b"\xff\xfe\x00\xd8\x00", NotASheet),
        (b"PK\x03\x04 and nothing more", BrokenWorkbook),
        (workbook(list(HEADER))[:-200], BrokenWorkbook),
        (with_sheet(BOMB + SHEET.format("<row><c t='str'><v>&b;</v></c></row>")), BrokenWorkbook),
        (with_sheet(SHEET.format("<row><c t='s'><v>99</v></c></row>")), BrokenWorkbook),
        (with_sheet("<worksheet><sheetData><row>"), BrokenWorkbook),
    ],
)
def test_what_is_no_sheet_is_refused(data: bytes, error: type[FileRefused]) -> None:
    with pytest.raises(error):
        list(opened(data).rows)


def test_archive_of_no_workbook_is_refused() -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("letter.txt", "Добрый день!")

    with pytest.raises(BrokenWorkbook):
        opened(file.getvalue())


def test_bomb_is_refused_before_it_is_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(xlsx_sheet, "MAX_SHEET", 1_000_000)
    bomb = with_sheet(SHEET.format("<row/>" * 200_000))

    with pytest.raises(WorkbookTooLarge):
        opened(bomb)

    assert len(bomb) < 20_000


@pytest.mark.parametrize(
    ("row", "error"),
    [
        ("<row>" + "<c t='str'><v>x</v></c>" * 1_000_000 + "</row>", TooManyColumns),
        ("<row><c r='XFD1' t='str'><v>x</v></c></row>", TooManyColumns),
        ("<row>" + "<c/>" * 2_000_000 + "</row>", WorkbookTooLarge),
        ("<row><c t='str'><v>" + "a" * 50_000_000 + "</v></c></row>", WorkbookTooLarge),
    ],
)
def test_row_without_end_is_refused_at_its_limit(row: str, error: type[FileRefused]) -> None:
    with pytest.raises(error):
        opened(with_sheet(SHEET.format(row)))


@pytest.mark.parametrize(
    ("data", "error"),
    [
        (b"id,price\n" + b"," * 3_000 + b"x\n", TooManyColumns),
        (b"id,price\n" + b"x," * 1_000_000, BrokenRow),
        (b'id,price\nPROD-1,"' + b"never closed\n" * 20_000, BrokenRow),
        (b"id,price\n" + b"PROD-1,1\n" * 1_001, TooManyRows),
    ],
)
def test_csv_without_end_is_refused_at_its_limit(data: bytes, error: type[FileRefused]) -> None:
    with pytest.raises(error):
        list(opened(data).rows)


def test_empty_cells_far_to_the_right_are_no_columns() -> None:
    sheet = opened(b"id,price" + b"," * 5_000 + b"\nPROD-1,1" + b"," * 5_000)

    assert (sheet.header, list(sheet.rows)) == (("id", "price"), [(2, ["PROD-1", "1"])])
