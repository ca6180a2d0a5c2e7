"""One trail for everything: the admin's own log is neither written nor shown."""

from typing import TYPE_CHECKING, Any

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect

from gateway.audit.labels import kind_on_page
from gateway.audit.links import audit_url

if TYPE_CHECKING:
    # Unfold's own has no types; to the checker it is what it extends.
    from django.contrib.admin import ModelAdmin
else:
    from unfold.admin import ModelAdmin


class LeadsToAudit(ModelAdmin):
    """Pages whose «history» leads to the audit, which tells what was before, and what the API did.

    What is written is the domain's matter: its action records the change in its own transaction.
    """

    def history_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        kind = kind_on_page(f"{self.opts.app_label}_{self.opts.model_name}")
        return HttpResponseRedirect(audit_url(f"{kind}:{object_id}") if kind else audit_url())

    def log_addition(self, request: HttpRequest, obj: Any, message: Any) -> Any:
        """Nothing to do: the audit has it."""

    def log_change(self, request: HttpRequest, obj: Any, message: Any) -> Any:
        """Nothing to do: the audit has it."""

    def log_deletions(self, request: HttpRequest, queryset: Any) -> Any:
        """Nothing to do: the audit has it."""
