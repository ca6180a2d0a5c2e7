"""Rules for pages of other sites in a visitor's browser: CORS for those on our list, no cookies for others."""

import re
from urllib.parse import urlsplit

from django.conf import settings

from gateway.accounts.sessions.cookies import bearer_token
from gateway.domain.texts import Language, Text
from gateway.graphql.errors import RequestRefused
from gateway.web.http import Scope, header, sent_cookies

# A browser sends none of these to another site without asking it first.
PREFLIGHT_HEADERS = ("x-apollo-operation-name", "apollo-require-preflight")
# The names by which a machine calls itself.
_NAMES = r"localhost|[a-z0-9-]+(?:\.[a-z0-9-]+)*\.localhost|127(?:\.[0-9]{1,3}){3}"
_LOOPBACK = re.compile(rf"{_NAMES}|::1")
_LOCAL_PAGE = re.compile(rf"https?://(?:{_NAMES}|\[::1\])(?::[0-9]{{1,5}})?")
FORM_TYPES = {"", "application/x-www-form-urlencoded", "multipart/form-data", "text/plain"}

PROVE = Text(
    "Запрос с cookie может подделать чужой сайт: отправьте непустой заголовок apollo-require-preflight или "
    "x-apollo-operation-name.",
    "A request with a cookie may be forged by another site: send a non-empty header apollo-require-preflight or "
    "x-apollo-operation-name.",
)

COOKIES_REFUSED = Text(
    "Браузер не пришлёт и не сохранит cookie: страница {origin} и адрес {host} — разные сайты. Откройте оба под "
    "одним именем, например localhost, или передавайте токен в Authorization.",
    "The browser will neither send nor keep cookies: the page {origin} and the address {host} are different sites. "
    "Open both under one name, e.g. localhost, or send the token as Authorization.",
)


def refuse_forgery(scope: Scope) -> None:
    """Refuse what another site may have forged, by Apollo's rule, if the request brings a session.

    A plain GET without a cookie, from a shared cache or a command line, has nobody's rights and needs no header.
    """
    if not _has_session(scope):
        return
    content_type = (header(scope, "content-type") or "").partition(";")[0].strip().lower()
    if content_type in FORM_TYPES and not any(header(scope, name) for name in PREFLIGHT_HEADERS):
        raise RequestRefused("CSRF", PROVE, status=400)


def cors_headers(scope: Scope) -> dict[str, str]:
    """The headers of every answer that say whether the page that asked may read it."""
    if "*" in settings.GRAPHQL_CORS_ORIGINS:
        return {"access-control-allow-origin": "*", "access-control-expose-headers": "x-request-id, retry-after"}
    origin = header(scope, "origin")
    if origin is None or not _is_allowed(origin):
        return {}
    headers = {"access-control-allow-origin": origin, "access-control-expose-headers": "x-request-id, retry-after"}
    if settings.GRAPHQL_CORS_CREDENTIALS:
        headers["access-control-allow-credentials"] = "true"
    return headers


def preflight_headers(scope: Scope) -> dict[str, str]:
    """The CORS headers of the answer to OPTIONS."""
    allowed = cors_headers(scope)
    if not allowed or not header(scope, "access-control-request-method"):
        return allowed
    return {
        **allowed,
        "access-control-allow-methods": "GET, POST",
        # The list is open: what a header may do is decided by whoever reads it.
        "access-control-allow-headers": header(scope, "access-control-request-headers") or "content-type",
        "access-control-max-age": str(settings.GRAPHQL_CORS_MAX_AGE),
    }


def keeps_no_cookies(scope: Scope) -> bool:
    """Whether the page that asks may use cookies, and its browser keeps none, since it is a page of another site."""
    if "access-control-allow-credentials" not in cors_headers(scope) or settings.SESSION_COOKIE_SAMESITE == "None":
        return False
    if _has_session(scope) or bearer_token(header(scope, "authorization")) is not None:
        return False
    if (site := header(scope, "sec-fetch-site")) is not None:
        return site == "cross-site"
    # An old browser does not say it. Names of this machine are sites of their own, whatever their ports.
    page, here = urlsplit(header(scope, "origin") or ""), urlsplit(f"//{header(scope, 'host') or ''}")
    return _is_loopback(page.hostname) and _is_loopback(here.hostname) and page.hostname != here.hostname


def cookies_refused(scope: Scope, language: Language) -> dict[str, str]:
    """The warning of an answer whose browser keeps no cookies."""
    values = {"origin": header(scope, "origin"), "host": header(scope, "host")}
    return {"code": "COOKIES_REFUSED", "message": COOKIES_REFUSED.in_language(language, **values)}


def _is_allowed(origin: str) -> bool:
    """Whether the page may read answers: one on our list; in development any of this machine, whatever its port."""
    if origin in settings.GRAPHQL_CORS_ORIGINS:
        return True
    return not settings.PRODUCTION and _LOCAL_PAGE.fullmatch(origin) is not None


def _is_loopback(host: str | None) -> bool:
    return host is not None and _LOOPBACK.fullmatch(host) is not None


def _has_session(scope: Scope) -> bool:
    """Whether the request brings a session by cookie.

    Beside a Bearer token, which no other site can make a browser send, the cookie is not looked at.
    """
    if bearer_token(header(scope, "authorization")) is not None:
        return False
    return settings.SESSION_COOKIE_NAME in sent_cookies(scope)
