"""Middleware that limits how long MongoDB may work for a page; beyond it, or without MongoDB, a page says so."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import structlog
from asgiref.sync import iscoroutinefunction, markcoroutinefunction
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from pymongo.errors import ExecutionTimeout

from gateway import deadline
from gateway.mongo.outage import is_outage
from gateway.web.error_pages import AWAY, CHANGE_STOPPED, TOO_MUCH_TO_READ, error_page

log = structlog.get_logger(__name__)

READING = {"GET", "HEAD", "OPTIONS"}


class TimeLimitMiddleware:
    sync_capable = True
    async_capable = True

    def __init__(self, get_response: Callable[[HttpRequest], Any]) -> None:
        self.get_response = get_response
        if iscoroutinefunction(get_response):
            markcoroutinefunction(self)

    def __call__(self, request: HttpRequest) -> Any:
        if iscoroutinefunction(self.get_response):
            return self._answer_async(request)
        with _limits(request):
            return self.get_response(request)

    async def _answer_async(self, request: HttpRequest) -> Any:
        with _limits(request):
            return await self.get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """A page that says what happened to MongoDB, instead of «server error»."""
        if _is_timeout(exception):
            log.warning("admin_deadline", method=request.method, path=request.path)
            return error_page(TOO_MUCH_TO_READ if request.method in READING else CHANGE_STOPPED, request)
        if is_outage(exception):
            log.warning("admin_without_mongodb", method=request.method, path=request.path)
            return error_page(AWAY, request)
        return None


@contextmanager
def _limits(request: HttpRequest) -> Iterator[None]:
    """A page has one deadline. A change has none, so that it is not left half-done: only its reads are limited."""
    seconds = settings.ADMIN_MAX_SECONDS
    with deadline.reads_within(seconds):
        if request.method in READING:
            with deadline.within(seconds):
                yield
        else:
            yield


def _is_timeout(error: BaseException | None) -> bool:
    """Whether MongoDB ran out of time; the ORM wraps the driver's errors in Django's."""
    while error is not None:
        if isinstance(error, ExecutionTimeout):
            return True
        error = error.__cause__
    return False
