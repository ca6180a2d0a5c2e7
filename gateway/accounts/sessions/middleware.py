"""Middleware that gives Django's pages their session, with the device and the address it is used from."""

from django.conf import settings
from django.contrib.auth.middleware import AuthenticationMiddleware as DjangoAuthenticationMiddleware
from django.contrib.sessions.middleware import SessionMiddleware as DjangoSessionMiddleware
from django.http import HttpRequest, HttpResponse
from django.utils.functional import SimpleLazyObject

from gateway.accounts.errors import TooManySignIns
from gateway.accounts.sessions.account import user_of
from gateway.accounts.sessions.cookies import bearer_token
from gateway.accounts.sessions.engine import SessionStore
from gateway.accounts.sessions.errors import RETRY_SECONDS, UNAVAILABLE, SessionsUnavailable, TooManySessions
from gateway.accounts.sign_in import known_devices
from gateway.domain.texts import Text, accepted_language
from gateway.web.http import UNKNOWN


class SessionMiddleware(DjangoSessionMiddleware):
    def process_request(self, request: HttpRequest) -> None:
        bearer = bearer_token(request.headers.get("authorization"))
        request.session = SessionStore(
            request.COOKIES.get(settings.SESSION_COOKIE_NAME) if bearer is None else bearer,
            device=request.headers.get("user-agent", ""),
            ip_address=request.META.get("REMOTE_ADDR") or UNKNOWN,
        )

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        if isinstance(exception, TooManySignIns):
            return _later(request, exception.text)
        if isinstance(exception, TooManySessions):
            return _too_many(request, exception)
        return _later(request, UNAVAILABLE) if isinstance(exception, SessionsUnavailable) else None

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        try:
            response = super().process_response(request, response)
        except SessionsUnavailable:
            return _later(request, UNAVAILABLE)
        except TooManySessions as error:
            return _too_many(request, error)
        session = getattr(request, "session", None)
        if isinstance(session, SessionStore) and session.touch():
            _set_cookie(response, settings.SESSION_COOKIE_NAME, session.session_key or "", session.get_expiry_age())
        if bearer_token(request.headers.get("authorization")) is not None:
            response.cookies.pop(settings.SESSION_COOKIE_NAME, None)
        if proof := getattr(request, "new_device", None):
            _set_cookie(response, known_devices.COOKIE, proof, known_devices.COOKIE_SECONDS)
        return response


class AuthenticationMiddleware(DjangoAuthenticationMiddleware):
    """Finds the user of the session by the same rule as the API."""

    def process_request(self, request: HttpRequest) -> None:
        super().process_request(request)
        request.user = SimpleLazyObject(lambda: user_of(request.session))  # type: ignore[assignment]


def _set_cookie(response: HttpResponse, name: str, value: str, max_age: int) -> None:
    response.set_cookie(
        name,
        value,
        max_age=max_age,
        path=settings.SESSION_COOKIE_PATH,
        domain=settings.SESSION_COOKIE_DOMAIN,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=settings.SESSION_COOKIE_HTTPONLY,
        samesite=settings.SESSION_COOKIE_SAMESITE,  # type: ignore[arg-type]
    )


def _too_many(request: HttpRequest, error: TooManySessions) -> HttpResponse:
    text = error.message(accepted_language(request.headers.get("accept-language")))
    return HttpResponse(text, status=429, content_type="text/plain; charset=utf-8")


def _later(request: HttpRequest, reason: Text) -> HttpResponse:
    text = reason.in_language(accepted_language(request.headers.get("accept-language")))
    return HttpResponse(
        text, status=503, content_type="text/plain; charset=utf-8", headers={"Retry-After": str(RETRY_SECONDS)}
    )
