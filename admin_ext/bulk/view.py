"""The page of a bulk change: what to do to a selection, what that would mean, and the job that does it."""

from typing import Any

from django.contrib import messages
from django.contrib.admin.options import ModelAdmin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.crypto import get_random_string
from django.views import View

from admin_ext.bulk.form import BulkForm
from admin_ext.bulk.kinds import CHANGE_PRODUCTS, bulk_submission
from admin_ext.bulk.preview import SHOWN, Preview, preview_of
from admin_ext.bulk.selected import selected
from admin_ext.bulk.words import title_of
from admin_ext.jobs.links import job_url
from admin_ext.jobs.pages.words import number_text
from admin_ext.jobs.queue import submit
from catalog.listing.selection import Selection, count
from gateway.accounts.models import User
from gateway.audit.trail import Actor, Source
from gateway.domain.errors import DomainError
from gateway.domain.texts import Text
from gateway.staff.forms import KEY_LENGTH
from gateway.staff.language import said, staff_language

CHANGE_STOCK = "catalog.change_stocklevel"
TITLE = Text("Массовое изменение", "Bulk change")
SUBMITTED = Text("Изменение началось.", "The change has begun.")
WORDS = {
    "selected": Text("Выбрано товаров", "Products selected"),
    "nothing": Text(
        "Ничего не выбрано: отметьте товары в списке или задайте фильтр.",
        "Nothing is selected: tick products in the list, or set a filter.",
    ),
    "everything": Text("Весь каталог: фильтр не задан.", "The whole catalog: no filter is set."),
    "to_list": Text("К списку товаров", "To the list of products"),
    "preview": Text("Показать, что получится", "Show what it would do"),
    "run": Text("Изменить", "Change"),
    "back": Text("Исправить", "Correct"),
    "will_change": Text("изменится", "will change"),
    "unchanged": Text("останется как есть", "stays as it is"),
    "refused": Text("будет отказано", "will be refused"),
    "warnings": Text("Проверьте", "Check this"),
    "product": Text("Товар", "Product"),
    "change": Text("Было → станет", "Old → new"),
    "remarks": Text("Замечания", "Remarks"),
    "no_effect": Text(
        "Ни один из просмотренных товаров не изменится.", "None of the products looked at would be changed."
    ),
}
FIRST_ROWS = Text("Показаны первые {count}.", "The first {count} are shown.")
LOOKED_AT = Text("Посчитано по первым {count} товарам.", "Counted among the first {count} products.")


class BulkChangeView(View):
    """GET shows the form; POST shows what it would do, and with `_run` submits the job.

    The selection stays in the address: ids, or the parameters of the list.
    """

    # Given to `as_view`, which takes only what the class has.
    model_admin: ModelAdmin = None  # type: ignore[assignment]

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        if not isinstance(request.user, User) or not request.user.has_perm(CHANGE_PRODUCTS):
            raise PermissionDenied
        self.may_change_stock = request.user.has_perm(CHANGE_STOCK)
        return super().dispatch(request, *args, **kwargs)

    def get(self, request: HttpRequest) -> HttpResponse:
        return self._answer(BulkForm(may_change_stock=self.may_change_stock))

    def post(self, request: HttpRequest) -> HttpResponse:
        form = BulkForm(request.POST, may_change_stock=self.may_change_stock)
        return self._answer(form)

    def _answer(self, form: BulkForm) -> HttpResponse:
        try:
            selection = Selection.from_query(self.request.GET.dict())
        except DomainError as refusal:
            for reason in refusal:
                messages.error(self.request, reason.message(staff_language()))
            return HttpResponseRedirect(reverse("admin:catalog_product_changelist"))
        if not form.is_valid() or "_back" in self.request.POST:
            return self._page(form, selection, number=count(selection))
        if "_run" in self.request.POST:
            return self._submit(form, selection)
        made = preview_of(selection, form.change)
        return self._page(form, selection, number=made.total, preview=made)

    def _submit(self, form: BulkForm, selection: Selection) -> HttpResponse:
        submission = bulk_submission(selection, form.change, reason=form.cleaned_data["reason"].strip())
        actor = Actor.account(self.request.user, Source.ADMIN)  # type: ignore[arg-type]
        key = self.request.POST.get("key", "")[:KEY_LENGTH] or None
        job = submit(submission, actor=actor, key=key and f"bulk:{key}")
        messages.success(self.request, said(SUBMITTED))
        return HttpResponseRedirect(job_url(job))

    def _page(
        self, form: BulkForm, selection: Selection, *, number: int | None, preview: Preview | None = None
    ) -> HttpResponse:
        site = self.model_admin.admin_site
        context = {
            **site.each_context(self.request),
            "opts": self.model_admin.opts,
            "title": said(TITLE),
            "words": {name: said(text) for name, text in WORDS.items()},
            "form": form,
            **selected(selection, number),
            "preview": preview,
            **(self._previewed(form, preview) if preview else {}),
        }
        self.request.current_app = site.name
        return TemplateResponse(self.request, "bulk/change.html", context)

    def _previewed(self, form: BulkForm, preview: Preview) -> dict[str, Any]:
        sent = [(name, value) for name in form.fields for value in self.request.POST.getlist(name)]
        told = title_of(form.change)
        return {
            "sent": sent,
            "key": get_random_string(KEY_LENGTH),
            "told": told.en if staff_language() == "en" else told.ru,
            "reason": form.cleaned_data["reason"],
            "first_rows": said(FIRST_ROWS, count=SHOWN) if preview.changed + preview.refused > SHOWN else "",
            "looked_at": "" if preview.is_whole else said(LOOKED_AT, count=number_text(preview.examined)),
        }
