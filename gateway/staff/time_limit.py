"""Middleware that limits how long MongoDB may work for a page, and the page that a person sees beyond it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import structlog
from asgiref.sync import iscoroutinefunction, markcoroutinefunction
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from pymongo.errors import ExecutionTimeout

from gateway import deadline
from gateway.domain.texts import Text
from gateway.staff.language import staff_language

log = structlog.get_logger(__name__)

READING = {"GET", "HEAD", "OPTIONS"}
TITLE = Text("Слишком долго", "Too slow")
TOO_MUCH_TO_READ = Text(
    "Страница читает слишком много, и база остановила запрос. Сузьте поиск или фильтр.",
    "The page reads too much, and the database stopped the query. Narrow the search or the filter.",
)
CHANGE_STOPPED = Text(
    "База не успела прочитать нужное, и изменение остановлено. Откройте страницу заново и проверьте, что сохранилось.",
    "The database could not read in time, and the change was stopped. Open the page again and see what was saved.",
)


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
        """A page that says that it took too long, instead of «server error»."""
        if not _is_timeout(exception):
            return None
        log.warning("admin_deadline", method=request.method, path=request.path)
        language = staff_language()
        told = TOO_MUCH_TO_READ if request.method in READING else CHANGE_STOPPED
        texts = {"title": TITLE.in_language(language), "told": told.in_language(language), "language": language}
        # Without the request: what its context processors offer would be read from the database.
        return HttpResponse(render_to_string("staff/too_slow.html", texts), status=503)


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
