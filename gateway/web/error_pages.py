"""The pages that say that something went wrong: in plain words, with the request's id and a way back.

They read no database and load nothing, so that they are shown whatever is broken.
"""

from dataclasses import dataclass

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.utils.http import url_has_allowed_host_and_scheme

from gateway.domain.texts import DEFAULT_LANGUAGE, Language, Text
from gateway.logs.request_ids import current_request_id
from gateway.staff.language import staff_language
from gateway.web.http import Scope, sent_cookies

HOME = "/admin/"
LABELS = {
    "home": Text("На главную", "Home"),
    "back": Text("Вернуться назад", "Go back"),
    "request": Text("Номер запроса", "Request id"),
    "quote": Text("Назовите его, если обратитесь за помощью.", "Quote it when you ask for help."),
}


@dataclass(frozen=True, slots=True)
class ErrorPage:
    """What a person is told, and under which status."""

    status: int
    title: Text
    told: Text


BAD_REQUEST = ErrorPage(
    400,
    Text("Запрос не понят", "The request was not understood"),
    Text(
        "Адрес или отправленные данные испорчены. Вернитесь и попробуйте ещё раз.",
        "The address or what was sent is damaged. Go back and try again.",
    ),
)
NOT_ALLOWED = ErrorPage(
    403,
    Text("Нет доступа", "No access"),
    Text(
        "У вашей учётной записи нет права на эту страницу или действие. Его даёт администратор.",
        "Your account may not see this page or do this. An administrator can give it the right.",
    ),
)
FORM_NOT_TRUSTED = ErrorPage(
    403,
    Text("Форма устарела", "The form is out of date"),
    Text(
        "Ничего не изменено. Похоже, с открытия страницы вы вошли заново или браузер не передал куки. "
        "Откройте страницу снова и повторите.",
        "Nothing was changed. You have signed in anew since the page was opened, or the browser sent no cookies. "
        "Open the page again and repeat.",
    ),
)
NOT_FOUND = ErrorPage(
    404,
    Text("Страница не найдена", "Page not found"),
    Text(
        "По этому адресу ничего нет: он набран с ошибкой, или того, что здесь было, больше нет.",
        "There is nothing at this address: it is misspelt, or what was here is gone.",
    ),
)
FAULT = ErrorPage(
    500,
    Text("Ошибка на сервере", "Server error"),
    Text(
        "Это наша ошибка, она записана в журнал. Если вы что-то сохраняли, откройте страницу снова и проверьте.",
        "The fault is ours and has been logged. If you were saving something, open the page again and see.",
    ),
)
TOO_MUCH_TO_READ = ErrorPage(
    503,
    Text("Слишком долго", "Too slow"),
    Text(
        "Страница читает слишком много, и база остановила запрос. Сузьте поиск или фильтр.",
        "The page reads too much, and the database stopped the query. Narrow the search or the filter.",
    ),
)
CHANGE_STOPPED = ErrorPage(
    503,
    Text("Слишком долго", "Too slow"),
    Text(
        "База не успела прочитать нужное, и изменение остановлено. Откройте страницу заново и проверьте, "
        "что сохранилось.",
        "The database could not read in time, and the change was stopped. Open the page again and see what was saved.",
    ),
)
AWAY = ErrorPage(
    503,
    Text("База данных недоступна", "The database is away"),
    Text(
        "Сейчас страницу не из чего собрать. Подождите минуту и обновите её; если вы что-то сохраняли, проверьте.",
        "There is nothing to make the page of now. Wait a minute and reload; if you were saving something, check it.",
    ),
)


def error_page(page: ErrorPage, request: HttpRequest) -> HttpResponse:
    """The page as an answer of Django, with a link to where the person came from."""
    body = page_body(page, staff_language(), back=_previous_page(request))
    return HttpResponse(body, status=page.status, headers={"Cache-Control": "no-store"})


def page_body(page: ErrorPage, language: Language, *, back: str = "") -> str:
    labels = {name: text.in_language(language) for name, text in LABELS.items()}
    texts = {
        "language": language,
        "status": page.status,
        "title": page.title.in_language(language),
        "told": page.told.in_language(language),
        "request_id": current_request_id() or "",
        "home": HOME,
        "back": back,
        "labels": labels,
        "static": settings.STATIC_URL,
    }
    # Without the request: what its context processors offer would be read from the database.
    return render_to_string("web/error.html", texts)


def chosen_language(scope: Scope) -> Language:
    """The person's language, before Django has seen the request."""
    return "en" if sent_cookies(scope).get(settings.LANGUAGE_COOKIE_NAME) == "en" else DEFAULT_LANGUAGE


def show_bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    return error_page(BAD_REQUEST, request)


def show_not_allowed(request: HttpRequest, exception: Exception) -> HttpResponse:
    return error_page(NOT_ALLOWED, request)


def show_form_not_trusted(request: HttpRequest, reason: str = "") -> HttpResponse:
    return error_page(FORM_NOT_TRUSTED, request)


def show_not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    return error_page(NOT_FOUND, request)


def show_fault(request: HttpRequest) -> HttpResponse:
    return error_page(FAULT, request)


def _previous_page(request: HttpRequest) -> str:
    """Where the person came from, if it is another page of ours; after a refused form, the page with the form."""
    referer = request.headers.get("referer", "")
    # The host was checked at the front, by the same list.
    if not url_has_allowed_host_and_scheme(referer, {request.META.get("HTTP_HOST", "")}):
        return ""
    here = request.build_absolute_uri()
    return "" if request.method == "GET" and referer == here else referer
