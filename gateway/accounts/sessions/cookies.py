"""How a client names its session: by the cookie, or by «Authorization: Bearer», which wins."""

from http.cookies import SimpleCookie

from django.conf import settings

from gateway.accounts.owners import session_hash
from gateway.web.http import Scope, header, sent_cookies

_BEARER = "bearer "


def bearer_token(authorization: str | None) -> str | None:
    """The token of an Authorization header; None when it carries none."""
    if authorization is None or not authorization.lower().startswith(_BEARER):
        return None
    return authorization[len(_BEARER) :].strip()


def sent_session_id(scope: Scope) -> str | None:
    """The id of the session that the request names, whether there is one or not: by the token if it brings one."""
    bearer = bearer_token(header(scope, "authorization"))
    token = sent_cookies(scope).get(settings.SESSION_COOKIE_NAME) if bearer is None else bearer
    return session_hash(token) if token else None


def setting_cookie(token: str) -> str:
    """The Set-Cookie header that gives a browser its session."""
    return cookie_header(settings.SESSION_COOKIE_NAME, token, settings.SESSION_COOKIE_AGE)


def expiring_cookie() -> str:
    """The Set-Cookie header that takes the session away from a browser."""
    return cookie_header(settings.SESSION_COOKIE_NAME, "", 0)


def cookie_header(name: str, value: str, max_age: int) -> str:
    """The Set-Cookie header of a cookie kept like the session's: out of reach of scripts and of other sites."""
    cookie = SimpleCookie({name: value})
    morsel = cookie[name]
    morsel["path"] = settings.SESSION_COOKIE_PATH
    morsel["max-age"] = max_age
    morsel["samesite"] = settings.SESSION_COOKIE_SAMESITE
    morsel["httponly"] = settings.SESSION_COOKIE_HTTPONLY
    morsel["secure"] = settings.SESSION_COOKIE_SECURE
    if settings.SESSION_COOKIE_DOMAIN:
        morsel["domain"] = settings.SESSION_COOKIE_DOMAIN
    return str(morsel.OutputString())
