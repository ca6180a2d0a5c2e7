"""The rows of an import in parts, with what loading them would do, or did."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Literal, NamedTuple

from pymongo.collection import Collection

from admin_ext.sheets.documents import PartDocument, PlannedRow, ReasonDocument, RefusedRow
from admin_ext.sheets.models import SheetPart
from catalog.exchange.plan import Kind, Planned
from gateway.domain.errors import DomainError
from gateway.mongo.client import collection_of, orm_connection

PARTS = SheetPart._meta.db_table
BY_NUMBER = "sheet_1_number_1_created_1_changed_1_refused_1"

RowKind = Literal["created", "changed"]


def part_id(sheet: str, number: int) -> str:
    return f"{sheet}:{number:07}"


def part_of(sheet: str, number: int) -> PartDocument | None:
    return parts().find_one({"sheet": sheet, "_id": part_id(sheet, number)}, session=orm_connection().session)


def rows_named(sheet: str, ids: Sequence[str], *, before: int) -> dict[str, int]:
    """The rows that name these products in earlier parts, by product."""
    found = parts().find(
        {"sheet": sheet, "ids": {"$in": list(ids)}, "number": {"$lt": before}},
        ["ids", "numbers"],
        session=orm_connection().session,
    )
    wanted = set(ids)
    return {
        id_: number for part in found for id_, number in zip(part["ids"], part["numbers"], strict=True) if id_ in wanted
    }


class Place(NamedTuple):
    """Where a refused row stands: in which part, and in which row of the file."""

    part: int
    row: int


class Refused(NamedTuple):
    place: Place
    row: RefusedRow
    is_late: bool
    """Good when the file was checked, not taken when it was loaded."""


def first_rows(sheet: str, kind: RowKind, limit: int) -> list[PlannedRow]:
    """The first rows that make products, or that change some."""
    found = parts().find({"sheet": sheet, kind: {"$gt": 0}}, ["rows"], hint=BY_NUMBER).sort("number").limit(limit)
    rows = (row for part in found.batch_size(2) for row in part["rows"] if row["kind"] == kind)
    return list(islice(rows, limit))


def refused_rows(sheet: str, beyond: Place | None = None) -> Iterator[Refused]:
    """The rows that were not taken, when the file was checked or when it was loaded, in their order from there on."""
    place = beyond or Place(0, 0)
    where = {"sheet": sheet, "number": {"$gte": place.part}, "refused": {"$gt": 0}}
    found = parts().find(where, ["number", "bad", "failed"], hint=BY_NUMBER).sort("number")
    for part in found.batch_size(2):
        each = [*((row, False) for row in part["bad"]), *((row, True) for row in part["failed"])]
        rows = [Refused(Place(part["number"], row["number"]), row, late) for row, late in each]
        yield from sorted((row for row in rows if row.place > place), key=lambda row: row.place)


def categories_of(sheet: str) -> list[str]:
    """The categories whose products the import would change."""
    return sorted(parts().distinct("categories", {"sheet": sheet}))


def planned_row(planned: Planned) -> PlannedRow:
    return {
        "number": planned.row.number,
        "id": planned.row.product_id,
        "kind": "created" if planned.kind is Kind.CREATED else "changed",
        "cells": planned.row.cells,
        "changes": [(field, before, after) for field, (before, after) in planned.changes.items()],
        "doubts": [doubt.value for doubt in planned.doubts],
    }


def refused_row(number: int, product_id: str, cells: list[str], reasons: Iterable[DomainError]) -> RefusedRow:
    return {"number": number, "id": product_id, "cells": cells, "reasons": [_reason(each) for each in reasons]}


def _reason(reason: DomainError) -> ReasonDocument:
    field = str(reason.path[0]) if reason.path else ""
    return {"field": field, "ru": reason.message("ru"), "en": reason.message("en")}


def parts() -> Collection[PartDocument]:
    return collection_of(PARTS, PartDocument)
