"""What the page of an import shows: how far it is, what would change, which rows were not taken, and why."""

from typing import Any, NamedTuple
from urllib.parse import urlencode

from django.urls import NoReverseMatch, reverse

from admin_ext.jobs.documents import JobDocument
from admin_ext.jobs.pages.page import live_part
from admin_ext.jobs.pages.words import is_unfinished, number_text
from admin_ext.sheets.documents import ImportDocument, PlannedRow
from admin_ext.sheets.links import file_url
from admin_ext.sheets.pages.refused import reasons_of
from admin_ext.sheets.pages.words import CHECKED, column_of, stage_of
from admin_ext.sheets.parts import Place, Refused, first_rows, refused_rows
from admin_ext.sheets.reading import jobs_of
from catalog.exchange.plan import DOUBTS, Doubt
from gateway.accounts.models import User
from gateway.audit.lines import Change, changes_in_words
from gateway.domain.texts import Text
from gateway.mongo.reads import run
from gateway.staff.language import said, staff_language
from gateway.staff.times import time_text

SHOWN = 50
# Each has lines of reasons, and the changes stand below.
REFUSED = 20

WORDS = {
    "load": Text("Загрузить", "Load"),
    "again": Text("Проверить снова", "Check again"),
    "download": Text("Скачать строки с ошибками", "Download the rows with errors"),
    "original": Text("Исходный файл", "The file itself"),
    "warnings": Text("Проверьте", "Check this"),
    "unknown": Text("Столбцы, которых мы не знаем, будут пропущены", "Columns that are not known are ignored"),
    "changed": Text("Изменения", "Changes"),
    "created": Text("Новые товары", "New products"),
    "refused": Text("Строки с ошибками", "Rows with errors"),
    "row": Text("Строка", "Row"),
    "product": Text("Товар", "Product"),
    "change": Text("Было → станет", "Old → new"),
    "values": Text("Что записано в файле", "What the file says"),
    "reasons": Text("Почему не принято", "Why it was not taken"),
    "further": Text("Дальше", "Further"),
    "beginning": Text("В начало", "To the beginning"),
    "nothing": Text(
        "Загружать нечего: все товары уже такие, как в файле.", "Nothing to load: all products are as the file says."
    ),
    "only_bad": Text("Загружать нечего: все строки с ошибками.", "Nothing to load: all rows have errors."),
    "lost": Text("Нет связи: пробуем снова.", "No connection: trying again."),
    "about": Text("О файле", "About the file"),
    "owner": Text("Кто", "Who"),
    "sent": Text("Загружен", "Sent"),
    "kept": Text("Хранится до", "Kept until"),
    "not_begun": Text(
        "Проверка не началась: нажмите «Проверить снова».", 'The check has not begun: press "Check again".'
    ),
    "stock": Text("Остатки из файла: у вас нет права их менять.", "Stock in the file: you may not change it."),
    "to_list": Text("К списку", "To the list"),
    "late": Text("при загрузке", "while loading"),
}
FIRST_OF = Text("Показаны первые {count} из {total}.", "The first {count} of {total} are shown.")
DOUBTED = Text("{doubt}: строк {count}", "{doubt}: {count} rows")


class Row(NamedTuple):
    """A row of the file that makes or changes a product."""

    number: int
    product_id: str
    url: str
    """Empty for a product that is not there yet."""
    changes: list[Change]
    doubts: list[str]


class RefusedLine(NamedTuple):
    number: int
    product_id: str
    reasons: list[str]
    is_late: bool


def live_import(sheet: ImportDocument, user: User, after: str) -> dict[str, Any]:
    """What changes while a job of the import runs: asked for again and again."""
    jobs = run(jobs_of([sheet]))
    check, load = jobs.get(sheet["check_job"]), jobs.get(sheet.get("load_job", ""))
    job = load or check
    stage = stage_of(sheet, jobs)
    is_checked = check is not None and check["state"] == "done"
    return {
        **(live_part(job, user) if job else {}),
        "has_job": job is not None,
        # They lead here; and what the check tells stands above.
        "links": [],
        **({"log": []} if stage is CHECKED else {}),
        "is_unfinished": job is not None and is_unfinished(job),
        "stage": said(stage.text),
        "stage_look": stage.look,
        "texts": {name: said(text) for name, text in WORDS.items()},
        "actions": {
            name: reverse(f"admin:sheets_sheetimport_{name}", args=[sheet["_id"]])
            for name in ("load", "check", "refused")
        },
        "original_url": file_url(sheet["file"]),
        **(_results(sheet, check, load, after) if check is not None and is_checked else {}),
    }


