"""The form of one category: its name and its place. Everything else about it is a dialog of its own."""

from typing import Any

from django import forms

from catalog.admin.categories import category_paths
from catalog.admin.structure_form import StructureForm
from catalog.models import Category
from catalog.structure.categories import add_category, edit_category
from catalog.structure.edition import Edition


class CategoryForm(StructureForm):
    slug = forms.CharField(label="Адрес", max_length=64, help_text="Латиницей: smartphones. Потом не меняется.")
    parent = forms.ChoiceField(label="Раздел", required=False, help_text="Перенести можно и потом.")

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
