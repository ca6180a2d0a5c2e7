"""Ways to the pages of jobs, and from a finished job to what it made."""

from typing import Any

from django.urls import reverse

from admin_ext.jobs.documents import JobDocument, ResultLink
from gateway.domain.texts import Text


def job_url(job: JobDocument | str) -> str:
    """The page of the job, or of the one with this id: where a person goes who has submitted it."""
    return reverse("admin:jobs_job_change", args=[job if isinstance(job, str) else job["_id"]])


def result_links(*links: tuple[Text, str]) -> dict[str, Any]:
    """The part of a piece's result that its page offers as buttons: titles and addresses, of a file for one."""
    shown: list[ResultLink] = [{"ru": title.ru, "en": title.en, "url": url} for title, url in links]
    return {"links": shown}
