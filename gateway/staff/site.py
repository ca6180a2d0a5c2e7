"""The admin site: what holds for every page of staff, whoever registers it."""

from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

from django.contrib import admin
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from unfold.sites import UnfoldAdminSite


class StaffSite(UnfoldAdminSite):
    show_found: Callable[[HttpRequest], HttpResponse]
    """What the search box shows. Set where the domains are known, in gateway/urls.py."""

    def has_permission(self, request: HttpRequest) -> bool:
        """Whether the person is staff, under a session that has passed the second factor as far as one is asked for."""
        return super().has_permission(request) and getattr(request.user, "passed_second_factor", True)

    def login(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """The page of signing in; whoever has given the password goes on to the second factor."""
        if request.method == "GET" and super().has_permission(request) and not self.has_permission(request):
            query = urlencode({"next": request.GET["next"]}) if "next" in request.GET else ""
            return HttpResponseRedirect(f"{reverse('staff_second_factor')}?{query}")
        page: HttpResponse = super().login(request, extra_context)
        return page

    def register(self, model_or_iterable: Any, admin_class: Any = None, **options: Any) -> None:
        """Register without Django's counts beside the filters (`?_facets`): each walks a whole collection."""
        super().register(model_or_iterable, admin_class, **{**options, "show_facets": admin.ShowFacets.NEVER})

    def search(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Search by our own reads: Unfold's would ask whole tables, and remember for minutes what somebody found."""
        return self.show_found(request)
