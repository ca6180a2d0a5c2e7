"""Jobs as staff list them: newest first, each filter on an index, a page at a time."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from admin_ext.jobs.documents import UNFINISHED, JobDocument
from admin_ext.jobs.queue import JOBS
from gateway.mongo.policies import STAFF_LIST
from gateway.mongo.reads import Read
from gateway.paging import Page, Placed, Position, Slice, SortKey, page_of, reading_direction

NEWEST_FIRST = SortKey("number", -1)
# Nobody waits for more at once.
MAX_NOTICES = 20
# What a list shows; neither logs nor the parameters of an import.
LISTED = ("number", "kind", "title", "state", "total", "done", "counts", "actor", "undoes", "undone_by", "waits_for")
TIMES = ("created_at", "started_at", "finished_at")


class Sought(NamedTuple):
    """Which jobs are meant: those for which everything holds that is given."""

    owner: str = ""
    state: str = ""
    kind: str = ""


def page(sought: Sought, part: Slice) -> Read[Page[JobDocument]]:
    """The jobs of one page. Walks one index, of the owner first: everybody's own jobs are few."""
    direction = reading_direction(NEWEST_FIRST, part)
    where: dict[str, Any] = {"actor.id": sought.owner, "state": sought.state, "kind": sought.kind}
    given = {field: value for field, value in where.items() if value}
    beyond = {"number": {"$gt" if direction > 0 else "$lt": part.beyond.value}} if part.beyond else {}
    index = next((field for field in given if field), "")
    return Read(
        collection=JOBS,
        policy=STAFF_LIST,
        where={**given, **beyond},
        fields=(*LISTED, *TIMES),
        sort=(("number", direction),),
        limit=part.size + 1,
        hint=f"{index}_1_number_-1" if index else "number_-1",
        result=lambda documents: page_of([_placed(job) for job in documents], part),
    )


def unnoticed(owner: str) -> Read[list[JobDocument]]:
    """Of this person's newest jobs those that run, and those whose end they have not been told of."""

    def still_told(documents: Sequence[JobDocument]) -> list[JobDocument]:
        return [job for job in documents if job["state"] in UNFINISHED or not job["noticed"]]

    return Read(
        collection=JOBS,
        policy=STAFF_LIST,
        where={"actor.id": owner},
        fields=("number", "kind", "title", "state", "counts", "actor", "noticed"),
        sort=(("number", -1),),
        limit=MAX_NOTICES,
        hint="actor.id_1_number_-1",
        result=still_told,
    )


def _placed(job: JobDocument) -> Placed[JobDocument]:
    return Placed(job, Position(job["number"], job["_id"]))
