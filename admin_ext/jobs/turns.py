"""Whose turn it is: a job is run by one worker at a time, and not beside another that changes the same products."""

from datetime import timedelta

from pymongo import ReturnDocument

from admin_ext.jobs.documents import UNFINISHED, JobDocument, TurnDocument
from admin_ext.jobs.models import JobTurn
from admin_ext.jobs.queue import CATALOG, TASK, jobs
from gateway.background import send_soon
from gateway.mongo.client import Expression, collection_of, orm_connection
from gateway.mongo.transactions import in_transaction

# A piece takes a second or two and renews it; whoever is silent for so long is dead, and the job goes on elsewhere.
LEASE = timedelta(seconds=20)
LEASE_MS = LEASE // timedelta(milliseconds=1)
NOW = "$$NOW"
IS_FREE: Expression = {"$lte": [{"$ifNull": ["$lease.until", NOW]}, NOW]}


def take(job_id: str, holder: str) -> JobDocument | None:
    """The job, to be run by this holder; None when it is not to be run now: another runs it, or must run before."""
    return in_transaction(lambda: _take(job_id, holder))


def renewed(holder: str) -> Expression:
    return {"holder": holder, "until": {"$add": [NOW, LEASE_MS]}}


def resend_waiting(limit: int = 100) -> int:
    """Have those jobs run for which nobody holds a lease; returns how many."""
    found = jobs().find({"state": {"$in": ["waiting", "running"]}, "$expr": IS_FREE}, ["_id"], limit=limit)
    ids = [job["_id"] for job in found]
    for job_id in ids:
        send_soon(TASK, job_id)
    return len(ids)


def _take(job_id: str, holder: str) -> JobDocument | None:
    session = orm_connection().session
    # Written by all who ask whose turn it is, so that no two can answer it differently.
    collection_of(JobTurn._meta.db_table, TurnDocument).update_one(
        {"_id": "turn"}, {"$inc": {"taken": 1}}, upsert=True, session=session
    )
    job = jobs().find_one({"_id": job_id, "state": {"$in": ["waiting", "running"]}, "$expr": IS_FREE}, session=session)
    if job is None:
        return None
    if first := _rival(job):
        jobs().update_one({"_id": job_id}, {"$set": {"waits_for": first["number"]}}, session=session)
        return None
    return jobs().find_one_and_update(
        {"_id": job_id},
        [
            {
                "$set": {
                    "state": "running",
                    "waits_for": 0,
                    "tries": {"$add": ["$tries", 1]},
                    "started_at": {"$ifNull": ["$started_at", NOW]},
                    "lease": renewed(holder),
                }
            }
        ],
        return_document=ReturnDocument.AFTER,
        session=session,
    )


def _rival(job: JobDocument) -> JobDocument | None:
    """The job that must end before this one may run: an earlier one, or one that has begun, over the same products."""
    if not job["scope"]:
        return None
    changes_all = CATALOG in job["scope"]
    shares: Expression = {"scope.0": {"$exists": True}} if changes_all else {"scope": {"$in": [*job["scope"], CATALOG]}}
    return jobs().find_one(
        {
            **shares,
            "_id": {"$ne": job["_id"]},
            "$or": [{"state": {"$in": list(UNFINISHED)}, "number": {"$lt": job["number"]}}, {"state": "running"}],
        },
        sort=[("number", 1)],
        session=orm_connection().session,
    )
