"""What the pages of the stock have in common: who may open them, and what stands around them."""

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.template.response import TemplateResponse

from gateway.accounts.models import User
from gateway.domain.texts import Text
from gateway.staff.language import said

SEE_PRODUCTS = "catalog.view_product"
CHANGE_STOCK = "catalog.change_stocklevel"

View = Callable[..., HttpResponseBase]


def needs(*rights: str) -> Callable[[View], View]:
    """Let in only those with these rights."""

    def guarded(view: View) -> View:
        @wraps(view)
        def asked(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            if not reader_of(request).has_perms(rights):
                raise PermissionDenied
            return view(request, *args, **kwargs)

        return asked

    return guarded


def reader_of(request: HttpRequest) -> User:
    assert isinstance(request.user, User)  # noqa: S101 - the site lets nobody else in
    return request.user


def page(
    request: HttpRequest, template: str, title: str, words: Mapping[str, Text], context: Mapping[str, Any]
) -> HttpResponse:
    """The page in the frame of the admin. Never from a cache: somebody counts by it."""
    request.current_app = admin.site.name
    return TemplateResponse(
        request,
        template,
        {
            **admin.site.each_context(request),
            "title": title,
            "words": {name: said(text) for name, text in words.items()},
            **context,
        },
        headers={"Cache-Control": "no-store"},
    )
