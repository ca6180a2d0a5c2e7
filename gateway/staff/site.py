"""The admin site: what holds for every page of staff, whoever registers it."""

from typing import Any

from django.contrib import admin
from unfold.sites import UnfoldAdminSite


class StaffSite(UnfoldAdminSite):
    def register(self, model_or_iterable: Any, admin_class: Any = None, **options: Any) -> None:
        """Register without Django's counts beside the filters (`?_facets`): each walks a whole collection."""
        super().register(model_or_iterable, admin_class, **{**options, "show_facets": admin.ShowFacets.NEVER})
