"""Who may see a job, and do what to it."""

from collections.abc import Callable
from typing import Any, NamedTuple

from admin_ext.job_kinds import KINDS
from admin_ext.jobs import controls
from admin_ext.jobs.documents import FINISHED, JobDocument, State
from gateway.accounts.models import User
from gateway.audit.trail import Actor
from gateway.domain.texts import Text

SEE_ALL = "jobs.view_job"


class Control(NamedTuple):
    """A button on the page of a job."""

    name: str
    title: Text
    states: tuple[State, ...]
    """The states in which it makes sense."""
    act: Callable[[str, Actor], JobDocument]
    """Returns the job whose page comes next."""
    done: Text
    look: str = "default"


CONTROLS = (
    Control(
        "pause",
        Text("Приостановить", "Pause"),
        ("waiting", "running"),
        lambda job_id, _: controls.pause(job_id),
        Text("Задание приостановлено.", "The job is paused."),
    ),
    Control(
        "resume",
        Text("Продолжить", "Resume"),
        ("paused",),
        lambda job_id, _: controls.resume(job_id),
        Text("Задание продолжится.", "The job goes on."),
        "primary",
    ),
    Control(
        "cancel",
        Text("Прервать", "Cancel"),
        ("waiting", "running", "paused"),
        lambda job_id, _: controls.cancel(job_id),
        Text(
            "Задание прервано. Что оно успело изменить, можно отменить.",
            "The job is cancelled. What it has changed so far can be undone.",
        ),
        "danger",
    ),
    Control(
        "retry",
        Text("Повторить", "Retry"),
        ("failed",),
        lambda job_id, _: controls.retry(job_id),
        Text("Задание продолжится с того места, где остановилось.", "The job goes on from where it stopped."),
        "primary",
    ),
    Control(
        "undo",
        Text("Отменить изменения", "Undo the changes"),
        FINISHED,
        lambda job_id, actor: controls.undo(job_id, KINDS, actor=actor),
        Text("Изменения отменяются.", "The changes are being undone."),
        "danger",
    ),
)


def owns(user: Any, job: JobDocument) -> bool:
    return bool(job["actor"]["id"]) and job["actor"]["id"] == str(user.pk)


def may_see(user: User, job: JobDocument | None) -> bool:
    """Whoever sees all jobs sees this one; others only their own."""
    return user.has_perm(SEE_ALL) or (job is not None and owns(user, job))


def may_control(user: User, job: JobDocument) -> bool:
    kind = KINDS.get(job["kind"])
    return kind is not None and may_see(user, job) and user.has_perm(kind.right)


def offered(user: User, job: JobDocument) -> list[Control]:
    """What this person may do to the job now."""
    if not may_control(user, job):
        return []
    return [each for each in CONTROLS if job["state"] in each.states and (each.name != "undo" or _is_undoable(job))]


def _is_undoable(job: JobDocument) -> bool:
    return KINDS[job["kind"]].undo is not None and bool(job["done"]) and not job["undone_by"]
