"""Who asks: the client's address and network, or the buyer's, when a server of ours asks for a buyer."""

import hmac

from django.conf import settings

from gateway.web.http import UNKNOWN, Scope, header, network_of, written_address


def client_of(scope: Scope) -> str:
    """The network that limits count this request against."""
    return network_of(address_of(scope))


def address_of(scope: Scope) -> str:
    """The client's address; or the buyer's, where a server that holds one of our tokens names it."""
    address: str = scope["client"][0] if scope.get("client") else UNKNOWN
    named = header(scope, "x-buyer-address")
    if named and _is_server(header(scope, "x-server-token") or ""):
        address = named
    return written_address(address)


def _is_server(token: str) -> bool:
    return any(hmac.compare_digest(token.encode(), known.encode()) for known in settings.GRAPHQL_SERVER_TOKENS)
