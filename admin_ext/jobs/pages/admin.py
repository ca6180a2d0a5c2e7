"""Jobs as staff see them: the list of all, the page of one that moves by itself, and its buttons."""

from collections.abc import Callable
from functools import partial
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
from django.template.loader import render_to_string
from django.template.response import TemplateResponse
from django.urls import URLPattern, path
from unfold.decorators import display

from admin_ext.bulk.view import BulkChangeView
from admin_ext.job_kinds import KINDS
from admin_ext.jobs import reading
from admin_ext.jobs.documents import JobDocument
from admin_ext.jobs.errors import UnknownJob
from admin_ext.jobs.links import job_url
from admin_ext.jobs.models import Job
from admin_ext.jobs.pages.access import CONTROLS, SEE_ALL, Control, may_control, may_see
from admin_ext.jobs.pages.notices import note_seen, notices, remember_to_ask
from admin_ext.jobs.pages.page import live_part, whole_page
from admin_ext.jobs.pages.sheet import remarks_csv
from admin_ext.jobs.pages.words import LABELS, LOOKS, STATES, duration_text, in_language, is_unfinished, progress_text
from admin_ext.jobs.queue import job_of
from gateway.accounts.models import User
from gateway.audit.trail import Actor, Source
from gateway.domain.errors import DomainError
from gateway.domain.texts import Text
from gateway.mongo.reads import run
from gateway.paging import Page, Slice
from gateway.staff.language import lazily, said, staff_language
from gateway.staff.lists import Asked, Choice, PagedByKey
from gateway.staff.read_only import ReadOnlyAdmin
from gateway.staff.times import time_text
from gateway.staff.titles import Titles

MINE = Text("мои", "mine")
NONE_YET = Text("Заданий пока нет. Они появляются здесь, когда вы меняете много товаров сразу.", "No jobs so far.")


class WhoseFilter(Choice):
    title = lazily(Text("чьи", "whose"))
    parameter_name = "whose"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("mine", said(MINE))]


class StateFilter(Choice):
    title = lazily(Text("состояние", "state"))
    parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(state, said(text)) for state, text in STATES.items()]


class KindFilter(Choice):
    title = lazily(Text("вид", "kind"))
    parameter_name = "kind"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(code, said(kind.title)) for code, kind in KINDS.items()]


@admin.register(Job)
class JobAdmin(PagedByKey, ReadOnlyAdmin):
    titles = Titles(several=Text("Задания", "Jobs"), one=Text("Задание", "Job"))
    list_display = ("shown_number", "shown_title", "shown_state", "shown_progress", "shown_owner", "shown_time", "took")
    list_display_links = ("shown_number", "shown_title")
    list_filter: ClassVar[tuple[Any, ...]] = (WhoseFilter, StateFilter, KindFilter)

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Everybody has a list: of all jobs, or of their own."""
        return isinstance(request.user, User) and request.user.is_staff

    def page(self, request: HttpRequest, part: Slice, asked: Asked) -> Page[JobDocument]:
        only_own = asked.filters.get("whose") == "mine" or not _reader(request).has_perm(SEE_ALL)
        sought = reading.Sought(
            owner=str(request.user.pk) if only_own else "",
            state=asked.filters.get("state", ""),
            kind=asked.filters.get("kind", ""),
        )
        return run(reading.page(sought, part))

    @admin.display(description=lazily(Text("номер", "number")))
    def shown_number(self, row: Any) -> str:
        return f"№ {row.number}"

    @admin.display(description=lazily(Text("что", "what")))
    def shown_title(self, row: Any) -> str:
        return in_language(row.document["title"])

    @display(description=lazily(Text("состояние", "state")), label=LABELS)
    def shown_state(self, row: Any) -> tuple[str, str]:
        return LOOKS[row.document["state"]], said(STATES[row.document["state"]])

    @admin.display(description=lazily(Text("сделано", "done")))
    def shown_progress(self, row: Any) -> str:
        return progress_text(row.document)

    @admin.display(description=lazily(Text("кто", "who")))
    def shown_owner(self, row: Any) -> str:
        return str(row.document["actor"]["name"])

    @admin.display(description=lazily(Text("создано", "created")))
    def shown_time(self, row: Any) -> str:
        return time_text(row.document["created_at"])

    @admin.display(description=lazily(Text("заняло", "took")))
    def took(self, row: Any) -> str:
        return duration_text(row.document) or "—"

    def get_urls(self) -> list[URLPattern]:
        def own(address: str, view: Callable[..., Any], name: str) -> URLPattern:
            return path(address, self.admin_site.admin_view(view), name=name)

        return [
            own("bulk-change/", BulkChangeView.as_view(model_admin=self), "bulk_change"),
            own("notices/", notices, "jobs_job_notices"),
            own("<str:object_id>/progress/", self.progress_view, "jobs_job_progress"),
            own("<str:object_id>/remarks.csv", self.remarks_view, "jobs_job_remarks"),
            *(
                own(f"<str:object_id>/{each.name}/", partial(self.control_view, control=each), f"jobs_job_{each.name}")
                for each in CONTROLS
            ),
            *super().get_urls(),
        ]

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """The page of one job. What changes something is a button with an address of its own."""
        job = _job_for(request, object_id)
        note_seen(request, job)
        context = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            **whole_page(job, _reader(request)),
        }
        request.current_app = self.admin_site.name
        page = TemplateResponse(request, "jobs/job.html", context, headers={"Cache-Control": "no-store"})
        remember_to_ask(request, page, job)
        return page

    def progress_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """The part of the page that moves, for its script."""
        job = _job_for(request, object_id)
        note_seen(request, job)
        html = render_to_string("jobs/live.html", live_part(job, _reader(request)), request)
        moving = {"done": job["done"], "state": job["state"], "unfinished": is_unfinished(job)}
        return JsonResponse({"html": html, **moving}, headers={"Cache-Control": "no-store"})

    def remarks_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """All that the job left as it was, as CSV. Whole: remarks are bounded."""
        job = _job_for(request, object_id)
        name = f"job-{job['number']}.csv"
        headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"}
        return HttpResponse(remarks_csv(job["_id"]), content_type="text/csv; charset=utf-8", headers=headers)

    def control_view(self, request: HttpRequest, object_id: str, *, control: Control) -> HttpResponse:
        job = _job_for(request, object_id)
        if not may_control(_reader(request), job):
            raise PermissionDenied
        if request.method != "POST":
            return HttpResponseNotAllowed(["POST"])
        try:
            following = control.act(job["_id"], Actor.account(_reader(request), Source.ADMIN))
        except DomainError as refusal:
            messages.error(request, refusal.message(staff_language()))
            return HttpResponseRedirect(job_url(job))
        messages.success(request, said(control.done))
        return HttpResponseRedirect(job_url(following))


def _reader(request: HttpRequest) -> User:
    assert isinstance(request.user, User)  # noqa: S101 - the site lets nobody else in
    return request.user


def _job_for(request: HttpRequest, job_id: str) -> JobDocument:
    """The job, for somebody who may see it; whoever sees only their own is not told which others there are."""
    try:
        job = job_of(job_id)
    except UnknownJob:
        job = None
    if not may_see(_reader(request), job):
        raise PermissionDenied
    if job is None:
        raise Http404
    return job
