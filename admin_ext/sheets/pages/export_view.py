"""The page of an export: which products, into which file; and the job that writes it."""

from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.admin.options import ModelAdmin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.crypto import get_random_string
from django.views import View

from admin_ext.bulk.selected import selected
from admin_ext.jobs.links import job_url
from admin_ext.jobs.queue import submit
from admin_ext.sheets.export import TARGETS, export_submission
from admin_ext.sheets.pages.access import may_see_products, reader
from catalog.exchange.sheets.output import Target
from catalog.exchange.sheets.rows import Format
from catalog.listing.selection import Selection, count
from gateway.audit.trail import Actor, Source
from gateway.domain.errors import DomainError
from gateway.domain.texts import Text
from gateway.staff.forms import KEY_LENGTH
from gateway.staff.language import said, staff_language
from gateway.staff.widgets import dress

TITLE = Text("Выгрузка товаров", "Export of products")
SUBMITTED = Text("Файл готовится.", "The file is being made.")
FILE = Text("Файл", "File")
WORDS = {
    "selected": Text("Выбрано товаров", "Products selected"),
    "everything": Text("Весь каталог: фильтр не задан.", "The whole catalog: no filter is set."),
    "nothing": Text(
        "Ничего не выбрано: отметьте товары в списке или задайте фильтр.",
        "Nothing is selected: tick products in the list, or set a filter.",
    ),
    "run": Text("Выгрузить", "Export"),
    "to_list": Text("К списку товаров", "To the list of products"),
    "about": Text(
        "Файл можно поправить и загрузить обратно: изменится только то, что вы изменили. В Windows-1251 есть не все "
        "знаки: ячейки с другими останутся пустыми, и задание скажет, какие.",
        "The file may be edited and loaded again: only what you have changed will change. Windows-1251 lacks many "
        "signs: cells with others stay empty, and the job tells which.",
    ),
}


class ExportForm(forms.Form):
    target = forms.ChoiceField()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["target"]
        field.label = said(FILE)
        choices = [(f"{format_.value}:{encoding}", said(text)) for (format_, encoding), text in TARGETS.items()]
        field.choices = choices  # type: ignore[attr-defined]
        dress(self.fields.values())

    @property
    def chosen(self) -> Target:
        format_, _, encoding = self.cleaned_data["target"].partition(":")
        return Target(Format(format_), staff_language(), encoding)


class ExportView(View):
    """GET shows what is selected, POST submits the job. The selection stays in the address."""

    # Given to `as_view`, which takes only what the class has.
    model_admin: ModelAdmin = None  # type: ignore[assignment]

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        if not may_see_products(request):
            raise PermissionDenied
        try:
            self.selection = Selection.from_query(request.GET.dict())
        except DomainError as refusal:
            for reason in refusal:
                messages.error(request, reason.message(staff_language()))
            return HttpResponseRedirect(reverse("admin:catalog_product_changelist"))
        return super().dispatch(request, *args, **kwargs)

    def get(self, request: HttpRequest) -> HttpResponse:
        return self._page(ExportForm())

    def post(self, request: HttpRequest) -> HttpResponse:
        form = ExportForm(request.POST)
        if not form.is_valid():
            return self._page(form)
        key = request.POST.get("key", "")[:KEY_LENGTH] or None
        actor = Actor.account(reader(request), Source.ADMIN)
        job = submit(export_submission(self.selection, form.chosen), actor=actor, key=key and f"export:{key}")
        messages.success(request, said(SUBMITTED))
        return HttpResponseRedirect(job_url(job))

    def _page(self, form: ExportForm) -> HttpResponse:
        site, selection = self.model_admin.admin_site, self.selection
        context = {
            **site.each_context(self.request),
            "opts": self.model_admin.opts,
            "title": said(TITLE),
            "words": {name: said(text) for name, text in WORDS.items()},
            "form": form,
            **selected(selection, count(selection)),
            "key": get_random_string(KEY_LENGTH),
        }
        self.request.current_app = site.name
        return TemplateResponse(self.request, "sheets/export.html", context)
