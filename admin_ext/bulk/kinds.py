"""The kinds of jobs that change many products, and that take such a job back."""

from collections.abc import Sequence
from datetime import timedelta

from pymongo.errors import ExecutionTimeout

from admin_ext.bulk.words import selection_words, title_of
from admin_ext.jobs.documents import JobDocument, RemarkDocument
from admin_ext.jobs.kinds import JobKind, Piece, Submission
from admin_ext.jobs.queue import CATALOG, actor_of
from admin_ext.jobs.remarks import conflict, keep_remarks, refusal
from catalog.bulk.change import BulkChange
from catalog.bulk.operations import Move
from catalog.changes.batch import Outcome, Wanted, change_products
from catalog.changes.undo import product_of, wanted_back
from catalog.errors import NotUndone, UnknownProduct
from catalog.listing.selection import Selection, categories_of, count, keys_after
from catalog.products.cards import ProductKey, keys_now
from gateway.audit.documents import AuditEntryDocument
from gateway.audit.reading import TRAIL, Sought, entries
from gateway.domain.texts import Text
from gateway.mongo.client import collection_of, orm_connection
from gateway.mongo.policies import STOCK_CHECK
from gateway.mongo.reads import run
from gateway.paging import Position, Slice
from gateway.staff.language import said, staff_language

BULK_CHANGE, UNDO = "bulk_change", "undo"
CHANGE_PRODUCTS = "catalog.change_product"
BULK_TITLE = Text("Массовое изменение: {change}", "Bulk change: {change}")
UNDO_TITLE = Text("Отмена задания № {number}: {title}", "Undo of job № {number}: {title}")
# Two hundred products are one read, one write and one insert of a tenth of a second: a sale waits no longer than that.
PACE = 200
# Each goes from one shard to another by commands of its own.
MOVES = 20
# A million entries of an index are counted in half a second.
COUNT_MS = 3_000
# Clocks of the servers differ, but not by so much.
CLOCKS = timedelta(minutes=5)
SELECTION = Text("Товары", "Products")
WHOLE_CATALOG = Text("весь каталог", "the whole catalog")
OPERATIONS = Text("Что сделать", "What is done")
REASON = Text("Причина", "Reason")
CHANGED = Text("изменено", "changed")
UNCHANGED = Text("без изменений", "unchanged")
REFUSED = Text("не изменено: отказ", "refused")
RESTORED = Text("возвращено", "restored")
CONFLICTS = Text("не возвращено: изменено позже", "not restored: changed since")


def bulk_submission(selection: Selection, change: BulkChange, *, reason: str) -> Submission:
    """The job that does the change to every product of the selection."""
    title = title_of(change)
    return Submission(
        kind=BULK_CHANGE,
        title=Text(BULK_TITLE.in_language("ru", change=title.ru), BULK_TITLE.in_language("en", change=title.en)),
        parameters={"selection": selection.to_document(), "operations": change.to_document(), "reason": reason},
        scope=_scope(selection, change),
        total=count(selection),
    )


def change_piece(job: JobDocument) -> Piece:
    """Change the next products of the selection, all of one category."""
    given = job["parameters"]
    selection, change = Selection.from_document(given["selection"]), BulkChange.from_document(given["operations"])
    after = ProductKey(*job["cursor"]) if job["cursor"] else None
    moves = any(isinstance(operation, Move) for operation in change.operations)
    keys = keys_after(selection, after, min(job["pace"], MOVES) if moves else job["pace"])
    if not keys:
        return Piece(cursor=None)
    met = _met_before(job, keys)
    fresh = [key for key in keys if key.id not in met]
    outcomes = change_products(fresh, change.wanted, actor=actor_of(job), reason=given["reason"])
    remarks = keep_remarks(job, [refusal(each.key.id, reason) for each in outcomes for reason in each.refusals])
    return Piece(
        cursor=list(keys[-1]),
        done=len(fresh),
        counts={
            "changed": sum(bool(each.changes) for each in outcomes),
            "unchanged": sum(not each.changes and not each.refusals for each in outcomes),
            "refused": sum(bool(each.refusals) for each in outcomes),
            **remarks,
        },
    )


def bulk_words(job: JobDocument) -> list[tuple[Text, str]]:
    """What was chosen, and what is done to it."""
    given = job["parameters"]
    change, selection = BulkChange.from_document(given["operations"]), Selection.from_document(given["selection"])
    told = title_of(change)
    lines = [
        (SELECTION, "; ".join(selection_words(selection)) or said(WHOLE_CATALOG)),
        (OPERATIONS, told.en if staff_language() == "en" else told.ru),
    ]
    return [*lines, *([(REASON, given["reason"])] if given["reason"] else [])]


def undo_submission(job: JobDocument) -> Submission:
    """The job that takes back what this one changed: an undo is undone in the same way."""
    title = job["title"]
    return Submission(
        kind=UNDO,
        title=Text(
            UNDO_TITLE.in_language("ru", number=job["number"], title=title["ru"]),
            UNDO_TITLE.in_language("en", number=job["number"], title=title["en"]),
        ),
        parameters={"number": job["number"]},
        scope=tuple(job["scope"]),
        total=_number_changed(job),
        undoes=job["_id"],
    )


