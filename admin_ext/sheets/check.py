"""The job that checks a file: what loading each row would do. Nothing of the shop is written."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from threading import local

from django.conf import settings

from admin_ext.jobs.documents import JobDocument
from admin_ext.jobs.kinds import JobKind, Line, Piece
from admin_ext.jobs.links import result_links
from admin_ext.sheets.documents import ImportDocument, PartDocument
from admin_ext.sheets.files import expiry, open_file
from admin_ext.sheets.imports import CHECK, import_of
from admin_ext.sheets.links import import_url
from admin_ext.sheets.parts import part_id, parts, planned_row, refused_row, rows_named
from catalog.documents import DirectoryEntry, ProductDocument
from catalog.exchange.categories import CategoryNames
from catalog.exchange.columns import Matched, is_known
from catalog.exchange.errors import SameIdTwice
from catalog.exchange.plan import Kind, Planned, plan_row, refused
from catalog.exchange.product_rows import ProductRow, RowReader
from catalog.exchange.sheets.files import open_sheet
from catalog.exchange.sheets.rows import Row
from catalog.products.cards import PRODUCTS
from catalog.products.upsert import DIRECTORY
from catalog.structure.category_tree import whole_tree
from gateway.domain.texts import Text
from gateway.mongo.client import collection_of, orm_connection
from gateway.mongo.reads import run

# Read by one command, planned in a tenth of a second.
PACE = 500
# A part is one document, with rows, old values and new: this many characters of cells keep it well below 16 MB.
MAX_CHARACTERS = 1_000_000
# Long, and nothing of it stands in a sheet.
LEFT_OUT = {"terms": 0, "holds": 0, "facets": 0}
RESULT = Text("Что в файле", "What is in the file")
IGNORED = Text("Столбцы, которых мы не знаем, пропущены: {names}.", "Columns that are not known are ignored: {names}.")


def check_piece(job: JobDocument) -> Piece:
    """Plan the next rows of the file."""
    sheet = import_of(job["parameters"]["sheet"])
    number, read = job["cursor"] or (0, 0)
    rows = _READER.take(sheet, read, job["pace"])
    if not rows:
        return Piece(cursor=None, total=read)
    planned = _planned(sheet, rows, number)
    part = _part(sheet, number, planned)
    parts().replace_one(
        {"sheet": sheet["_id"], "_id": part["_id"]}, part, upsert=True, session=orm_connection().session
    )
    counts = Counter(each.kind.value for each in planned)
    counts.update(doubt.value for each in planned for doubt in each.doubts)
    log = [Line(IGNORED, {"names": ", ".join(sheet["unknown"])}, "warning")] if sheet["unknown"] and not number else []
    result = result_links((RESULT, import_url(sheet["_id"])))
    return Piece(cursor=[number + 1, read + len(rows)], done=len(rows), counts=counts, log=log, result=result)


CHECK_KIND = JobKind(
    code=CHECK,
    title=Text("Проверка файла", "Check of a file"),
    right="catalog.change_product",
    work=check_piece,
    pace=PACE,
    counts={
        "created": Text("будет создано", "to be created"),
        "changed": Text("будет изменено", "to be changed"),
        "unchanged": Text("без изменений", "unchanged"),
        "bad": Text("с ошибками", "with errors"),
    },
)


@dataclass
class _Reader(local):
    """The file that this thread reads, open from one piece to the next: another worker begins at its first row."""

    file: str = ""
    position: int = 0
    rows: Iterator[Row] = field(default_factory=lambda: iter(()))
    last: tuple[int, list[Row]] = (-1, [])
    """The rows that were given out last, for a piece that is run again."""

    def take(self, sheet: ImportDocument, begin: int, limit: int) -> list[Row]:
        """Rows of the sheet from this one on: as many as asked for, or as fit into a part."""
        if self.file == sheet["file"] and self.last[0] == begin and len(self.last[1]) <= limit:
            return self.last[1]
        if self.file != sheet["file"] or self.position != begin:
            self._open(sheet, begin)
        taken: list[Row] = []
        characters = 0
        while len(taken) < limit and characters < MAX_CHARACTERS and (row := next(self.rows, None)):
            taken.append(row)
            characters += sum(map(len, row.cells))
        self.position = begin + len(taken)
        self.last = begin, taken
        return taken

    def _open(self, sheet: ImportDocument, begin: int) -> None:
        self.file = ""
        opened = open_sheet(open_file(sheet["file"]), max_rows=settings.SHEET_MAX_ROWS, is_known=is_known)
        self.rows = opened.rows
        for _ in range(begin):
            next(self.rows)
        self.file = sheet["file"]


_READER = _Reader()


def _planned(sheet: ImportDocument, rows: Sequence[Row], number: int) -> list[Planned]:
    reader = RowReader(
        Matched(tuple(sheet["fields"])), CategoryNames(run(whole_tree())), may_change_stock=sheet["may_change_stock"]
    )
    read = [reader.read(row) for row in rows]
    ids = [row.product_id for row in read if row.product_id]
    stored = stored_products(ids)
    seen = rows_named(sheet["_id"], ids, before=number)
    return [_plan(row, stored, seen) for row in read]


def _plan(row: ProductRow, stored: dict[str, ProductDocument], seen: dict[str, int]) -> Planned:
    id_ = row.product_id
    if id_ in seen:
        return refused(row, SameIdTwice("id", product_id=id_, row=seen[id_]))
    if id_:
        seen[id_] = row.number
    return plan_row(row, stored.get(id_))


def stored_products(ids: Sequence[str]) -> dict[str, ProductDocument]:
    """The products with these ids that there are, as they are now, by two commands."""
    session = orm_connection().session
    homes: dict[str, list[str]] = {}
    for entry in collection_of(DIRECTORY, DirectoryEntry).find({"_id": {"$in": list(ids)}}, session=session):
        homes.setdefault(entry["category"], []).append(entry["_id"])
    if not homes:
        return {}
    found = collection_of(PRODUCTS, ProductDocument).find(
        {"$or": [{"category": category, "_id": {"$in": within}} for category, within in homes.items()]},
        LEFT_OUT,
        session=session,
    )
    return {document["_id"]: document for document in found}


def _part(sheet: ImportDocument, number: int, planned: Sequence[Planned]) -> PartDocument:
    done = [each for each in planned if each.kind in (Kind.CREATED, Kind.CHANGED)]
    named = [each.row for each in planned if each.row.product_id]
    return {
        "_id": part_id(sheet["_id"], number),
        "sheet": sheet["_id"],
        "number": number,
        "ids": [row.product_id for row in named],
        "numbers": [row.number for row in named],
        "rows": [planned_row(each) for each in done],
        "created": sum(each.kind is Kind.CREATED for each in done),
        "changed": sum(each.kind is Kind.CHANGED for each in done),
        "refused": sum(each.kind is Kind.BAD for each in planned),
        "bad": [
            refused_row(each.row.number, each.row.product_id, each.row.cells, each.reasons)
            for each in planned
            if each.kind is Kind.BAD
        ],
        "failed": [],
        "categories": sorted({slug for each in done for slug in _categories(each)}),
        "expires_at": expiry(),
    }


def _categories(planned: Planned) -> set[str]:
    moved = planned.changes.get("category")
    return {planned.category, str(moved[1])} if moved else {planned.category}
