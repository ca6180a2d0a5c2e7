"""What a change of the category tree leaves to be done to products: moves of a merge, thresholds of a branch.

The tree says itself what it owes, in marks that are written with the change. Each mark names its job, so that whoever
finds it, the page at once or the sweep after a crash, submits one and the same.
"""

from typing import Any, TypedDict

from admin_ext.jobs.documents import JobDocument
from admin_ext.jobs.kinds import JobKind, Line, Piece, Submission
from admin_ext.jobs.queue import actor_of, id_under, jobs, submit_as
from catalog.changes.merges import merge_some, merging
from catalog.documents import CategoryDocument, Owed
from catalog.structure.categories import branch_of, name_now
from catalog.structure.thresholds import bring_in_line, owing_thresholds, pay_thresholds
from gateway.audit.trail import Actor, Source
from gateway.domain.texts import Text

CHANGE_CATEGORIES = "catalog.change_category"

MERGE = Text("Объединение категорий", "Merging categories")
MERGE_OF = Text("«{name}» объединяется с «{into}»", "Merging «{name}» into «{into}»")
MERGED = Text("Категория «{name}» пуста и удалена.", "Category «{name}» is empty and deleted.")
LEFT = Text(
    "Категория «{name}» осталась: не все товары удалось перенести.",
    "Category «{name}» stays: not all of its products could be moved.",
)
NOT_MOVED = Text("{product}: {reason}", "{product}: {reason}")
REASON = Text("объединение категорий", "merging of categories")
THRESHOLDS = Text("Порог малого остатка", "Threshold of low stock")
THRESHOLDS_OF = Text("Порог малого остатка: «{name}»", "Threshold of low stock: «{name}»")


class MergeParameters(TypedDict):
    category: str
    name: str
    into: str
    token: str


class ThresholdParameters(TypedDict):
    category: str
    token: str


def submit_owed() -> list[JobDocument]:
    """Submit the job of every mark in the tree that has none; returns those that are owed now."""
    return [
        *(_submit(category["merging"], _merge_of(category), CATEGORY_MERGE) for category in merging()),
        *(
            _submit(category["thresholds_due"], _thresholds_of(category), CATEGORY_THRESHOLDS)
            for category in owing_thresholds()
        ),
    ]


def job_owed(owed: Owed) -> JobDocument | None:
    """The job of this mark."""
    return jobs().find_one({"_id": id_under(owed["token"])})


def _submit(owed: Owed, submission: Submission, kind: JobKind) -> JobDocument:
    actor = Actor(owed["actor_id"], owed["actor"], Source.ADMIN)
    return job_owed(owed) or submit_as(id_under(owed["token"]), submission, actor=actor, pace=kind.pace)


def _merge_of(category: CategoryDocument) -> Submission:
    slug, into = category["_id"], category["merging"]["into"]
    parameters: MergeParameters = {
        "category": slug,
        "name": category["name"],
        "into": into,
        "token": category["merging"]["token"],
    }
    return Submission(
        kind=CATEGORY_MERGE.code,
        title=_filled(MERGE_OF, name=category["name"], into=name_now(into)),
        parameters=dict(parameters),
        scope=(f"category:{slug}", f"category:{into}"),
    )


def _thresholds_of(category: CategoryDocument) -> Submission:
    slug = category["_id"]
    parameters: ThresholdParameters = {"category": slug, "token": category["thresholds_due"]["token"]}
    return Submission(
        kind=CATEGORY_THRESHOLDS.code,
        title=_filled(THRESHOLDS_OF, name=category["name"]),
        parameters=dict(parameters),
        scope=tuple(f"category:{each}" for each in branch_of(slug)),
    )


def _merge(job: JobDocument) -> Piece:
    given: MergeParameters = job["parameters"]  # type: ignore[assignment]
    piece = merge_some(
        given["category"],
        given["token"],
        after=job["cursor"] or "",
        limit=job["pace"],
        actor=actor_of(job),
        reason=REASON.ru,
    )
    if piece.is_finished:
        told = Line(MERGED if piece.is_gone else LEFT, {"name": given["name"]}, "info" if piece.is_gone else "warning")
        return Piece(None, log=[told])
    refused = [outcome for outcome in piece.outcomes if outcome.refusals]
    return Piece(
        piece.after,
        done=len(piece.outcomes),
        counts={"moved": len(piece.outcomes) - len(refused), "refused": len(refused)},
        log=[
            Line(NOT_MOVED, {"product": each.key.id, "reason": each.refusals[0].message()}, "warning")
            for each in refused
        ],
    )


def _bring_in_line(job: JobDocument) -> Piece:
    given: ThresholdParameters = job["parameters"]  # type: ignore[assignment]
    within = branch_of(given["category"])
    cursor: dict[str, Any] = job["cursor"] or {"category": "", "after": ""}
    # Where it stopped, if that was in the middle of a category; else the next one.
    category = cursor["category"] if cursor["after"] else next((s for s in within if s > cursor["category"]), None)
    if category is None:
        pay_thresholds(given["category"], given["token"])
        return Piece(None)
    some = bring_in_line(category, after=cursor["after"], limit=job["pace"])
    following = {"category": category, "after": some.last or ""}
    return Piece(following, done=some.products, counts={"looked_at": some.products})


def _filled(text: Text, **values: str) -> Text:
    """The text with its values, as a text without any: what looks like one in a name is no value."""
    plain = {name: value.replace("{", "{{").replace("}", "}}") for name, value in values.items()}
    return Text(text.in_language("ru", **plain), text.in_language("en", **plain))


CATEGORY_MERGE = JobKind(
    code="category_merge",
    title=MERGE,
    right=CHANGE_CATEGORIES,
    work=_merge,
    # Each is moved from one shard to another by a command of its own.
    pace=25,
    counts={"moved": Text("перенесено", "moved"), "refused": Text("осталось", "left")},
)
CATEGORY_THRESHOLDS = JobKind(
    code="category_thresholds",
    title=THRESHOLDS,
    right=CHANGE_CATEGORIES,
    work=_bring_in_line,
    pace=500,
    counts={"looked_at": Text("товаров просмотрено", "products looked at")},
)
