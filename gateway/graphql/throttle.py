"""A bucket of cost points per client, which leaks back at a steady rate; see `gateway.buckets`."""

import hmac
import ipaddress
import math
from typing import NamedTuple, TypedDict

from django.conf import settings

from gateway.buckets import Buckets, Rate
from gateway.graphql.errors import Refused
from gateway.http import UNKNOWN, Scope, header, network_of
from gateway.texts import Text

# What any document costs, a refused one too: reading it is work.
LEAST = 1

THROTTLED = Text("Слишком много запросов. Повторите через {seconds} с.", "Too many requests. Try again in {seconds} s.")

_buckets = Buckets("graphql:bucket")


class ThrottleStatus(TypedDict):
    maximumAvailable: int
    currentlyAvailable: int
    restoreRate: int


class Spent(NamedTuple):
    allowed: bool
    left: float

    def status(self) -> ThrottleStatus:
        return {
            "maximumAvailable": settings.GRAPHQL_BUCKET_POINTS,
            "currentlyAvailable": math.floor(self.left),
            "restoreRate": settings.GRAPHQL_BUCKET_RESTORE,
        }

    def refusal(self, points: int) -> Refused:
        seconds = max(1, math.ceil((points - self.left) / settings.GRAPHQL_BUCKET_RESTORE))
        return Refused(
            "THROTTLED",
            THROTTLED,
            status=429,
            headers={"retry-after": str(seconds)},
            details={"retryAfter": seconds},
            seconds=seconds,
        )


async def spend(client: str, points: int) -> Spent:
    """Take the points from the client's bucket, if it has them. One round trip."""
    rate = Rate(settings.GRAPHQL_BUCKET_POINTS, settings.GRAPHQL_BUCKET_RESTORE)
    return Spent(*await _buckets.take(client, points, rate))


def client_of(scope: Scope) -> str:
    """Whose bucket pays: the network of the address."""
    return network_of(address_of(scope))


def address_of(scope: Scope) -> str:
    """Where the buyer is: the address, or what a server that holds one of our tokens says it is.

    The address is uvicorn's, which believes X-Forwarded-For from the proxies in FORWARDED_ALLOW_IPS only.
    """
    address: str = scope["client"][0] if scope.get("client") else UNKNOWN
    named = header(scope, "x-buyer-address")
    if named and _is_server(header(scope, "x-server-token") or ""):
        address = named
    try:
        return str(ipaddress.ip_address(address))
    except ValueError:
        return UNKNOWN


def _is_server(token: str) -> bool:
    return any(hmac.compare_digest(token.encode(), known.encode()) for known in settings.GRAPHQL_SERVER_TOKENS)
