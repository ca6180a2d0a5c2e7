"""The gateway's addresses and some whose pages go wrong, each in its own way."""

from django.core.exceptions import PermissionDenied, SuspiciousOperation
from django.http import HttpRequest, HttpResponse
from django.urls import path
from pymongo import MongoClient

from gateway.urls import handler400, handler403, handler404, handler500
from gateway.urls import urlpatterns as ours

__all__ = ["handler400", "handler403", "handler404", "handler500"]


def fail(request: HttpRequest) -> HttpResponse:
    raise LookupError("a secret of ours")


def forbid(request: HttpRequest) -> HttpResponse:
    raise PermissionDenied


def suspect(request: HttpRequest) -> HttpResponse:
    raise SuspiciousOperation("forged")


def ask_nobody(request: HttpRequest) -> HttpResponse:
    """Ask a MongoDB that is not there."""
    with MongoClient[dict[str, str]]("127.0.0.1:1", serverSelectionTimeoutMS=50) as client:
        return HttpResponse(str(client.nothing.here.find_one()))


urlpatterns = [
    *ours,
    path("fail", fail),
    path("forbid", forbid),
    path("suspect", suspect),
    path("nobody", ask_nobody),
]
