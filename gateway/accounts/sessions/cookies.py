"""How a client says which session is its own: the cookie, or «Authorization: Bearer», which wins."""

from http.cookies import SimpleCookie

from django.conf import settings

_BEARER = "bearer "


def bearer_token(authorization: str | None) -> str | None:
    """The token of an Authorization header; None: it carries none."""
    if authorization is None or not authorization.lower().startswith(_BEARER):
        return None
    return authorization[len(_BEARER) :].strip()


def setting_cookie(token: str) -> str:
    """The Set-Cookie header that gives a browser its session."""
    return cookie_header(settings.SESSION_COOKIE_NAME, token, settings.SESSION_COOKIE_AGE)


def expiring_cookie() -> str:
    """The Set-Cookie header that takes it away."""
    return cookie_header(settings.SESSION_COOKIE_NAME, "", 0)


def cookie_header(name: str, value: str, max_age: int) -> str:
    """A Set-Cookie header of a cookie that is kept as the session's is: out of reach of scripts and of other sites."""
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
