"""Jobs are submitted, found, and given to a worker."""

from datetime import UTC, datetime
from uuid import NAMESPACE_OID, uuid5

from pymongo.collection import Collection
from pymongo.errors import DuplicateKeyError

from admin_ext.jobs.documents import JobDocument, Said
from admin_ext.jobs.errors import UnknownJob
from admin_ext.jobs.kinds import Submission
from admin_ext.jobs.models import Job
from gateway.audit.trail import Actor, Source
from gateway.background import send_soon
from gateway.domain.texts import Text
from gateway.domain.uuid7 import uuid7
from gateway.mongo.client import collection_of

JOBS = Job._meta.db_table
TASK = "admin_ext.tasks.run_job"
# What changes products of every category.
CATALOG = "catalog"


def submit(submission: Submission, *, actor: Actor, key: str | None = None, pace: int = 100) -> JobDocument:
    """Write the job down and have it begun soon. Under the same key of the same person it is the same job."""
    return submit_as(id_under(f"{actor.id}:{key}") if key else str(uuid7()), submission, actor=actor, pace=pace)


def id_under(key: str) -> str:
    """The one id that a job has that was wanted under this key."""
    return str(uuid5(NAMESPACE_OID, key))


def submit_as(job_id: str, submission: Submission, *, actor: Actor, pace: int = 100) -> JobDocument:
    """Write the job down under this id; one that has it already is the job that was wanted."""
    while True:
        job = _new_job(job_id, submission, actor, pace)
        try:
            jobs().insert_one(job)
        except DuplicateKeyError:
            if found := jobs().find_one({"_id": job_id}):
                return found
            # Another has taken the number meanwhile.
            continue
        send_soon(TASK, job_id)
        return job


def job_of(job_id: str) -> JobDocument:
    """The job as it is now. Raises UnknownJob."""
    found = jobs().find_one({"_id": job_id})
    if found is None:
        raise UnknownJob
    return found


def actor_of(job: JobDocument) -> Actor:
    """Whoever wanted the job, with all that it does as one step of theirs."""
    owner = job["actor"]
    return Actor(owner["id"], owner["name"], Source(owner["source"]), step=job["_id"])


def said_in_both(text: Text, **values: object) -> Said:
    return {"ru": text.in_language("ru", **values), "en": text.in_language("en", **values)}


def jobs() -> Collection[JobDocument]:
    return collection_of(JOBS, JobDocument)


def _new_job(job_id: str, submission: Submission, actor: Actor, pace: int) -> JobDocument:
    newest = jobs().find_one({}, {"number": 1}, sort=[("number", -1)])
    return {
        "_id": job_id,
        "number": newest["number"] + 1 if newest else 1,
        "kind": submission.kind,
        # As it stands: it may hold what people typed, braces too.
        "title": {"ru": submission.title.ru, "en": submission.title.en},
        "parameters": dict(submission.parameters),
        "scope": list(submission.scope),
        "state": "waiting",
        "total": submission.total,
        "done": 0,
        "counts": {},
        "cursor": None,
        "pace": pace,
        "tries": 0,
        "log": [],
        "result": {},
        "actor": {"id": actor.id, "name": actor.name, "source": submission.source.value},
        "undoes": submission.undoes,
        "undone_by": "",
        "waits_for": 0,
        "noticed": False,
        "created_at": datetime.now(UTC),
        "started_at": None,
        "finished_at": None,
    }
