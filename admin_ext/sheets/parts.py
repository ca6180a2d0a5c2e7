"""The rows of an import in parts, with what loading them would do, or did."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from pymongo.collection import Collection

from admin_ext.sheets.documents import PartDocument, PlannedRow, ReasonDocument, RefusedRow
from admin_ext.sheets.models import SheetPart
from catalog.exchange.plan import Kind, Planned
from gateway.domain.errors import DomainError
from gateway.mongo.client import collection_of, orm_connection

PARTS = SheetPart._meta.db_table


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


def first_changes(sheet: str, limit: int) -> list[PlannedRow]:
    """The first rows that change a product."""
    found = parts().find({"sheet": sheet, "changed": {"$gt": 0}}, ["rows"]).sort("number").limit(limit)
    rows = (row for part in found for row in part["rows"] if row["kind"] == "changed")
    return list(islice(rows, limit))


def refused_rows(sheet: str) -> Iterator[RefusedRow]:
    """All rows that were not taken, when the file was checked or when it was loaded, in their order."""
    found = parts().find({"sheet": sheet}, ["bad", "failed"]).sort("number").batch_size(20)
    for part in found:
        yield from sorted([*part["bad"], *part["failed"]], key=lambda row: row["number"])


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
