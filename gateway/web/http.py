"""The parts of ASGI that our own endpoints need: their types, looking up headers, sending a whole response."""

import ipaddress
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from django.http import parse_cookie

Scope = dict[str, Any]
Message = Mapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]

UNKNOWN = "unknown"
"""Stands for an address that cannot be read."""

# Neither a body nor what describes one.
BODILESS = {204, 304}


async def respond(
    send: Send,
    status: int,
    body: bytes,
    content_type: str,
    headers: dict[str, str] | None = None,
    *,
    cookies: Sequence[str] = (),
) -> None:
    """Send one whole response; each of `cookies` is a Set-Cookie header of its own."""
    given = {"content-type": content_type, "content-length": str(len(body)), **(headers or {})}
    if status in BODILESS:
        body = b""
        given = headers or {}
    encoded = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in given.items()]
    encoded += [(b"set-cookie", cookie.encode("latin-1")) for cookie in cookies]
    await send({"type": "http.response.start", "status": status, "headers": encoded})
    await send({"type": "http.response.body", "body": body})


def header(scope: Scope, name: str) -> str | None:
    wanted = name.lower().encode("latin-1")
    return next((value.decode("latin-1") for found, value in scope["headers"] if found == wanted), None)


def sent_cookies(scope: Scope) -> dict[str, str]:
    """The cookies of the request, by name, read as Django reads them: a malformed one hides no other."""
    return parse_cookie(header(scope, "cookie") or "")


def with_one_cookie_header(scope: Scope) -> Scope:
    """The scope with all cookies in one header.

    HTTP/2 may send each cookie in a header of its own; Django would join them by commas, which do not separate cookies.
    """
    found = [value for name, value in scope["headers"] if name == b"cookie"]
    if len(found) < 2:
        return scope
    others = [(name, value) for name, value in scope["headers"] if name != b"cookie"]
    return {**scope, "headers": [*others, (b"cookie", b"; ".join(found))]}


def network_of(address: str) -> str:
    """The network that limits count: a home has one IPv4 address but 2^64 of IPv6, which count as one."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return UNKNOWN
    if isinstance(found, ipaddress.IPv6Address):
        if found.ipv4_mapped:
            return str(found.ipv4_mapped)
        return str(ipaddress.ip_network((found, 64), strict=False).network_address) + "/64"
    return str(found)
