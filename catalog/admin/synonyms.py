"""Synonyms of the search, as merchandisers write them: a group is a line of words."""

from typing import Any

from django import forms
from django.contrib import admin

from catalog.admin.deletion import DeletedByAction
from catalog.errors import StructureChangedMeanwhile
from catalog.search.synonyms import add_synonyms, delete_synonyms, edit_synonyms, words_typed
from catalog.search_models import SynonymGroup
from gateway.audit.trail import Actor, Source
from gateway.domain.errors import DomainError
from gateway.domain.texts import Text
from gateway.staff.forms import SavedByItsForm
from gateway.staff.merging import MergingForm, Values, seen_text
from gateway.staff.times import time_text
from gateway.staff.titles import Titles


class SynonymForm(MergingForm):
    words = forms.CharField(
        label="Слова",
        max_length=2000,
        widget=forms.Textarea({"rows": 3, "class": "vLargeTextField"}),
        help_text="Через запятую или по одному в строке: айфон, iphone. Регистр и окончания не важны.",
    )

    class Meta:
        model = SynonymGroup
        fields = ()

    overtaken_by = (StructureChangedMeanwhile,)

    stored: SynonymGroup
    """The group as it was read last."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.instance.pk:
            values = _values(self.instance)
            self.initial.update(values, seen=seen_text(values))

    def act(self) -> None:
        if self.instance.pk:
            self.merge_and_write()
            return
        made = add_synonyms(words_typed(self.cleaned_data["words"]), actor=self.actor)
        self.instance.id, self.instance.title = made["_id"], made["title"]

    def stored_values(self) -> Values:
        # Gone meanwhile, it is as it was: the action says that there is no such thing.
        self.stored = SynonymGroup.objects.filter(pk=self.instance.pk).first() or self.instance
        return _values(self.stored)

    def typed_values(self) -> Values:
        return {"words": ", ".join(words_typed(self.cleaned_data["words"]))}

    def write(self, values: Values) -> None:
        words = words_typed(values["words"])
        made = edit_synonyms(self.instance.pk, words, actor=self.actor, seen=self.stored.words)
        self.instance.title = made["title"]

    def texts_of(self, values: Values) -> dict[str, str]:
        return {"words": str(values["words"])}


@admin.register(SynonymGroup)
class SynonymGroupAdmin(SavedByItsForm, DeletedByAction):
    titles = Titles(
        several=Text("Синонимы поиска", "Search synonyms"),
        one=Text("Синонимы", "Synonyms"),
        new=Text("Новые синонимы", "New synonyms"),
    )
    form = SynonymForm
    list_display = ("title", "shown_changed", "changed_by")
    # A regular expression over a few hundred groups, which are no more.
    search_fields = ("title",)

    @admin.display(description="изменено")
    def shown_changed(self, group: SynonymGroup) -> str:
        return time_text(group.changed_at)

    def get_fields(self, request: Any, obj: Any = None) -> tuple[str, ...]:
        if obj is None:
            return ("words",)
        return ("words", "seen", "clashed") if self.has_change_permission(request, obj) else ("title",)

    def refusal(self, obj: SynonymGroup) -> DomainError | None:
        return None

    def delete_model(self, request: Any, obj: SynonymGroup) -> None:
        delete_synonyms(obj.pk, actor=Actor.account(request.user, Source.ADMIN))


def _values(group: SynonymGroup) -> Values:
    return {"words": group.title}
