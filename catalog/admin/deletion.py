"""Deletion in the admin through an action that may refuse."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect

from gateway.domain.errors import DomainError
from gateway.staff.language import staff_language
from gateway.staff.model_admin import StaffAdmin


class DeletedByAction(StaffAdmin):
    """Objects are deleted one at a time; a refusal of the action is shown instead of an error page."""

    def refusal(self, obj: Any) -> DomainError | None:
        """Why the object cannot be deleted now; the action has the last word."""
        raise NotImplementedError

    def get_actions(self, request: HttpRequest) -> dict[str, Any]:
        return {name: action for name, action in super().get_actions(request).items() if name != "delete_selected"}

    def get_deleted_objects(
        self, objs: Any, request: HttpRequest
    ) -> tuple[list[Any], dict[str, int], set[str], list[Any]]:
        """The objects themselves, since documents have no relations, and the reasons why some cannot be deleted."""
        objects = list(objs)
        refusals = [refusal.message(staff_language()) for obj in objects if (refusal := self.refusal(obj))]
        return [str(obj) for obj in objects], {str(self.opts.verbose_name_plural): len(objects)}, set(), refusals

    def delete_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        try:
            return super().delete_view(request, object_id, extra_context)
        except DomainError as error:
            # Refused after all: something came in between the page and the click.
            for reason in error:
                self.message_user(request, reason.message(staff_language()), messages.ERROR)
            return HttpResponseRedirect("../change/")
