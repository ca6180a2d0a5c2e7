"""The parts of ASGI that our own endpoints need: their types, looking up headers, sending a whole response."""

import ipaddress
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from django.http import parse_cookie

Scope = dict[str, Any]
Message = Mapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]
Address = ipaddress.IPv4Address | ipaddress.IPv6Address


class PromptAnswer(NamedTuple):
    """A whole answer of status 200 that nobody had to wait for."""

    head: bytes
    """Its header lines, each with its end, without those of the connection."""
    body: bytes


PromptApplication = Callable[[Scope, bytes], PromptAnswer | None]
"""Given a request and its body; None, with nothing done, when it must wait for something or is to be refused."""

UNKNOWN = "unknown"
"""Stands for an address that cannot be read."""

# Where a scope keeps its headers by name, with the list that they were read from.
_HEADERS = "gateway.headers"
# The longest text that is read as an address; an IPv6 address with a zone has some 60 characters.
LONGEST_ADDRESS = 100
# Addresses that were read before are looked up: a buyer comes back, and one request names its address several times.
REMEMBERED_ADDRESSES = 4_096

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


def header_lines(headers: Iterable[tuple[bytes, bytes]]) -> bytes:
    """The headers as they are sent, each with the end of its line."""
    return b"".join(b"%b: %b\r\n" % pair for pair in headers)


def told_at_once(receive: Receive) -> Message | None:
    """The next message, if the server has it by now; None if it is to be waited for.

    By one step into the question: to wait in a task, or with a time limit, costs more than most requests' answers.
    """
    question = receive().__await__()
    try:
        next(question)
    except StopIteration as told:
        message: Message = told.value
        return message
    else:
        return None
    finally:
        question.close()


def header(scope: Scope, name: str) -> str | None:
    """The header of this name, of several the first."""
    value = _headers(scope).get(_encoded_name(name))
    return None if value is None else value.decode("latin-1")


def header_values(scope: Scope, names: Sequence[bytes]) -> tuple[bytes | None, ...]:
    """The headers of these names, of several the first each, as they were sent."""
    return tuple(map(_headers(scope).get, names))


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
    return _network_of(address) if len(address) <= LONGEST_ADDRESS else UNKNOWN


@lru_cache(REMEMBERED_ADDRESSES)
def _network_of(address: str) -> str:
    found = read_address(address)
    if isinstance(found, ipaddress.IPv6Address):
        if found.ipv4_mapped:
            return str(found.ipv4_mapped)
        return str(ipaddress.ip_network((found, 64), strict=False).network_address) + "/64"
    return UNKNOWN if found is None else str(found)


def written_address(text: str) -> str:
    """The address as it is usually written."""
    return _written_address(text) if len(text) <= LONGEST_ADDRESS else UNKNOWN


@lru_cache(REMEMBERED_ADDRESSES)
def _written_address(text: str) -> str:
    found = read_address(text)
    return UNKNOWN if found is None else str(found)


def read_address(text: str) -> Address | None:
    """The address that the text is; None for any other text."""
    return _read_address(text) if len(text) <= LONGEST_ADDRESS else None


@lru_cache(REMEMBERED_ADDRESSES)
def _read_address(text: str) -> Address | None:
    try:
        return ipaddress.ip_address(text)
    except ValueError:
        return None


# The names that our own code asks for.
@lru_cache(64)
def _encoded_name(name: str) -> bytes:
    return name.lower().encode("latin-1")


def _headers(scope: Scope) -> dict[bytes, bytes]:
    """The headers by name, the first of each. Read once: a request is asked for a dozen of them."""
    listed = scope["headers"]
    known = scope.get(_HEADERS)
    # Whoever changes the headers makes a scope with another list.
    if known is None or known[0] is not listed:
        known = scope[_HEADERS] = (listed, dict(reversed(listed)))
    found: dict[bytes, bytes] = known[1]
    return found
