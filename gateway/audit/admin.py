"""The audit as staff read it. The past is not edited."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from bson import ObjectId
from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.template.response import TemplateResponse
from django.urls import URLPattern, path
from django.utils.timezone import get_default_timezone_name

from gateway.accounts.models import User
from gateway.audit.documents import AuditEntryDocument
from gateway.audit.filters import AuditFilter
from gateway.audit.lines import Line, lines_of
from gateway.audit.links import audit_url
from gateway.audit.models import AuditEntry
from gateway.audit.paging import address_beyond, newest_address, part_asked
from gateway.audit.people import people_beginning
from gateway.audit.reading import COUNTED, TRAIL, Sought, count_of, entries
from gateway.domain.texts import Text
from gateway.mongo.client import collection_of
from gateway.mongo.reads import run
from gateway.paging import Page
from gateway.staff.language import said
from gateway.staff.read_only import ReadOnlyAdmin
from gateway.staff.titles import Titles

PAGE_SIZE = 50
TITLE = Text("Журнал изменений", "Audit trail")
LABELS = {
    "show": Text("Показать", "Show"),
    "reset": Text("Сбросить", "Reset"),
    "newer": Text("Новее", "Newer"),
    "older": Text("Старше", "Older"),
    "newest": Text("К последним", "To the newest"),
    "whole_step": Text("всё в этом шаге", "all of this step"),
    "one_step": Text("Один шаг", "One step"),
    "whole_trail": Text("Весь журнал", "The whole trail"),
    "reason": Text("Причина", "Reason"),
    "nothing": Text("Таких изменений нет.", "There are no such changes."),
}
FOUND = Text("Найдено: {count}", "Found: {count}")
MANY = Text("Найдено больше {count}", "Found more than {count}")
DAYS = Text("Дни — по времени магазина ({zone}).", "Days are those of the shop ({zone}).")


class Step(NamedTuple):
    """Lines that tell of one step, newest first."""

    lines: list[Line]
    goes_on: bool
    """Whether more of it may stand on another page."""

    @property
    def url(self) -> str:
        """The whole step; empty when all of it is here."""
        return self.lines[0].step_url if len(self.lines) > 1 or self.goes_on else ""


@admin.register(AuditEntry)
class AuditEntryAdmin(ReadOnlyAdmin):
    """A page to read the trail, and a list of people to choose from."""

    titles = Titles(several=TITLE, one=Text("Запись журнала", "Entry of the trail"))

    def get_urls(self) -> list[URLPattern]:
        people = path("people/", self.admin_site.admin_view(self.people_view), name="audit_auditentry_people")
        return [people, *super().get_urls()]

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        reader = self._reader(request)
        form = AuditFilter(request.GET.dict())
        step = request.GET.get("step", "")
        sought = form.sought(step=step)
        part = part_asked(request.GET, PAGE_SIZE)
        page: Page[AuditEntryDocument] = run(entries(sought, part)) if sought else Page((), False, False)
        lines = lines_of(page.documents, reader=reader)
        context = {
            **self.admin_site.each_context(request),
            **(extra_context or {}),
            "title": said(TITLE),
            "opts": self.opts,
            "cl": None,
            "form": form,
            "step": step,
            "steps": _steps(lines, page),
            "found": _count(sought) if sought else "",
            "newer_url": address_beyond(request.GET, page.placed[:1], "before") if page.has_previous else "",
            "older_url": address_beyond(request.GET, page.placed[-1:], "after") if page.has_next else "",
            "is_newest": not page.has_previous,
            "newest_url": newest_address(request.GET),
            "trail_url": audit_url(),
            "labels": {name: said(text) for name, text in LABELS.items()},
            "days": said(DAYS, zone=get_default_timezone_name()),
        }
        return TemplateResponse(request, "audit/trail.html", context)

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Show the entry among those of its step; one of an earlier release, among those of its object."""
        self._reader(request)
        if request.method != "GET":
            raise PermissionDenied
        known = ObjectId.is_valid(object_id)
        entry = collection_of(TRAIL, AuditEntryDocument).find_one({"_id": ObjectId(object_id)}) if known else None
        if entry is None:
            raise Http404
        step = entry.get("step")
        return HttpResponseRedirect(audit_url(step=step) if step else audit_url(entry["target"]))

    def people_view(self, request: HttpRequest) -> HttpResponse:
        """Staff whose name or address begins with what was typed."""
        self._reader(request)
        found = people_beginning(request.GET.get("q", ""))
        people = [{"email": person.email, "name": person.name} for person in found]
        return JsonResponse({"people": people}, headers={"Cache-Control": "no-store"})

    def _reader(self, request: HttpRequest) -> User:
        if not isinstance(request.user, User) or not self.has_view_permission(request):
            raise PermissionDenied
        return request.user


def _steps(lines: Sequence[Line], page: Page[AuditEntryDocument]) -> list[Step]:
    """The lines by step, in the order of the newest of each; an entry of an earlier release stands alone."""
    steps: dict[str, list[Line]] = {}
    for index, line in enumerate(lines):
        steps.setdefault(line.step or f"alone {index}", []).append(line)
    edges = {
        *(lines[0].step for _ in range(page.has_previous and bool(lines))),
        *(lines[-1].step for _ in range(page.has_next and bool(lines))),
    }
    return [Step(each, goes_on=step in edges) for step, each in steps.items()]


def _count(sought: Sought) -> str:
    count = run(count_of(sought))
    if count > COUNTED:
        return said(MANY, count=f"{COUNTED:,}".replace(",", " "))
    return said(FOUND, count=count)