def undo_piece(job: JobDocument) -> Piece:
    """Take back the next changes of the job, newest first, of one category: what nobody has changed since."""
    beyond = Position(job["cursor"][0], job["cursor"][1]) if job["cursor"] else None
    page = run(entries(Sought(step=job["undoes"]), Slice(job["pace"], beyond=beyond)))
    if not page.placed:
        return Piece(cursor=None)
    taken, keys = _of_one_category(page.documents)
    wanted = {product_of(entry): wanted_back(entry) for entry in taken if _is_undone(entry)}
    outcomes = change_products(keys, lambda product: wanted[product["_id"]], actor=actor_of(job))
    known = {key.id for key in keys}
    gone = [Outcome(ProductKey("", id_), refusals=(UnknownProduct(),)) for id_ in wanted if id_ not in known]
    told = [*outcomes, *gone]
    remarks = keep_remarks(job, [remark for each in told for remark in _remarks(each, wanted[each.key.id])])
    last = page.placed[len(taken) - 1].position
    return Piece(
        cursor=[last.value, last.id],
        done=len(taken),
        counts={
            "restored": sum(bool(each.changes) for each in told),
            "conflicts": sum(bool(each.conflicts) for each in told),
            "refused": sum(bool(each.refusals) for each in told),
            "unchanged": sum(not (each.changes or each.conflicts or each.refusals) for each in told),
            **remarks,
        },
    )


BULK_CHANGE_KIND = JobKind(
    code=BULK_CHANGE,
    title=Text("Массовое изменение", "Bulk change"),
    right=CHANGE_PRODUCTS,
    work=change_piece,
    pace=PACE,
    counts={"changed": CHANGED, "unchanged": UNCHANGED, "refused": REFUSED},
    undo=undo_submission,
    words=bulk_words,
)
UNDO_KIND = JobKind(
    code=UNDO,
    title=Text("Отмена изменений", "Undo"),
    right=CHANGE_PRODUCTS,
    work=undo_piece,
    pace=PACE,
    counts={"restored": RESTORED, "conflicts": CONFLICTS, "refused": REFUSED, "unchanged": UNCHANGED},
    undo=undo_submission,
)


def _scope(selection: Selection, change: BulkChange) -> tuple[str, ...]:
    """The categories whose products change: those they are in, and those they go to."""
    categories = categories_of(selection)
    if categories is None:
        return (CATALOG,)
    targets = [operation.category for operation in change.operations if isinstance(operation, Move)]
    return tuple(f"category:{slug}" for slug in sorted({*categories, *targets}))


def _met_before(job: JobDocument, keys: Sequence[ProductKey]) -> set[str]:
    """Those that the job has changed already, in a category from which they have been moved since."""
    if job["cursor"] is None:
        return set()
    targets = [f"product:{key.id}" for key in keys]
    found = collection_of(TRAIL, AuditEntryDocument).find(
        {"target": {"$in": targets}, "at": {"$gte": job["created_at"] - CLOCKS}, "step": job["_id"]},
        ["target"],
        hint="target_1_at_-1__id_-1",
        session=orm_connection().session,
    )
    return {entry["target"].removeprefix("product:") for entry in found}


def _number_changed(job: JobDocument) -> int | None:
    """How many changes the job has made; None when that takes too long to tell."""
    trail = collection_of(TRAIL, AuditEntryDocument)
    try:
        return trail.count_documents({"step": job["_id"]}, hint="step_1_at_-1__id_-1", maxTimeMS=COUNT_MS)
    except ExecutionTimeout:
        return None


def _of_one_category(found: Sequence[AuditEntryDocument]) -> tuple[Sequence[AuditEntryDocument], list[ProductKey]]:
    """The first of the entries, as far as they tell of different products of one category, and where these are."""
    ids = [product_of(entry) if _is_undone(entry) else "" for entry in found]
    homes = {key.id: key for key in run(keys_now([id_ for id_ in ids if id_], STOCK_CHECK))}
    keys: dict[str, ProductKey] = {}
    for index, id_ in enumerate(ids):
        home = homes.get(id_)
        first = next(iter(keys.values()), None)
        if id_ in keys or (home and first and home.category != first.category):
            return found[:index], list(keys.values())
        if home:
            keys[id_] = home
    return found, list(keys.values())


def _is_undone(entry: AuditEntryDocument) -> bool:
    try:
        product_of(entry)
    except NotUndone:
        return False
    return True


def _remarks(outcome: Outcome, wanted: Wanted) -> list[RemarkDocument]:
    left = [
        conflict(outcome.key.id, field, now=now, wished=wanted.values[field])
        for field, (_, now) in outcome.conflicts.items()
    ]
    return [*left, *(refusal(outcome.key.id, reason) for reason in outcome.refusals)]
