"""Hosts, HTTPS and the headers of every answer: one set of rules for GraphQL and for Django.

Django's own middleware would guard its half alone. Each application of `gateway.asgi` is wrapped here instead, inside
the front, which knows the client's scheme; Django's security and X-Frame-Options middleware is therefore not installed.
"""

from collections.abc import Iterator
from functools import lru_cache

from django.conf import settings
from django.core.exceptions import DisallowedHost
from django.http import HttpRequest

from gateway.web.http import (
    Application,
    Message,
    PromptAnswer,
    PromptApplication,
    Receive,
    Scope,
    Send,
    header_lines,
    respond,
)

IMAGES = "img-src 'self' data:"
_RULES = (
    "default-src 'self'",
    # The admin has one <style> of its own, GraphiQL another; styles alone run nothing.
    "style-src 'self' 'unsafe-inline'",
    # GraphiQL's style sheet carries its letters and cursors within it.
    IMAGES,
    "font-src 'self' data:",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
)
CONTENT_SECURITY_POLICY = "; ".join(_RULES)
"""What a page may load and run. A page that needs other rules sends its own, which is then left alone."""

# Alpine, by which django-unfold moves its menus, makes functions of the attributes in our own pages. Scripts come from
# our own files even so: neither a <script> within a page nor an `onclick` is run, and nothing from elsewhere.
ADMIN_POLICY = "; ".join((*_RULES, "script-src 'self' 'unsafe-eval'"))
"""The policy of /admin/ while it shows no pictures of other hosts."""
ADMIN = "/admin/"

HEADERS = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "content-security-policy": CONTENT_SECURITY_POLICY,
}
"""Headers of every answer; over TLS Strict-Transport-Security comes on top."""

_ENCODED = tuple((name.encode("latin-1"), value.encode("latin-1")) for name, value in HEADERS.items())
_POLICY = b"content-security-policy"
_HSTS = b"strict-transport-security"

# A host name has no more characters, and its port six. Longer ones are read anew each time.
LONGEST_HOST = 260
# Host names that were asked for before are looked up: a shop has few.
REMEMBERED_HOSTS = 256

PLAIN = "text/plain; charset=utf-8"
UNKNOWN_HOST = b"This host name is not served here.\n"
HTTPS_ONLY = b"Use HTTPS. What this request carried has travelled in the clear.\n"


def admin_policy() -> str:
    """The policy of /admin/, with the hosts whose pictures it may show."""
    return ADMIN_POLICY.replace(IMAGES, " ".join((IMAGES, *settings.ADMIN_IMAGE_HOSTS)))


def with_headers(application: Application) -> Application:
    """The application with the common headers, open to any host name and to plain HTTP.

    For the health pages, which a load balancer asks by address and behind the TLS.
    """

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message["headers"], *_missing(scope, message)]}
            await send(message)

        await application(scope, receive, send_with_headers)

    return answer


def public_pages(application: Application) -> Application:
    """The application for browsers: a page asked for over plain HTTP is redirected, if SECURE_SSL_REDIRECT is on."""
    return with_headers(_guarded(application, redirects=True))


def public_api(application: Application) -> Application:
    """The application for programs: refused over plain HTTP, as a redirect would hide that its token was readable."""
    return with_headers(_guarded(application, redirects=False))


def prompt_api(application: PromptApplication) -> PromptApplication:
    """`public_api` for answers given at once, which set none of the common headers themselves."""

    def answer(scope: Scope, body: bytes) -> PromptAnswer | None:
        is_secure = _is_secure(scope)
        if (settings.SECURE_SSL_REDIRECT and not is_secure) or _allowed_host(scope) is None:
            return None
        given = application(scope, body)
        if given is None:
            return None
        return PromptAnswer(given.head + _common_lines(settings.SECURE_HSTS_SECONDS if is_secure else 0), given.body)

    return answer


def _guarded(application: Application, *, redirects: bool) -> Application:
    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        host = _allowed_host(scope)
        if host is None:
            await respond(send, 400, UNKNOWN_HOST, PLAIN)
        elif _is_secure(scope) or not settings.SECURE_SSL_REDIRECT:
            await application(scope, receive, send)
        elif redirects and scope["method"] in {"GET", "HEAD"}:
            await respond(send, 301, b"", PLAIN, {"location": f"https://{host}{_target(scope)}"})
        else:
            await respond(send, 403, HTTPS_ONLY, PLAIN)

    return answer


def _is_secure(scope: Scope) -> bool:
    """Whether the client speaks TLS, to us or to a trusted proxy: the front has settled it."""
    return bool(scope["scheme"] == "https")


def _allowed_host(scope: Scope) -> str | None:
    """The host name asked for, if ALLOWED_HOSTS has it by Django's own rules; else None."""
    named = [value.decode("latin-1") for name, value in scope["headers"] if name == b"host"]
    address, port = scope["server"]
    # Several make a name that nobody has, as they do in Django.
    host = ",".join(named) if named else None
    find = _remembered_host if host is None or len(host) <= LONGEST_HOST else _found_host
    return find(host, str(address), str(port), (*settings.ALLOWED_HOSTS, settings.DEBUG))


def _found_host(host: str | None, address: str, port: str, rules: tuple[str | bool, ...]) -> str | None:
    """The host name by Django's own rules, which read the settings that `rules` tells apart."""
    request = HttpRequest()
    request.META = {"SERVER_NAME": address, "SERVER_PORT": port}
    if host is not None:
        request.META["HTTP_HOST"] = host
    try:
        return request.get_host()
    except DisallowedHost:
        return None


_remembered_host = lru_cache(REMEMBERED_HOSTS)(_found_host)


def _target(scope: Scope) -> str:
    query = scope["query_string"].decode("latin-1")
    path: str = scope["raw_path"].decode("latin-1")
    return f"{path}?{query}" if query else path


def _missing(scope: Scope, message: Message) -> Iterator[tuple[bytes, bytes]]:
    """The common headers that the application has not set itself."""
    given = {name.lower() for name, _ in message["headers"]}
    if settings.DEBUG and message["status"] >= 400:
        # Django's error pages for developers are written with scripts of their own.
        given.add(_POLICY)
    elif _POLICY not in given and scope["path"].startswith(ADMIN):
        given.add(_POLICY)
        yield _POLICY, admin_policy().encode("latin-1")
    for name, value in _ENCODED:
        if name not in given:
            yield name, value
    if settings.SECURE_HSTS_SECONDS and _is_secure(scope) and _HSTS not in given:
        yield _hsts(settings.SECURE_HSTS_SECONDS)


@lru_cache(2)
def _common_lines(hsts_seconds: int) -> bytes:
    """The common headers as they are sent; 0: without Strict-Transport-Security."""
    return header_lines((*_ENCODED, _hsts(hsts_seconds)) if hsts_seconds else _ENCODED)


def _hsts(seconds: int) -> tuple[bytes, bytes]:
    return _HSTS, f"max-age={seconds}".encode("latin-1")
