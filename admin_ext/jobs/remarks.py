"""What a job left alone, and why: one remark for each value that somebody has changed since, or product refused.

Written in the transaction of the piece. The log of a job is for its own story; remarks may be many, and are paged.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from bson import ObjectId
from pymongo.collection import Collection

from admin_ext.jobs.documents import JobDocument, RemarkDocument
from admin_ext.jobs.models import JobRemark
from gateway.domain.errors import DomainError
from gateway.mongo.client import collection_of, orm_connection
from gateway.mongo.policies import STAFF_LIST
from gateway.mongo.reads import Read, run

REMARKS = JobRemark._meta.db_table
# Whoever gets more has made a mistake that is better undone as a whole; their number is counted however many they are.
MAX_REMARKS = 100_000
BATCH = 1_000


def conflict(product_id: str, field: str, *, now: Any, wished: Any) -> RemarkDocument:
    """A value that somebody has changed since: it stays as it is."""
    return {**_remark(product_id), "field": field, "now": now, "wished": wished}


def refusal(product_id: str, reason: DomainError) -> RemarkDocument:
    """A product that was not changed at all."""
    return {**_remark(product_id), "ru": reason.message("ru"), "en": reason.message("en")}


def keep_remarks(job: JobDocument, remarks: Sequence[RemarkDocument]) -> dict[str, int]:
    """Write the remarks of a piece into the running transaction; returns how many, for the job's counts."""
    kept = remarks[: max(0, MAX_REMARKS - job["counts"].get("remarks", 0))]
    if kept:
        documents: list[RemarkDocument] = [{**remark, "job": job["_id"]} for remark in kept]
        _remarks().insert_many(documents, session=orm_connection().session)
    return {"remarks": len(kept)} if kept else {}


def remarks_of(job_id: str, after: ObjectId | None = None, limit: int = BATCH) -> Read[list[RemarkDocument]]:
    """The next remarks of the job, in the order in which they were made."""
    return Read(
        collection=REMARKS,
        policy=STAFF_LIST,
        where={"job": job_id, **({"_id": {"$gt": after}} if after else {})},
        sort=(("job", 1), ("_id", 1)),
        limit=limit,
        result=list,
    )


def parts_of(job_id: str) -> Iterator[list[RemarkDocument]]:
    """All remarks of the job, so many at a time."""
    after: ObjectId | None = None
    while part := run(remarks_of(job_id, after)):
        yield part
        after = part[-1]["_id"]


def _remark(product_id: str) -> RemarkDocument:
    return {
        "_id": ObjectId(),
        "job": "",
        "product": product_id,
        "field": "",
        "now": None,
        "wished": None,
        "ru": "",
        "en": "",
    }


def _remarks() -> Collection[RemarkDocument]:
    return collection_of(REMARKS, RemarkDocument)
