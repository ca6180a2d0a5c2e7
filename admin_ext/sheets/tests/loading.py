"""Files are sent, checked and loaded, as the pages and the workers would do it."""

import io
from typing import Any

from admin_ext.job_kinds import KINDS
from admin_ext.jobs import runner
from admin_ext.jobs.documents import JobDocument
from admin_ext.jobs.queue import job_of, submit
from admin_ext.sheets.documents import ImportDocument
from admin_ext.sheets.export import export_submission
from admin_ext.sheets.files import blocks_of, file_of
from admin_ext.sheets.imports import begin_import, import_of, load_import
from catalog.exchange.sheets.output import Target
from catalog.listing.selection import Selection
from catalog.tests.shop import MARINA

HEADER = "Артикул;Название;Категория;Цена;Цена со скидкой;Остаток: Москва;Характеристика: Цвет"


def sent(text: str | bytes, name: str = "товары.csv", **given: Any) -> ImportDocument:
    """An import of the file, not checked yet."""
    data = text.encode() if isinstance(text, str) else text
    given = {"may_change_stock": True, "actor": MARINA, **given}
    return begin_import(io.BytesIO(data), name, size=len(data), **given)


def run_job(job_id: str) -> JobDocument:
    """The job, run to its end."""
    while runner.run(job_id, KINDS):
        pass
    return job_of(job_id)


def checked(text: str | bytes, **given: Any) -> ImportDocument:
    sheet = sent(text, **given)
    run_job(sheet["check_job"])
    return import_of(sheet["_id"])


def loaded(text: str | bytes, **given: Any) -> ImportDocument:
    sheet = load_import(checked(text, **given)["_id"], may_change_stock=True, actor=MARINA)
    run_job(sheet["load_job"])
    return sheet


def exported(selection: Selection, target: Target) -> JobDocument:
    """The job of an export, run to its end."""
    return run_job(submit(export_submission(selection, target), actor=MARINA)["_id"])


def file_of_job(job: JobDocument) -> bytes:
    """What an export has written."""
    return b"".join(blocks_of(file_of(job["result"]["made"]["file"])))


def counts(job_id: str) -> dict[str, int]:
    job = job_of(job_id)
    assert job["state"] == "done", job["log"]
    return job["counts"]
