"""Imports as staff list them: newest first, one's own or all, each on an index, a page at a time."""

from collections.abc import Mapping, Sequence

from admin_ext.jobs.documents import JobDocument
from admin_ext.jobs.queue import JOBS
from admin_ext.sheets.documents import ImportDocument
from admin_ext.sheets.imports import IMPORTS
from gateway.mongo.policies import STAFF_LIST
from gateway.mongo.reads import Read
from gateway.paging import Page, Placed, Position, Slice, SortKey, page_of, ranges_beyond, reading_order

NEWEST_FIRST = SortKey("created_at", -1)
LISTED = ("name", "owner_name", "check_job", "load_job", "created_at")


class Listed(ImportDocument):
    """An import with the jobs that check and load it, as far as there are any."""

    jobs: Mapping[str, JobDocument]


def page(owner: str, part: Slice) -> Read[Page[ImportDocument]]:
    """The imports of one page; an empty owner means everybody's."""
    point = {"owner": owner} if owner else {}
    ranges = [{**point, **beyond} for beyond in ranges_beyond(NEWEST_FIRST, part)]
    return Read(
        collection=IMPORTS,
        policy=STAFF_LIST,
        where=ranges[0] if len(ranges) == 1 else {"$or": ranges},
        fields=LISTED,
        sort=reading_order(NEWEST_FIRST, part),
        limit=part.size + 1,
        hint="owner_1_created_at_-1__id_-1" if owner else "created_at_-1__id_-1",
        result=lambda documents: page_of([_placed(each) for each in documents], part),
    )


def jobs_of(imports: Sequence[ImportDocument]) -> Read[Mapping[str, JobDocument]]:
    """The jobs that check and load these imports, by id."""
    ids = [id_ for each in imports for id_ in (each["check_job"], each.get("load_job", "")) if id_]
    return Read(
        collection=JOBS,
        policy=STAFF_LIST,
        where={"_id": {"$in": ids}},
        result=lambda documents: {document["_id"]: document for document in documents},
    )


def with_jobs(found: Page[ImportDocument], jobs: Mapping[str, JobDocument]) -> Page[Listed]:
    placed = [Placed(Listed(**each.document, jobs=jobs), each.position) for each in found.placed]
    return Page(placed, has_next=found.has_next, has_previous=found.has_previous)


def _placed(sheet: ImportDocument) -> Placed[ImportDocument]:
    return Placed(sheet, Position(sheet["created_at"], sheet["_id"]))
