from typing import Any

from django import forms
from django.contrib import admin
from django.http import HttpRequest

from catalog.admin.deletion import DeletedByAction
from catalog.admin.structure_form import StructureForm
from catalog.errors import CategoryInUse
from catalog.models import Category
from catalog.structure.categories import add_category, delete_category, edit_category, is_empty
from catalog.structure.edition import Edition
from catalog.structure.names import category_name
from gateway.audit.trail import Actor, Source
from gateway.domain.errors import DomainError
from gateway.domain.texts import Text
from gateway.staff.forms import SavedByItsForm
from gateway.staff.titles import Titles


class CategoryForm(StructureForm):
    slug = forms.CharField(label="Адрес", max_length=64, help_text="Латиницей: smartphones. Потом не меняется.")
    parent = forms.ChoiceField(label="Раздел", required=False, help_text="Потом не меняется.")

    class Meta:
        model = Category
        fields = ("name", "position")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.instance.pk:
            # The slug is gone already: it is shown for reading.
            del self.fields["parent"]
        else:
            self.fields["parent"].choices = [("", "— в корне —"), *category_paths()]  # type: ignore[attr-defined]

    def add(self) -> None:
        given = self.cleaned_data
        made = add_category(
            given["slug"],
            given["name"],
            parent=given["parent"] or None,
            position=given["position"],
            actor=self.actor,
        )
        self.instance.slug, self.instance.name, self.instance.position = made["_id"], made["name"], made["position"]

    def edit(self, wanted: Edition) -> None:
        edit_category(self.instance.pk, name=wanted.name, position=wanted.position, actor=self.actor, seen=self.stored)


@admin.register(Category)
class CategoryAdmin(SavedByItsForm, DeletedByAction):
    titles = Titles(
        several=Text("Категории", "Categories"),
        one=Text("Категория", "Category"),
        new=Text("Новая категория", "New category"),
    )
    form = CategoryForm
    list_display = ("name", "slug", "shown_path", "position")
    search_fields = ("slug", "name")
    # The whole tree on one page: it is small, and a page break in a tree hides its branches.
    list_per_page = 1_000

    @admin.display(description="раздел")
    def shown_path(self, category: Category) -> str:
        return " / ".join(map(category_name, category.path))

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


def leaf_choices() -> list[tuple[str, str]]:
    """Categories that may hold products, with the names of those above them."""
    parents = {slug for category in Category.objects.all() for slug in category.path}
    return [(slug, label) for slug, label in category_paths() if slug not in parents]


def category_paths() -> list[tuple[str, str]]:
    """Every category, with the names of those above it."""
    categories = {category.slug: category for category in Category.objects.all()}
    labelled = [
        (slug, " / ".join(categories[above].name if above in categories else above for above in [*category.path, slug]))
        for slug, category in categories.items()
    ]
    return sorted(labelled, key=lambda choice: choice[1])
