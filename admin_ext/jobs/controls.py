"""What people do to a job: pause, go on, cancel, try again, undo."""

from collections.abc import Mapping, Sequence

from pymongo import ReturnDocument

from admin_ext.jobs.documents import FINISHED, UNFINISHED, JobDocument, State
from admin_ext.jobs.errors import NotUndoable, WrongState
from admin_ext.jobs.kinds import JobKind
from admin_ext.jobs.queue import TASK, id_under, job_of, jobs, submit_as
from gateway.audit.trail import Actor
from gateway.background import send_soon
from gateway.mongo.client import Expression


def pause(job_id: str) -> JobDocument:
    """Stop the job where it is; the piece that runs just now is either done or not begun."""
    return _move(job_id, ("waiting", "running"), {"state": "paused", "lease": "$$REMOVE"})


def resume(job_id: str) -> JobDocument:
    """Let the job go on where it was paused."""
    return _send(_move(job_id, ("paused",), {"state": "waiting", "tries": 0}))


def cancel(job_id: str) -> JobDocument:
    """End the job. What it has done stays, and may be undone."""
    return _move(job_id, UNFINISHED, {"state": "cancelled", "finished_at": "$$NOW", "lease": "$$REMOVE"})


def retry(job_id: str) -> JobDocument:
    """Let a job that failed go on where it stopped."""
    return _send(_move(job_id, ("failed",), {"state": "waiting", "tries": 0, "finished_at": None, "noticed": False}))


def undo(job_id: str, kinds: Mapping[str, JobKind], *, actor: Actor) -> JobDocument:
    """Submit the job that takes this one back, and return it; asked twice, it is the same."""
    job = job_of(job_id)
    make = kinds[job["kind"]].undo
    if make is None or job["state"] not in FINISHED or not job["done"]:
        raise NotUndoable
    # Whoever presses the button, and however often: it is one undo.
    undoing = submit_as(id_under(f"undo:{job_id}"), make(job), actor=actor)
    jobs().update_one({"_id": job_id}, {"$set": {"undone_by": undoing["_id"]}})
    return undoing


def _move(job_id: str, leaving: Sequence[State], fields: Expression) -> JobDocument:
    moved = jobs().find_one_and_update(
        {"_id": job_id, "state": {"$in": list(leaving)}},
        [{"$set": {**fields, "waits_for": 0}}],
        return_document=ReturnDocument.AFTER,
    )
    if moved is None:
        job_of(job_id)
        raise WrongState
    return moved


def _send(job: JobDocument) -> JobDocument:
    send_soon(TASK, job["_id"])
    return job
