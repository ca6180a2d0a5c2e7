"""The language of the pages: Russian, or what the person chose in the account menu and a cookie remembers."""

from collections.abc import Callable
from typing import Any

from asgiref.sync import iscoroutinefunction, markcoroutinefunction
from django.conf import settings
from django.http import HttpRequest
from django.utils import translation


class ChosenLanguage:
    """Middleware. Django's own would follow the browser, whose language says little of a person's at work."""

    sync_capable = True
    async_capable = True

    def __init__(self, get_response: Callable[[HttpRequest], Any]) -> None:
        self.get_response = get_response
        if iscoroutinefunction(get_response):
            markcoroutinefunction(self)

    def __call__(self, request: HttpRequest) -> Any:
        if iscoroutinefunction(self.get_response):
            return self._answer_async(request)
        with translation.override(_chosen(request)):
            return self.get_response(request)

    async def _answer_async(self, request: HttpRequest) -> Any:
        with translation.override(_chosen(request)):
            return await self.get_response(request)


def _chosen(request: HttpRequest) -> str:
    cookie = request.COOKIES.get(settings.LANGUAGE_COOKIE_NAME)
    return cookie if cookie in dict(settings.LANGUAGES) else settings.LANGUAGE_CODE
