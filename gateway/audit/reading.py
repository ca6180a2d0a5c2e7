"""Reading the trail: newest first, each filter on an index, a page at a time."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from bson import ObjectId

from gateway.audit.documents import AuditEntryDocument
from gateway.audit.models import AuditEntry
from gateway.audit.trail import Action
from gateway.mongo.policies import AUDIT
from gateway.mongo.reads import Read
from gateway.paging import Page, Placed, Position, Slice, SortKey, page_of, ranges_beyond, reading_order

TRAIL = AuditEntry._meta.db_table
NEWEST_FIRST = SortKey("at", -1)
# As many as are worth knowing; a larger number says no more than «many».
COUNTED = 1_000


@dataclass(frozen=True, slots=True)
class Sought:
    """Which entries are meant: those for which everything holds that is given."""

    target: str = ""
    actor_id: str | None = None
    """Empty: what programs did; None: whoever did it."""
    actions: frozenset[Action] | None = None
    since: datetime | None = None
    until: datetime | None = None
    """The first moment that is too late."""
    step: str = ""


def entries(sought: Sought, part: Slice) -> Read[Page[AuditEntryDocument]]:
    """The entries of one page. Walks one index; of a target or a step, it looks at the rest of what is sought."""
    ranges = [
        _within({**point, **beyond}, sought)
        for point in _points(sought)
        for beyond in ranges_beyond(NEWEST_FIRST, _with_object_id(part))
    ]

    def page(documents: Sequence[AuditEntryDocument]) -> Page[AuditEntryDocument]:
        return page_of([Placed(entry, position_of(entry)) for entry in documents], part)

    return Read(
        collection=TRAIL,
        policy=AUDIT,
        where=ranges[0] if len(ranges) == 1 else {"$or": ranges},
        sort=reading_order(NEWEST_FIRST, part),
        limit=part.size + 1,
        hint=_index(sought),
        result=page,
    )


def count_of(sought: Sought) -> Read[int]:
    """How many there are; more than `COUNTED` count as one more than that."""
    points = [_within(point, sought) for point in _points(sought)]
    return Read(
        collection=TRAIL,
        policy=AUDIT,
        where=points[0] if len(points) == 1 else {"$or": points},
        fields=("at",),
        sort=(("at", -1), ("_id", -1)),
        limit=COUNTED + 1,
        hint=_index(sought),
        result=len,
    )


def position_of(entry: AuditEntryDocument) -> Position:
    return Position(entry["at"], str(entry["_id"]))


def _points(sought: Sought) -> list[dict[str, Any]]:
    """Where the index is entered: one filter for each action, so that the planner walks all of them in order."""
    point: dict[str, Any] = {}
    if sought.step:
        point["step"] = sought.step
    if sought.target:
        point["target"] = sought.target
    if sought.actor_id is not None:
        point["actor_id"] = sought.actor_id
    if sought.actions is None:
        return [point]
    return [{**point, "action": code} for code in sorted(action.value for action in sought.actions)]


def _within(where: dict[str, Any], sought: Sought) -> dict[str, Any]:
    """The filter with the period that is sought."""
    bounds = {"$gte": sought.since, "$lt": sought.until}
    period = {operator: moment for operator, moment in bounds.items() if moment is not None}
    if not period:
        return where
    return {"$and": [where, {"at": period}]} if "at" in where else {**where, "at": period}


def _index(sought: Sought) -> str:
    """The index that narrows most; the planner, which knows only what it tried last, might take another."""
    fields = {
        "step": bool(sought.step),
        "target": bool(sought.target),
        "actor_id": sought.actor_id is not None,
        "action": sought.actions is not None,
    }
    asked = [field for field, is_asked in fields.items() if is_asked]
    narrowing = asked[:1] if asked[:1] in (["step"], ["target"]) else asked
    return "_".join([*(f"{field}_1" for field in narrowing), "at_-1__id_-1"])


def _with_object_id(part: Slice) -> Slice:
    """The slice with the id as the trail has it: positions carry text."""
    if part.beyond is None:
        return part
    id_: Any = ObjectId(part.beyond.id)
    return Slice(part.size, part.backward, Position(part.beyond.value, id_))
