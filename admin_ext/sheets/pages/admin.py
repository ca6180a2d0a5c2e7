"""Import and export as staff see them: the list of imports, the page of one, and the ways in and out."""

from collections.abc import Callable
from typing import Any, ClassVar

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import (
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseNotAllowed,
    HttpResponseRedirect,
    JsonResponse,
)
from django.http.response import HttpResponseBase
from django.template.loader import render_to_string
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.crypto import get_random_string
from unfold.decorators import display

from admin_ext.jobs.pages.admin import WhoseFilter
from admin_ext.jobs.pages.notices import note_seen, remember_to_ask
from admin_ext.jobs.pages.words import LABELS
from admin_ext.sheets import reading
from admin_ext.sheets.documents import ImportDocument
from admin_ext.sheets.files import FileGone, blocks_of, file_of
from admin_ext.sheets.imports import check_again, load_import
from admin_ext.sheets.links import import_url, template_url
from admin_ext.sheets.models import SheetImport
from admin_ext.sheets.pages.access import (
    CHANGE_STOCK,
    import_for,
    may_get,
    may_import,
    may_see_products,
    reader,
    sees_all,
)
from admin_ext.sheets.pages.export_view import ExportView
from admin_ext.sheets.pages.page import current_job, live_import, whole_import
from admin_ext.sheets.pages.refused import refused_file
from admin_ext.sheets.pages.upload import UploadView, template_view
from admin_ext.sheets.pages.words import counted, stage_of
from catalog.exchange.sheets.output import Target
from catalog.exchange.sheets.rows import Format
from gateway.audit.trail import Actor, Source
from gateway.domain.errors import DomainError
from gateway.domain.texts import Text
from gateway.mongo.reads import run
from gateway.paging import Page, Slice
from gateway.staff.downloads import download
from gateway.staff.forms import KEY_LENGTH
from gateway.staff.language import lazily, said, staff_language
from gateway.staff.lists import Asked, PagedByKey
from gateway.staff.read_only import ReadOnlyAdmin
from gateway.staff.times import time_text
from gateway.staff.titles import Titles

LOADING = Text("Загрузка началась.", "Loading has begun.")
CHECKING = Text("Файл проверяется снова.", "The file is being checked again.")
REFUSED_NAME = Text("Ошибки, {name}", "Errors, {name}")
ABOUT = Text(
    "Файл сначала проверяется: видно, что он изменит. Загрузку можно отменить. Выгруженное можно поправить и загрузить "
    "обратно.",
    "A file is checked first: you see what it would change. Loading can be undone. What was exported may be edited and "
    "loaded again.",
)
BAR = {
    "upload": Text("Загрузить файл", "Load a file"),
    "export": Text("Выгрузить товары", "Export products"),
    "template": Text("Шаблон {format}", "Template {format}"),
}


