"""What the page of one job shows, in the words of the member of staff."""

from typing import Any, NamedTuple

from django.urls import reverse

from admin_ext.job_kinds import KINDS
from admin_ext.jobs.documents import JobDocument, RemarkDocument
from admin_ext.jobs.links import job_url
from admin_ext.jobs.pages.access import offered
from admin_ext.jobs.pages.words import (
    LOOKS,
    STATES,
    duration_text,
    in_language,
    is_unfinished,
    left_text,
    number_text,
    progress_text,
    waiting_text,
)
from admin_ext.jobs.queue import jobs
from admin_ext.jobs.remarks import remarks_of
from gateway.accounts.models import User
from gateway.audit.lines import READ_AUDIT, changes_in_words
from gateway.audit.links import audit_url
from gateway.domain.texts import Text
from gateway.mongo.reads import run
from gateway.staff.language import said
from gateway.staff.times import time_text

# The latest lines say where the job is; the first of a long story are in the audit.
LOG_LINES = 30
REMARKS = 50

WORDS = {
    "progress": Text("Ход", "Progress"),
    "about": Text("О задании", "About the job"),
    "log": Text("Что происходило", "Log"),
    "no_log": Text("Пока ничего.", "Nothing so far."),
    "kind": Text("Вид", "Kind"),
    "owner": Text("Кто", "Who"),
    "created": Text("Создано", "Created"),
    "started": Text("Начато", "Started"),
    "finished": Text("Закончено", "Finished"),
    "took": Text("Заняло", "Took"),
    "undoes": Text("Отменяет", "Undoes"),
    "undone_by": Text("Отменено", "Undone by"),
    "job": Text("задание", "job"),
    "not_yet": Text("ещё нет", "not yet"),
    "changes": Text("Все изменения в журнале", "All changes in the audit"),
    "remarks": Text("Осталось как есть", "Left as it is"),
    "product": Text("Товар", "Product"),
    "what": Text("Что", "What"),
    "now": Text("Сейчас", "Now"),
    "wished": Text("Было бы", "It would have been"),
    "download": Text("Скачать всё (CSV)", "Download all (CSV)"),
    "lost": Text("Нет связи: пробуем снова.", "No connection: trying again."),
}
FIRST_OF = Text("Показаны первые {count}.", "The first {count} are shown.")


class Count(NamedTuple):
    title: str
    number: str


class Button(NamedTuple):
    title: str
    url: str
    name: str
    look: str


class ShownRemark(NamedTuple):
    product: str
    url: str
    what: str
    now: str
    wished: str
    reason: str


def live_part(job: JobDocument, user: User) -> dict[str, Any]:
    """What changes while the job runs: asked for again and again."""
    kind = KINDS.get(job["kind"])
    return {
        "job": job,
        "words": {name: said(text) for name, text in WORDS.items()},
        "state": said(STATES[job["state"]]),
        "state_look": LOOKS[job["state"]],
        "is_unfinished": is_unfinished(job),
        "is_measured": job["total"] is not None,
        "progress": progress_text(job),
        "left": left_text(job),
        "waiting": waiting_text(job),
        "waiting_url": _url_of_number(job["waits_for"]),
        "counts": _counts(job),
        "finished": time_text(job["finished_at"], seconds=True) if job["finished_at"] else "",
        "took": duration_text(job),
        "log": [
            {"at": time_text(line["at"], seconds=True), "level": line["level"], "text": in_language(line)}
            for line in reversed(job["log"][-LOG_LINES:])
        ],
        "links": [{"title": in_language(link), "url": link["url"]} for link in job["result"].get("links", ())],
        "buttons": [
            Button(said(each.title), reverse(f"admin:jobs_job_{each.name}", args=[job["_id"]]), each.name, each.look)
            for each in offered(user, job)
        ],
        "undone_by": job_url(job["undone_by"]) if job["undone_by"] else "",
        "audit_url": audit_url(step=job["_id"]) if kind and kind.undo and user.has_perm(READ_AUDIT) else "",
        **_remarks(job),
    }


def whole_page(job: JobDocument, user: User) -> dict[str, Any]:
    """The context of the page."""
    kind = KINDS.get(job["kind"])
    return {
        **live_part(job, user),
        "title": f"№ {job['number']}. {in_language(job['title'])}",
        "kind": said(kind.title) if kind else job["kind"],
        "owner": job["actor"]["name"],
        "created": time_text(job["created_at"], seconds=True),
        "parameters": [(said(label), text) for label, text in kind.words(job)] if kind and kind.words else [],
        "undoes": job_url(job["undoes"]) if job["undoes"] else "",
        "progress_url": reverse("admin:jobs_job_progress", args=[job["_id"]]),
    }


def shown_remarks(remarks: list[RemarkDocument]) -> list[ShownRemark]:
    """The remarks in words. Asks for each kind of name once."""
    told = changes_in_words("product", [_values(remark) for remark in remarks])
    return [
        ShownRemark(
            remark["product"],
            reverse("admin:catalog_product_change", args=[remark["product"]]),
            changes[0].label if changes else "",
            changes[0].before or "—" if changes else "",
            changes[0].after if changes else "",
            in_language(remark),
        )
        for remark, changes in zip(remarks, told, strict=True)
    ]


def _values(remark: RemarkDocument) -> dict[str, tuple[Any, Any]]:
    return {remark["field"]: (remark["now"], remark["wished"])} if remark["field"] else {}


def _remarks(job: JobDocument) -> dict[str, Any]:
    number = job["counts"].get("remarks", 0)
    if not number:
        return {"remarks": []}
    return {
        "remarks": shown_remarks(run(remarks_of(job["_id"], limit=REMARKS))),
        "remarks_told": said(FIRST_OF, count=REMARKS) if number > REMARKS else "",
        "remarks_url": reverse("admin:jobs_job_remarks", args=[job["_id"]]),
    }


def _counts(job: JobDocument) -> list[Count]:
    kind = KINDS.get(job["kind"])
    titles = kind.counts if kind else {}
    return [
        Count(said(title), number_text(job["counts"][name]))
        for name, title in titles.items()
        if job["counts"].get(name)
    ]


def _url_of_number(number: int) -> str:
    found = jobs().find_one({"number": number}, ["_id"]) if number else None
    return job_url(found["_id"]) if found else ""
