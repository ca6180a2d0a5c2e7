"""Admin pages of what programs write: staff may look, nobody may edit."""

from typing import Any

from django.http import HttpRequest

from gateway.staff.model_admin import StaffAdmin


class ReadOnlyAdmin(StaffAdmin):
    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False