def whole_import(sheet: ImportDocument, user: User, after: str) -> dict[str, Any]:
    """The context of the page."""
    progress = reverse("admin:sheets_sheetimport_progress", args=[sheet["_id"]])
    return {
        **live_import(sheet, user, after),
        "title": sheet["name"],
        "progress_url": f"{progress}?{urlencode({'after': after})}" if after else progress,
        "facts": [
            (said(WORDS["owner"]), sheet["owner_name"]),
            (said(WORDS["sent"]), time_text(sheet["created_at"], seconds=True)),
            (said(WORDS["kept"]), time_text(sheet["expires_at"])),
        ],
        "unknown": ", ".join(sheet["unknown"]),
        "list_url": reverse("admin:sheets_sheetimport_changelist"),
    }


def current_job(sheet: ImportDocument) -> JobDocument | None:
    """The job that is under way, or was last: of loading, else of checking."""
    jobs = run(jobs_of([sheet]))
    return jobs.get(sheet.get("load_job", "")) or jobs.get(sheet["check_job"])


def _results(sheet: ImportDocument, check: JobDocument, load: JobDocument | None, after: str) -> dict[str, Any]:
    found = check["counts"]
    created, changed = found.get("created", 0), found.get("changed", 0)
    bad = found.get("bad", 0)
    return {
        "is_checked": True,
        "may_load": load is None and created + changed > 0,
        "nothing_told": _nothing(bad) if not created + changed else "",
        "doubts": [
            said(DOUBTED, doubt=said(DOUBTS[doubt]), count=number_text(found[doubt.value]))
            for doubt in Doubt
            if found.get(doubt.value)
        ],
        "changed_rows": _rows(first_rows(sheet["_id"], "changed", SHOWN)) if changed else [],
        "changed_told": _first_of(changed),
        "created_rows": _rows(first_rows(sheet["_id"], "created", SHOWN)) if created else [],
        "created_told": _first_of(created),
        **(_refused(sheet, after) if bad or load is not None else {}),
    }


def _nothing(bad: int) -> str:
    return said(WORDS["only_bad" if bad else "nothing"])


def _first_of(total: int) -> str:
    return said(FIRST_OF, count=SHOWN, total=number_text(total)) if total > SHOWN else ""


def _rows(rows: list[PlannedRow]) -> list[Row]:
    told = changes_in_words("product", [_pairs(row) for row in rows])
    return [
        Row(
            row["number"],
            row["id"],
            _product_url(row["id"]) if row["kind"] == "changed" else "",
            changes,
            [said(DOUBTS[Doubt(doubt)]) for doubt in row["doubts"]],
        )
        for row, changes in zip(rows, told, strict=True)
    ]


def _pairs(row: PlannedRow) -> dict[str, tuple[Any, Any]]:
    return {field: (before, after) for field, before, after in row["changes"]}


def _product_url(product_id: str) -> str:
    try:
        return reverse("admin:catalog_product_change", args=[product_id])
    except NoReverseMatch:
        return ""


def _refused(sheet: ImportDocument, after: str) -> dict[str, Any]:
    found: list[Refused] = []
    for each in refused_rows(sheet["_id"], _place(after)):
        found.append(each)
        if len(found) > REFUSED:
            break
    shown = found[:REFUSED]
    labels = {field: column_of(sheet, field) for each in shown for field in _fields(each)}
    return {
        "refused_lines": [
            RefusedLine(
                each.row["number"],
                each.row["id"],
                reasons_of(each.row, labels, staff_language()),
                each.is_late,
            )
            for each in shown
        ],
        "further": urlencode({"after": f"{shown[-1].place.part}.{shown[-1].place.row}"})
        if len(found) > REFUSED
        else "",
        "is_further": bool(_place(after)),
    }


def _fields(each: Refused) -> list[str]:
    return [reason["field"] for reason in each.row["reasons"]]


def _place(after: str) -> Place | None:
    """The place that an address names; None for the beginning, and for what is no place."""
    part, _, row = after.partition(".")
    is_place = all(each.isascii() and each.isdigit() and len(each) < 9 for each in (part, row))
    return Place(int(part), int(row)) if is_place else None
