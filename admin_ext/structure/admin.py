"""Categories in the admin: the tree in which they are dragged, and the pages of one."""

from typing import Any, ClassVar

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed, HttpResponseRedirect, JsonResponse
from django.template.loader import render_to_string
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse

from admin_ext.structure.attributes import EditAttributes
from admin_ext.structure.dialogs import GiveUpMerge, MergeCategory, MoveCategory, SetThreshold
from admin_ext.structure.edits import edit_tree
from admin_ext.structure.form import CategoryForm
from admin_ext.structure.reading import staff_tree
from admin_ext.structure.tree import TreePage, words
from catalog.admin.deletion import DeletedByAction
from catalog.errors import CategoryInUse
from catalog.models import Category
from catalog.structure.categories import delete_category, is_empty
from catalog.structure.names import category_name
from gateway.audit.trail import Actor, Source
from gateway.domain.errors import DomainError
from gateway.domain.texts import Text
from gateway.mongo.reads import run
from gateway.staff.forms import ActionDialog, SavedByItsForm, WithDialogs
from gateway.staff.language import staff_language
from gateway.staff.titles import Titles


@admin.register(Category)
class CategoryAdmin(SavedByItsForm, WithDialogs, DeletedByAction):
    titles = Titles(
        several=Text("Категории", "Categories"),
        one=Text("Категория", "Category"),
        new=Text("Новая категория", "New category"),
    )
    form = CategoryForm
    dialogs: ClassVar[tuple[type[ActionDialog], ...]] = (
        EditAttributes,
        MoveCategory,
        SetThreshold,
        MergeCategory,
        GiveUpMerge,
    )
    # For the search of the palette.
    search_fields = ("slug", "name")
    change_form_before_template = "structure/dialogs.html"

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """The tree, whole: it is small, and a page break would hide its branches."""
        if not self.has_view_or_change_permission(request):
            raise PermissionDenied
        if request.method not in ("GET", "HEAD"):
            return HttpResponseNotAllowed(["GET"])
        context = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "title": self.list_title(),
            "asked": request.GET.get("q", ""),
            "edit_url": reverse("admin:catalog_category_tree"),
            **self._shown(request),
        }
        request.current_app = self.admin_site.name
        headers = {"Cache-Control": "no-store"}
        return TemplateResponse(request, "structure/tree.html", context, headers=headers)

    def get_urls(self) -> list[URLPattern]:
        tree = path("tree/", self.admin_site.admin_view(self.tree_view), name="catalog_category_tree")
        return [tree, *super().get_urls()]

    def tree_view(self, request: HttpRequest) -> HttpResponse:
        """Do one thing to the tree. A script gets the tree as it is then, a form is led back to the page."""
        if not self.has_change_permission(request):
            raise PermissionDenied
        if request.method != "POST":
            return HttpResponseNotAllowed(["POST"])
        level, told = messages.SUCCESS, ""
        try:
            told = edit_tree(request.POST.get("edit", ""), actor=Actor.account(request.user, Source.ADMIN))  # type: ignore[arg-type]
        except DomainError as refusal:
            level, told = messages.ERROR, " ".join(reason.message(staff_language()) for reason in refusal)
        if request.headers.get("Accept") == "application/json":
            html = render_to_string("structure/branches.html", self._shown(request), request)
            return JsonResponse({"html": html, "told": told, "refused": level == messages.ERROR})
        messages.add_message(request, level, told)
        return HttpResponseRedirect(reverse("admin:catalog_category_changelist"))

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """The form of one category, with the ways to all that may be done to it."""
        document = run(staff_tree()).documents.get(object_id)
        links = self.dialog_links(request, object_id, document) if document else []
        return super().change_view(request, object_id, form_url, {"dialogs": links, **(extra_context or {})})

    @admin.display(description="раздел")
    def shown_path(self, category: Category) -> str:
        return " / ".join(map(category_name, category.path)) or "—"

    def get_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        if obj is None:
            return ("slug", "name", "parent", "position")
        edits = self.has_change_permission(request, obj)
        return ("slug", "shown_path", "name", "position", *(("seen", "clashed") if edits else ()))

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        return ("slug", "shown_path") if obj else ()

    def refusal(self, obj: Category) -> DomainError | None:
        return None if is_empty(obj.slug) else CategoryInUse()

    def delete_model(self, request: Any, obj: Category) -> None:
        delete_category(obj.slug, actor=Actor.account(request.user, Source.ADMIN))

    def _shown(self, request: HttpRequest) -> dict[str, Any]:
        """What the tree is drawn from."""
        return {
            "words": words(),
            "branches": TreePage(run(staff_tree()), self, request).branches(),
            "may_add": self.has_add_permission(request),
            "may_change": self.has_change_permission(request),
            "may_delete": self.has_delete_permission(request),
            "is_top": True,
        }
