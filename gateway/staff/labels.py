"""Labels of pages in the language of whoever reads them."""

from typing import TYPE_CHECKING, Any

from django.forms import BaseForm, ChoiceField
from django.http import HttpRequest, HttpResponse

from gateway.staff.language import lazy_label

if TYPE_CHECKING:
    # Unfold's own has no types; to the checker it is what it extends.
    from django.contrib.admin import ModelAdmin
else:
    from unfold.admin import ModelAdmin


def translate_fields(form: BaseForm) -> None:
    """Let labels, hints and choices of the form follow the reader."""
    for field in form.fields.values():
        field.label, field.help_text = lazy_label(field.label), lazy_label(field.help_text)
        if isinstance(field, ChoiceField) and isinstance(field.choices, list):
            field.choices = [(value, lazy_label(label)) for value, label in field.choices]


class Labelled(ModelAdmin):
    """Pages whose columns, filters, actions, fields and groups of fields are named in the reader's language."""

    def __init__(self, model: Any, admin_site: Any) -> None:
        super().__init__(model, admin_site)
        page = type(self)
        page.search_help_text = lazy_label(page.search_help_text)
        for name in dir(page):
            column = getattr(page, name, None)
            if callable(column) and hasattr(column, "short_description"):
                column.short_description = lazy_label(column.short_description)

    def get_actions(self, request: HttpRequest) -> dict[str, Any]:
        actions: dict[str, Any] = super().get_actions(request)
        return {name: (act, key, lazy_label(described)) for name, (act, key, described) in actions.items()}

    def get_changelist_instance(self, request: HttpRequest) -> Any:
        listed: Any = super().get_changelist_instance(request)
        for each in listed.filter_specs:
            each.title = lazy_label(each.title)
            if choices := getattr(each, "lookup_choices", None):
                each.lookup_choices = [(value, lazy_label(label), *rest) for value, label, *rest in choices]
        return listed

    def render_change_form(self, request: Any, context: dict[str, Any], *args: Any, **kwargs: Any) -> HttpResponse:
        page = context["adminform"]
        page.fieldsets = [(lazy_label(name), options) for name, options in page.fieldsets]
        translate_fields(page.form)
        return super().render_change_form(request, context, *args, **kwargs)
