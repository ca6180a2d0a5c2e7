"""The job that loads a checked file: just what the check has shown, unless somebody was there before."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from admin_ext.bulk.kinds import undo_submission
from admin_ext.jobs.documents import JobDocument
from admin_ext.jobs.kinds import JobKind, Piece
from admin_ext.jobs.links import result_links
from admin_ext.jobs.queue import actor_of
from admin_ext.sheets.check import RESULT, stored_products
from admin_ext.sheets.documents import PlannedRow, RefusedRow
from admin_ext.sheets.imports import LOAD, import_of
from admin_ext.sheets.links import import_url
from admin_ext.sheets.parts import part_of, parts, refused_row
from catalog.changes.addition import add_products
from catalog.changes.batch import Outcome, Wanted, change_products
from catalog.changes.values import attributes_in, quantities_in, values_of
from catalog.documents import ProductDocument
from catalog.errors import ProductExists, UnknownProduct
from catalog.exchange.errors import AppearedMeanwhile, ValueChangedMeanwhile
from catalog.exchange.plan import about_values, new_draft, still_wanted
from catalog.products.cards import ProductKey
from gateway.audit.trail import Actor
from gateway.domain.errors import DomainError
from gateway.domain.texts import Text
from gateway.mongo.client import orm_connection

# Products of a piece: a read, a write and an insert for each category, within a second.
PACE = 250
REASON = Text("файл {name}", "file {name}")


class _Done(NamedTuple):
    """What became of one row."""

    row: PlannedRow
    kind: str
    reasons: tuple[DomainError, ...] = ()


def load_piece(job: JobDocument) -> Piece:
    """Load the next rows."""
    sheet = import_of(job["parameters"]["sheet"])
    number, begin = job["cursor"] or (0, 0)
    part = part_of(sheet["_id"], number)
    if part is None:
        return Piece(cursor=None)
    rows = part["rows"][begin : begin + job["pace"]]
    reason = REASON.ru.format(name=sheet["name"])
    done = [
        *_add([row for row in rows if row["kind"] == "created"], actor_of(job), reason),
        *_change([row for row in rows if row["kind"] == "changed"], actor_of(job), reason),
    ]
    failed: list[RefusedRow] = [
        refused_row(each.row["number"], each.row["id"], each.row["cells"], each.reasons)
        for each in done
        if each.reasons
    ]
    if failed:
        parts().update_one(
            {"sheet": sheet["_id"], "_id": part["_id"]},
            {"$push": {"failed": {"$each": failed}}, "$inc": {"refused": len(failed)}},
            session=orm_connection().session,
        )
    end = begin + len(rows)
    cursor = [number, end] if end < len(part["rows"]) else [number + 1, 0]
    result = result_links((RESULT, import_url(sheet["_id"])))
    return Piece(cursor=cursor, done=len(rows), counts=Counter(each.kind for each in done), result=result)


def _add(rows: Sequence[PlannedRow], actor: Actor, reason: str) -> list[_Done]:
    drafts = [new_draft(row["id"], {field: after for field, _, after in row["changes"]}) for row in rows]
    outcomes = add_products(drafts, actor=actor, reason=reason)
    appeared = [
        outcome.key.id for outcome in outcomes if any(isinstance(each, ProductExists) for each in outcome.refusals)
    ]
    stored = stored_products(appeared) if appeared else {}
    return [_added(row, outcome, stored.get(row["id"])) for row, outcome in zip(rows, outcomes, strict=True)]


def _added(row: PlannedRow, outcome: Outcome, stored: ProductDocument | None) -> _Done:
    if stored is not None:
        wanted = still_wanted(_changes(row), stored)
        return _Done(row, "bad", (AppearedMeanwhile(),)) if wanted.values else _Done(row, "unchanged")
    if not outcome.refusals:
        return _Done(row, "created")
    values = {field: after for field, _, after in row["changes"]}
    reasons = about_values(outcome.refusals, attributes=list(attributes_in(values)), stock=list(quantities_in(values)))
    return _Done(row, "bad", reasons)


def _change(rows: Sequence[PlannedRow], actor: Actor, reason: str) -> list[_Done]:
    by_id = {row["id"]: row for row in rows}
    read = stored_products(list(by_id)) if rows else {}
    done = [_Done(row, "bad", (UnknownProduct("id"),)) for id_, row in by_id.items() if id_ not in read]
    categories: dict[str, list[ProductKey]] = {}
    for id_, product in read.items():
        categories.setdefault(product["category"], []).append(ProductKey(product["category"], id_))

    def decide(product: ProductDocument) -> Wanted:
        return still_wanted(_changes(by_id[product["_id"]]), product)

    for keys in categories.values():
        outcomes = change_products(keys, decide, actor=actor, reason=reason)
        done += [_changed(by_id[each.key.id], each, read[each.key.id]) for each in outcomes]
    return done


def _changed(row: PlannedRow, outcome: Outcome, before: ProductDocument) -> _Done:
    conflicts = [
        ValueChangedMeanwhile(field, seen=_shown(seen), now=_shown(now))
        for field, (seen, now) in outcome.conflicts.items()
    ]
    wanted = still_wanted(_changes(row), before).values
    refusals = about_values(
        outcome.refusals,
        attributes=list(attributes_in({**values_of(before), **wanted})),
        stock=list(quantities_in(wanted)),
    )
    kind = "changed" if outcome.changes else "bad" if conflicts or refusals else "unchanged"
    return _Done(row, kind, (*conflicts, *refusals))


def _changes(row: PlannedRow) -> dict[str, tuple[object, object]]:
    return {field: (before, after) for field, before, after in row["changes"]}


def _shown(value: object) -> str:
    return "—" if value is None else str(value)


LOAD_KIND = JobKind(
    code=LOAD,
    title=Text("Загрузка файла", "Import of a file"),
    right="catalog.change_product",
    work=load_piece,
    pace=PACE,
    counts={
        "created": Text("создано", "created"),
        "changed": Text("изменено", "changed"),
        "unchanged": Text("без изменений", "unchanged"),
        "bad": Text("не загружено", "not loaded"),
    },
    undo=undo_submission,
)
