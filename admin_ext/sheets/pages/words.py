"""An import in people's words."""

from collections.abc import Mapping
from typing import NamedTuple

from admin_ext.jobs.documents import UNFINISHED, JobDocument
from admin_ext.jobs.pages.words import number_text
from admin_ext.sheets.check import CHECK_KIND
from admin_ext.sheets.documents import ImportDocument
from admin_ext.sheets.imports import LOAD
from admin_ext.sheets.load import LOAD_KIND
from catalog.exchange.columns import title_of
from catalog.structure.names import GEOZONE_NAMES
from gateway.domain.texts import Text
from gateway.staff.language import said, staff_language


class Stage(NamedTuple):
    """How far an import is, as its label shows it."""

    text: Text
    look: str


CHECKING = Stage(Text("проверяется", "being checked"), "info")
NOT_CHECKED = Stage(Text("не проверен", "not checked"), "danger")
CHECKED = Stage(Text("проверен", "checked"), "default")
LOADING = Stage(Text("загружается", "being loaded"), "info")
STOPPED = Stage(Text("загружен не до конца", "loaded in part"), "danger")
LOADED = Stage(Text("загружен", "loaded"), "success")
UNDONE = Stage(Text("загрузка отменена", "loading undone"), "warning")


def stage_of(sheet: ImportDocument, jobs: Mapping[str, JobDocument]) -> Stage:
    """How far the import is, by the jobs that there are."""
    load, check = jobs.get(sheet.get("load_job", "")), jobs.get(sheet["check_job"])
    if load is not None:
        if load["undone_by"]:
            return UNDONE
        return LOADING if load["state"] in UNFINISHED else LOADED if load["state"] == "done" else STOPPED
    if check is None:
        return NOT_CHECKED
    return CHECKING if check["state"] in UNFINISHED else CHECKED if check["state"] == "done" else NOT_CHECKED


def counted(job: JobDocument | None) -> str:
    """What became of the rows, or would become: «создано 3, изменено 10»."""
    if job is None:
        return ""
    titles = (LOAD_KIND if job["kind"] == LOAD else CHECK_KIND).counts
    told = [(said(title), job["counts"].get(name, 0)) for name, title in titles.items()]
    return ", ".join(f"{title} {number_text(number)}" for title, number in told if number)


def column_of(sheet: ImportDocument, field: str) -> str:
    """What the column of this value is called: in the file, else by us; empty for none."""
    if not field:
        return ""
    names = [name for name, held in zip(sheet["header"], sheet["fields"], strict=True) if held == field]
    return names[0].strip() if names else title_of(field, GEOZONE_NAMES.get(), staff_language())
