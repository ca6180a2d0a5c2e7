"""The client's address and scheme behind proxies: believed of TRUSTED_PROXIES alone, and settled once, at the front.

The web server's own belief in such headers is switched off (`--no-proxy-headers`), so that limits, sessions, logs and
Django see one address and one scheme: those in the scope. `Forwarded` is not read: a proxy that writes the one header
passes on what a client wrote into the other.
"""

from collections.abc import Iterator

from django.conf import settings

from gateway.web.http import Address, Scope, read_address

_SCHEMES = {"http", "https"}


def behind_proxies(scope: Scope) -> Scope:
    """The scope with the client's own address and scheme, as far as the proxies on the way are ours."""
    peer = _address(scope["client"][0]) if scope.get("client") else None
    if peer is None or not _is_trusted(peer):
        return scope
    told: Scope = {**scope, "client": (str(_client(peer, scope)), 0)}
    scheme = next(_values(scope, b"x-forwarded-proto"), "").lower()
    if settings.BEHIND_TLS_PROXY and scheme in _SCHEMES:
        told["scheme"] = scheme
    return told


def _client(peer: Address, scope: Scope) -> Address:
    """The nearest address that is no proxy of ours; further to the left stands what the client may have written."""
    nearest = peer
    for text in _values(scope, b"x-forwarded-for"):
        found = _address(text)
        if found is None:
            break
        nearest = found
        if not _is_trusted(found):
            break
    return nearest


def _values(scope: Scope, name: bytes) -> Iterator[str]:
    """What each proxy added to the header, the nearest one's first."""
    lines = [value.decode("latin-1") for found, value in scope["headers"] if found == name]
    for value in reversed(",".join(lines).split(",")):
        yield value.strip()


def _address(text: str) -> Address | None:
    """The address in the text, also with a port or in brackets, as some proxies write it; None for anything else."""
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    found = read_address(text.partition("%")[0])
    # A socket of both families tells IPv4 in this form.
    return getattr(found, "ipv4_mapped", None) or found


def _is_trusted(address: Address) -> bool:
    return any(address in network for network in settings.TRUSTED_PROXIES)