@admin.register(SheetImport)
class SheetImportAdmin(PagedByKey, ReadOnlyAdmin):
    titles = Titles(several=Text("Импорт и экспорт", "Import and export"), one=Text("Импорт", "Import"))
    list_display = ("name", "shown_state", "shown_counts", "shown_owner", "shown_time")
    list_display_links = ("name",)
    list_filter: ClassVar[tuple[Any, ...]] = (WhoseFilter,)
    list_before_template = "sheets/above.html"

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Whoever sees products may export them; the list is of all imports, or of their own."""
        return may_see_products(request)

    def page(self, request: HttpRequest, part: Slice, asked: Asked) -> Page[reading.Listed]:
        person = reader(request)
        only_own = asked.filters.get("whose") == "mine" or not sees_all(person)
        found = run(reading.page(str(person.pk) if only_own else "", part))
        return reading.with_jobs(found, run(reading.jobs_of(found.documents)))

    @display(description=lazily(Text("состояние", "state")), label=LABELS)
    def shown_state(self, row: Any) -> tuple[str, str]:
        stage = stage_of(row.document, row.document["jobs"])
        return stage.look, said(stage.text)

    @admin.display(description=lazily(Text("строки", "rows")))
    def shown_counts(self, row: Any) -> str:
        sheet, jobs = row.document, row.document["jobs"]
        return counted(jobs.get(sheet.get("load_job", "")) or jobs.get(sheet["check_job"])) or "—"

    @admin.display(description=lazily(Text("кто", "who")))
    def shown_owner(self, row: Any) -> str:
        return str(row.document["owner_name"])

    @admin.display(description=lazily(Text("когда", "when")))
    def shown_time(self, row: Any) -> str:
        return time_text(row.document["created_at"])

    def get_urls(self) -> list[URLPattern]:
        def own(address: str, view: Callable[..., Any], name: str) -> URLPattern:
            return path(address, self.admin_site.admin_view(view), name=name)

        return [
            own("upload/", UploadView.as_view(model_admin=self), "import_products"),
            own("export/", ExportView.as_view(model_admin=self), "export_products"),
            own("template/", template_view, "import_template"),
            own("file/<str:object_id>/", file_view, "sheet_file"),
            own("<str:object_id>/progress/", self.progress_view, "sheets_sheetimport_progress"),
            own("<str:object_id>/load/", load_view, "sheets_sheetimport_load"),
            own("<str:object_id>/check/", check_view, "sheets_sheetimport_check"),
            own("<str:object_id>/refused/", refused_view, "sheets_sheetimport_refused"),
            *super().get_urls(),
        ]

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        return super().changelist_view(request, {"bar": _bar(request), "about": said(ABOUT), **(extra_context or {})})

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """The page of one import. What changes something is a button with an address of its own."""
        sheet = import_for(request, object_id)
        job = current_job(sheet)
        context = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            **whole_import(sheet, reader(request), request.GET.get("after", "")),
            "key": get_random_string(KEY_LENGTH),
        }
        request.current_app = self.admin_site.name
        page = TemplateResponse(request, "sheets/import.html", context, headers={"Cache-Control": "no-store"})
        if job is not None:
            note_seen(request, job)
            remember_to_ask(request, page, job)
        return page

    def progress_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """The part of the page that moves, for its script."""
        sheet = import_for(request, object_id)
        job = current_job(sheet)
        if job is None:
            raise Http404
        note_seen(request, job)
        live = {
            **live_import(sheet, reader(request), request.GET.get("after", "")),
            "key": get_random_string(KEY_LENGTH),
        }
        html = render_to_string("sheets/live.html", live, request)
        moving = {"done": job["done"], "state": job["state"], "unfinished": live["is_unfinished"]}
        return JsonResponse({"html": html, **moving}, headers={"Cache-Control": "no-store"})


def load_view(request: HttpRequest, object_id: str) -> HttpResponse:
    """Have the import loaded."""

    def load(sheet: ImportDocument, may_change_stock: bool, actor: Actor) -> ImportDocument:
        return load_import(sheet["_id"], may_change_stock=may_change_stock, actor=actor)

    return _acted(request, object_id, load, LOADING)


def check_view(request: HttpRequest, object_id: str) -> HttpResponse:
    """Have the same file checked once more: another import."""
    key = request.POST.get("key", "")[:KEY_LENGTH] or None

    def check(sheet: ImportDocument, may_change_stock: bool, actor: Actor) -> ImportDocument:
        return check_again(sheet["_id"], may_change_stock=may_change_stock, actor=actor, key=key)

    return _acted(request, object_id, check, CHECKING)


def refused_view(request: HttpRequest, object_id: str) -> HttpResponseBase:
    """The rows that were not taken, in the format in which they came."""
    sheet = import_for(request, object_id)
    target = Target(Format(sheet["format"]), staff_language())
    stem = sheet["name"].removesuffix(f".{sheet['format']}")
    name = f"{said(REFUSED_NAME, name=stem)}.{sheet['format']}"
    return download(name, target.content_type, refused_file(sheet, target))


def file_view(request: HttpRequest, object_id: str) -> HttpResponseBase:
    """A file that was sent, or made by an export."""
    if not may_see_products(request):
        raise PermissionDenied
    try:
        file = file_of(object_id)
    except FileGone as gone:
        messages.error(request, gone.message(staff_language()))
        return HttpResponseRedirect(reverse("admin:sheets_sheetimport_changelist"))
    if not may_get(reader(request), file):
        raise Http404
    content_type = file["content_type"] or "application/octet-stream"
    return download(file["name"], content_type, blocks_of(file), size=file["size"])


def _acted(
    request: HttpRequest,
    object_id: str,
    act: Callable[[ImportDocument, bool, Actor], ImportDocument],
    done: Text,
) -> HttpResponse:
    """Do what a button of the import's page says, and lead to the page of what came of it."""
    sheet = import_for(request, object_id)
    if request.method != "POST":
        return HttpResponseNotAllowed(["POST"])
    person = reader(request)
    try:
        following = act(sheet, person.has_perm(CHANGE_STOCK), Actor.account(person, Source.ADMIN))
    except DomainError as refusal:
        messages.error(request, refusal.message(staff_language()))
        return HttpResponseRedirect(import_url(object_id))
    messages.success(request, said(done))
    return HttpResponseRedirect(import_url(following["_id"]))


def _bar(request: HttpRequest) -> list[tuple[str, str]]:
    """Titles and addresses of what can be begun here, the first of all most likely."""
    exported = (said(BAR["export"]), reverse("admin:export_products"))
    if not may_import(request):
        return [exported]
    templates = [(said(BAR["template"], format=each.value.upper()), template_url(each)) for each in Format]
    return [(said(BAR["upload"]), reverse("admin:import_products")), exported, *templates]
