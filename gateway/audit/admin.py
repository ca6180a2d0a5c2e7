from typing import Any

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils.html import format_html_join

from gateway.audit.models import AuditEntry
from gateway.audit.trail import Action
from gateway.staff.read_only import ReadOnlyAdmin

KINDS = sorted({action.value.partition(".")[0] for action in Action} - {"stock"})


class ByAction(admin.SimpleListFilter):
    title = "действие"
    parameter_name = "action"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(action.value, action.value) for action in Action]

    def queryset(self, request: HttpRequest, queryset: QuerySet) -> QuerySet:
        return queryset.filter(action=self.value()) if self.value() else queryset


@admin.register(AuditEntry)
class AuditEntryAdmin(ReadOnlyAdmin):
    """A page to read the trail; the past is not edited."""

    list_display = ("at", "actor", "action", "target", "shown_changes", "reason")
    list_filter = (ByAction,)
    search_fields = ("target",)
    search_help_text = "Артикул, адрес категории, код геозоны или e-mail сотрудника, целиком."
    fields = ("at", "actor", "actor_id", "action", "target", "shown_changes", "reason")

    @admin.display(description="изменения")
    def shown_changes(self, entry: AuditEntry) -> str:
        rows = ((field, _short(before), _short(after)) for field, (before, after) in entry.changes.items())
        return format_html_join("", "<div><b>{}</b>: {} → {}</div>", rows)

    def get_search_results(self, request: HttpRequest, queryset: QuerySet, search_term: str) -> tuple[QuerySet, bool]:
        """Search by whole values, each on its index."""
        term = search_term.strip()
        if not term:
            return queryset, False
        targets = [term] if ":" in term else [f"{kind}:{term}" for kind in KINDS]
        found = Q(actor=term) if "@" in term else Q(target__in=targets)
        return queryset.filter(found), False


def _short(value: Any) -> str:
    if value is None:
        return "—"
    text = str(value)
    return text if len(text) <= 200 else f"{text[:200]}…"
