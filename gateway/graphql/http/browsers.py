"""Rules for pages of other sites in a visitor's browser: CORS for those on our list, no cookies for others."""

from django.conf import settings

from gateway.accounts.sessions.cookies import bearer_token
from gateway.domain.texts import Text
from gateway.graphql.errors import RequestRefused
from gateway.web.http import Scope, header, sent_cookies

# A browser sends none of these to another site without asking it first.
PREFLIGHT_HEADERS = ("x-apollo-operation-name", "apollo-require-preflight")
FORM_TYPES = {"", "application/x-www-form-urlencoded", "multipart/form-data", "text/plain"}

PROVE = Text(
    "Запрос с cookie может подделать чужой сайт: отправьте непустой заголовок apollo-require-preflight или "
    "x-apollo-operation-name.",
    "A request with a cookie may be forged by another site: send a non-empty header apollo-require-preflight or "
    "x-apollo-operation-name.",
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
    if not settings.GRAPHQL_CORS_ORIGINS:
        return {}
    if "*" in settings.GRAPHQL_CORS_ORIGINS:
        return {"access-control-allow-origin": "*", "access-control-expose-headers": "x-request-id, retry-after"}
    origin = header(scope, "origin")
    if origin not in settings.GRAPHQL_CORS_ORIGINS:
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


def _has_session(scope: Scope) -> bool:
    """Whether the request brings a session by cookie.

    Beside a Bearer token, which no other site can make a browser send, the cookie is not looked at.
    """
    if bearer_token(header(scope, "authorization")) is not None:
        return False
    return settings.SESSION_COOKIE_NAME in sent_cookies(scope)
