"""Saved views above a list: shown, kept, renamed and deleted on its own page."""

from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlencode

from django.contrib import messages
from django.contrib.admin.options import ModelAdmin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed, HttpResponseRedirect
from django.urls import reverse
from unfold.widgets import BASE_CLASSES, CHECKBOX_CLASSES

from gateway.domain.errors import DomainError
from gateway.domain.texts import Text
from gateway.mongo.reads import run
from gateway.staff.language import staff_language
from gateway.staff.saved_views import SHARED, delete_view, rename_view, save_view, views_of

WORDS = {
    "title": Text("Сохранённые виды", "Saved views"),
    "shared": Text("виден всем", "seen by all"),
    "save": Text("Сохранить вид", "Save the view"),
    "change": Text("Изменить вид", "Change the view"),
    "name": Text("Название вида", "Name of the view"),
    "for_all": Text("для всех", "for all"),
    "rename": Text("Переименовать", "Rename"),
    "delete": Text("Удалить", "Delete"),
}
SAVED = Text("Вид сохранён.", "The view is saved.")
RENAMED = Text("Вид переименован.", "The view is renamed.")
DELETED = Text("Вид удалён.", "The view is deleted.")


class ShownView(NamedTuple):
    id: str
    name: str
    query: str
    is_shared: bool
    is_own: bool
    is_open: bool


class Shelf:
    """The saved views of a list, as the person who looks at it sees them."""

    def __init__(self, model_admin: ModelAdmin, request: Any, query: str) -> None:
        opts, account = model_admin.opts, str(request.user.pk)
        self.query = query
        self.address = reverse(f"admin:{opts.app_label}_{opts.model_name}_views")
        self.views = [
            ShownView(
                view["_id"],
                view["name"],
                view["query"],
                is_shared=view["space"] == SHARED,
                is_own=view["maker"] == account,
                is_open=view["query"] == query,
            )
            for view in run(views_of(opts.label_lower, account))
        ]
        self.own = next((view for view in self.views if view.is_open and view.is_own), None)
        self.input_classes = " ".join((*BASE_CLASSES, "px-3", "py-2"))
        self.checkbox_classes = " ".join(CHECKBOX_CLASSES)

    def __getattr__(self, name: str) -> str:
        """The words of the page, in the language of the member of staff."""
        if name not in WORDS:
            raise AttributeError(name)
        return WORDS[name].in_language(staff_language())


def known_query(text: str, known: set[str]) -> str:
    """The part of a query that the list knows, in one order."""
    return urlencode(sorted(pair for pair in parse_qsl(text) if pair[0] in known))


def change_views(model_admin: ModelAdmin, request: Any, known: set[str]) -> HttpResponse:
    """Save, rename or delete a view, as the form above the list says; leads back to the list."""
    if request.method != "POST":
        return HttpResponseNotAllowed(["POST"])
    if not model_admin.has_view_or_change_permission(request):
        raise PermissionDenied
    opts = model_admin.opts
    query = known_query(request.POST.get("query", ""), known)
    try:
        done = _change(request, opts.label_lower, query)
    except DomainError as refusal:
        for reason in refusal:
            messages.error(request, reason.message(staff_language()))
    else:
        messages.success(request, done.in_language(staff_language()))
    return HttpResponseRedirect(f"{reverse(f'admin:{opts.app_label}_{opts.model_name}_changelist')}?{query}")


def _change(request: HttpRequest, listed: str, query: str) -> Text:
    given, account = request.POST, str(request.user.pk)
    name, view_id = given.get("name", ""), given.get("view", "")
    match given.get("do"):
        case "rename":
            rename_view(view_id, name, account=account)
            return RENAMED
        case "delete":
            delete_view(view_id, account=account)
            return DELETED
    save_view(listed, name, query, account=account, is_shared="shared" in given)
    return SAVED
