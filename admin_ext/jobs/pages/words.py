"""A job in people's words."""

from datetime import UTC, datetime, timedelta

from admin_ext.jobs.documents import UNFINISHED, JobDocument, Said, State
from gateway.domain.texts import Text
from gateway.staff.language import said, staff_language

STATES: dict[State, Text] = {
    "waiting": Text("ждёт", "waiting"),
    "running": Text("выполняется", "running"),
    "paused": Text("приостановлено", "paused"),
    "cancelled": Text("прервано", "cancelled"),
    "done": Text("готово", "done"),
    "failed": Text("ошибка", "failed"),
}
# The kinds of Unfold's labels.
LOOKS: dict[State, str] = {
    "waiting": "default",
    "running": "info",
    "paused": "warning",
    "cancelled": "default",
    "done": "success",
    "failed": "danger",
}
# For columns of Unfold, which show a pair of a kind and a text.
LABELS = {look: look for look in LOOKS.values()}
WAITS_FOR = Text(
    "Ждёт, пока закончится задание № {number}: оно меняет те же товары.",
    "Waits for job № {number} to end: it changes the same products.",
)
SOON = Text("Начнётся, как только освободится исполнитель.", "Begins as soon as a worker is free.")
DONE_OF = Text("{done} из {total}", "{done} of {total}")
LEFT = Text("осталось около {span}", "about {span} left")
_SPANS = (
    (timedelta(hours=1), Text("{count} ч", "{count} h")),
    (timedelta(minutes=1), Text("{count} мин", "{count} min")),
    (timedelta(seconds=1), Text("{count} с", "{count} s")),
)
MOMENT = Text("меньше секунды", "less than a second")


def in_language(text: Said) -> str:
    """The text in the language of the page. It is told as it stands: what people typed may hold braces."""
    return text[staff_language()]


def number_text(number: int) -> str:
    return f"{number:,}".replace(",", " ")


def progress_text(job: JobDocument) -> str:
    """How far it is: «1 200 из 2 000»."""
    done = number_text(job["done"])
    return done if job["total"] is None else said(DONE_OF, done=done, total=number_text(job["total"]))


def waiting_text(job: JobDocument) -> str:
    """For what it waits; empty when it does not."""
    if job["state"] != "waiting":
        return ""
    return said(WAITS_FOR, number=job["waits_for"]) if job["waits_for"] else said(SOON)


def span_text(span: timedelta) -> str:
    """«2 мин 5 с»: the two largest units."""
    parts = []
    for unit, text in _SPANS:
        count, span = span // unit, span % unit
        if count:
            parts.append(said(text, count=count))
    return " ".join(parts[:2]) or said(MOMENT)


def duration_text(job: JobDocument) -> str:
    """How long it has taken so far; empty before it began."""
    if job["started_at"] is None:
        return ""
    return span_text(_utc(job["finished_at"] or datetime.now(UTC)) - _utc(job["started_at"]))


def left_text(job: JobDocument) -> str:
    """How long it will take, by how long it took so far; empty when nobody can tell."""
    total, done = job["total"], job["done"]
    if job["state"] != "running" or not total or not done or job["started_at"] is None or done >= total:
        return ""
    spent = datetime.now(UTC) - _utc(job["started_at"])
    return said(LEFT, span=span_text(spent * (total - done) / done))


def is_unfinished(job: JobDocument) -> bool:
    return job["state"] in UNFINISHED


def _utc(moment: datetime) -> datetime:
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
