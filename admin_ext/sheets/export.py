"""The job that writes products into a file, part by part: whatever dies, each of them stands in it once."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, TypedDict

from django.utils.timezone import get_default_timezone

from admin_ext.bulk.words import selection_words
from admin_ext.jobs.documents import JobDocument
from admin_ext.jobs.kinds import JobKind, Line, Piece, Submission
from admin_ext.jobs.links import result_links
from admin_ext.sheets.files import append, file_of, new_file
from admin_ext.sheets.links import file_url
from catalog.changes.values import ATTRIBUTE
from catalog.documents import ProductDocument
from catalog.exchange.categories import CategoryNames
from catalog.exchange.columns import COLUMNS
from catalog.exchange.export import Exporter
from catalog.exchange.sheets.csv_writer import CP1251, UTF_8
from catalog.exchange.sheets.output import Target, add, begin, end
from catalog.exchange.sheets.rows import MAX_COLUMNS, Cell, Format
from catalog.listing.selection import Selection, SelectionDocument, count, keys_after
from catalog.products.cards import PRODUCTS, ProductKey
from catalog.structure.category_tree import whole_tree
from catalog.structure.names import GEOZONE_NAMES
from gateway.domain.texts import Language, Text
from gateway.mongo.policies import STAFF_LIST
from gateway.mongo.reads import Aggregation, Read, run
from gateway.staff.language import said

EXPORT = "export"
SEE_PRODUCTS = "catalog.view_product"
TITLE = Text("Выгрузка товаров", "Export of products")
FILE_NAME = Text("Товары {day} № {number}.{format}", "Products {day} № {number}.{format}")
# Read by two commands and written as one part of some hundred kilobytes, within half a second.
PACE = 500
# Of these only the names of attributes are asked for, which the shard gathers.
LOOKED_AT = 2_000
# What is edited; the rest of a product is as long again.
FIELDS = ("category", "name", "description", "prices", "stock", "attributes", "images", "withdrawn")

TARGETS: Mapping[tuple[Format, str], Text] = {
    (Format.XLSX, UTF_8): Text("Excel (XLSX)", "Excel (XLSX)"),
    (Format.CSV, CP1251): Text("CSV, Windows-1251, через «;»", 'CSV, Windows-1251, with ";"'),
    (Format.CSV, UTF_8): Text("CSV, UTF-8, через «;»", 'CSV, UTF-8, with ";"'),
}
LOOKING = Text("Просматриваем, какие характеристики есть у товаров.", "Looking which attributes the products have.")
TOO_MANY = Text(
    "Характеристик больше, чем столбцов в таблице: записаны первые {count}.",
    "There are more attributes than columns: the first {count} are written.",
)
LEFT_EMPTY = Text(
    "{product}: ячейки, которые так не записать, оставлены пустыми: {columns}. При загрузке эти значения не изменятся.",
    "{product}: cells that cannot be written like that are left empty: {columns}. Loading keeps these values.",
)
DOWNLOAD = Text("Скачать файл, {size}", "Download the file, {size}")
SELECTION, WHOLE_CATALOG = Text("Товары", "Products"), Text("весь каталог", "the whole catalog")
FORMAT = Text("Файл", "File")
_UNITS = ((1_000_000, Text("{count} МБ", "{count} MB")), (1_000, Text("{count} КБ", "{count} kB")))
_BYTES = Text("{count} Б", "{count} B")


class Parameters(TypedDict):
    selection: SelectionDocument
    format: str
    encoding: str
    language: Language


class Made(TypedDict):
    """What the job has settled before the first row."""

    file: str
    names: list[str]
    """Of attributes."""
    geozones: list[str]


class Cursor(TypedDict):
    after: list[str] | None
    """The last product that was looked at, or written."""
    names: list[str]
    """Attributes found so far, while they are looked for."""
    state: Any
    """What the next part of the file must know."""


def export_submission(selection: Selection, target: Target) -> Submission:
    """The job that writes all products of the selection into a file. It changes nothing, and waits for nobody."""
    parameters: Parameters = {
        "selection": selection.to_document(),
        "format": target.format.value,
        "encoding": target.encoding,
        "language": target.language,
    }
    return Submission(kind=EXPORT, title=TITLE, parameters=parameters, total=count(selection))


def export_piece(job: JobDocument) -> Piece:
    """Look at the attributes of the next products; when all are known, write the next of them."""
    given: Parameters = job["parameters"]  # type: ignore[assignment]
    target = Target(Format(given["format"]), given["language"], given["encoding"])
    cursor: Cursor = job["cursor"] or Cursor(after=None, names=[], state=None)
    made: Made | None = job["result"].get("made")
    limit = job["pace"] if made else LOOKED_AT
    after = ProductKey(*cursor["after"]) if cursor["after"] else None
    keys = keys_after(Selection.from_document(given["selection"]), after, limit)
    if made is None:
        return _look(job, keys, cursor, target)
    return _write(keys, cursor, made, target) if keys else _finish(cursor, made, target)


def export_words(job: JobDocument) -> list[tuple[Text, str]]:
    given: Parameters = job["parameters"]  # type: ignore[assignment]
    selection = Selection.from_document(given["selection"])
    return [
        (SELECTION, "; ".join(selection_words(selection)) or said(WHOLE_CATALOG)),
        (FORMAT, said(TARGETS[Format(given["format"]), given["encoding"]])),
    ]


EXPORT_KIND = JobKind(
    code=EXPORT,
    title=TITLE,
    right=SEE_PRODUCTS,
    work=export_piece,
    pace=PACE,
    counts={
        "written": Text("записано", "written"),
        "left_empty": Text("с пустыми ячейками вместо значений", "with cells left empty"),
    },
    words=export_words,
)


def _look(job: JobDocument, keys: Sequence[ProductKey], cursor: Cursor, target: Target) -> Piece:
    if not keys:
        return _begin(job, cursor["names"], target)
    names = {*cursor["names"], *run(_attribute_names(keys))}
    following: Cursor = {"after": list(keys[-1]), "names": sorted(names, key=str.casefold), "state": None}
    return Piece(following, log=[] if cursor["after"] else [Line(LOOKING)])


def _begin(job: JobDocument, names: list[str], target: Target) -> Piece:
    geozones = list(GEOZONE_NAMES.get())
    room = MAX_COLUMNS - len(COLUMNS) - len(geozones)
    log = [Line(TOO_MANY, {"count": room}, "warning")] if len(names) > room else []
    day = f"{datetime.now(get_default_timezone()):%Y-%m-%d}"
    values = {"day": day, "number": job["number"], "format": target.format.value}
    name = FILE_NAME.in_language(target.language, **values)
    file = new_file(name, target.content_type, owner=job["actor"]["id"])
    made: Made = {"file": file["_id"], "names": names[:room], "geozones": geozones}
    first, state = begin(target)
    header, state = add(target, [_fitting(_exporter(made, target).header(), target)], state)
    append(file["_id"], first + header)
    return Piece(Cursor(after=None, names=[], state=state), log=log, result={"made": made})


def _write(keys: Sequence[ProductKey], cursor: Cursor, made: Made, target: Target) -> Piece:
    exporter = _exporter(made, target)
    found = run(_products(keys))
    rows = [exporter.row(product) for product in found]
    fitting = [_fitting(row, target) for row in rows]
    part, state = add(target, fitting, cursor["state"])
    append(made["file"], part)
    lacking = [number for number, row in enumerate(rows) if row != fitting[number]]
    log = []
    # Of each piece one is named: they have the same sign in common, as a rule.
    for number in lacking[:1]:
        titles = [
            str(title)
            for title, cell, kept in zip(exporter.header(), rows[number], fitting[number], strict=True)
            if cell != kept
        ]
        log = [Line(LEFT_EMPTY, {"product": found[number]["_id"], "columns": ", ".join(titles)}, "warning")]
    counts = {"written": len(found), "left_empty": len(lacking)}
    return Piece(Cursor(after=list(keys[-1]), names=[], state=state), done=len(found), counts=counts, log=log)


def _finish(cursor: Cursor, made: Made, target: Target) -> Piece:
    if last := end(target, cursor["state"]):
        append(made["file"], last)
    title = _sized(DOWNLOAD, file_of(made["file"])["size"])
    return Piece(None, result=result_links((title, file_url(made["file"]))))


def _exporter(made: Made, target: Target) -> Exporter:
    names = GEOZONE_NAMES.get()
    return Exporter(
        made["names"],
        {code: names.get(code, code) for code in made["geozones"]},
        CategoryNames(run(whole_tree())),
        target.language,
    )


def _fitting(row: Sequence[Cell], target: Target) -> list[Cell]:
    """The row without what cannot stand in the file: an empty cell changes nothing when it is loaded, another would."""
    return [cell if target.holds(cell) else None for cell in row]


def _products(keys: Sequence[ProductKey]) -> Read[list[ProductDocument]]:
    """The products of one category, in the order of their ids."""
    return Read(
        collection=PRODUCTS,
        policy=STAFF_LIST,
        where=_at(keys),
        fields=FIELDS,
        sort=(("category", 1), ("_id", 1)),
        result=list,
    )


def _attribute_names(keys: Sequence[ProductKey]) -> Aggregation[set[str]]:
    """Names of all attributes that products of one category have: their shard answers with these alone."""
    names = {"$map": {"input": {"$objectToArray": {"$ifNull": [f"${ATTRIBUTE[:-1]}", {}]}}, "in": "$$this.k"}}
    return Aggregation(
        collection=PRODUCTS,
        policy=STAFF_LIST,
        where=_at(keys),
        stages=({"$project": {"name": names}}, {"$unwind": "$name"}, {"$group": {"_id": "$name"}}),
        result=lambda documents: {document["_id"] for document in documents},
    )


def _at(keys: Sequence[ProductKey]) -> dict[str, Any]:
    return {"category": keys[0].category, "_id": {"$in": [key.id for key in keys]}}


def _sized(text: Text, size: int) -> Text:
    unit, told = next(((unit, told) for unit, told in _UNITS if size >= unit), (1, _BYTES))
    number = f"{size / unit:.1f}".removesuffix(".0") if size < 10 * unit else str(round(size / unit))
    return Text(
        text.in_language("ru", size=told.in_language("ru", count=number.replace(".", ","))),
        text.in_language("en", size=told.in_language("en", count=number)),
    )
