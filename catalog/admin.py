from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from catalog.models import Geozone


@admin.register(Geozone)
class GeozoneAdmin(admin.ModelAdmin):
    list_display = ("name", "code", "position")
    list_editable = ("position",)
    search_fields = ("code", "name")

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        return ("code",) if obj else ()
