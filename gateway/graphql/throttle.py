"""A bucket of cost points per client in Redis, which leaks back at a steady rate. Without Redis nobody is throttled."""

import hmac
import ipaddress
import math
from typing import NamedTuple, TypedDict

from django.conf import settings
from redis.asyncio import Redis

from gateway.graphql.errors import Refused
from gateway.http import UNKNOWN, Scope, header, network_of
from gateway.redis import ask_cache
from gateway.texts import Text

# What any document costs, a refused one too: reading it is work.
LEAST = 1

# The fill and its time are one key, so that one script call, atomic in Redis, does everything; Redis's own clock is
# used, since the web servers' clocks differ. Returns whether the points were taken, and what is left.
SCRIPT = """
local maximum, rate, wanted = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local time = redis.call('TIME')
local now = time[1] + time[2] / 1000000
local state = redis.call('HMGET', KEYS[1], 'left', 'at')
local left = maximum
if state[1] then
  left = math.min(maximum, tonumber(state[1]) + math.max(0, now - tonumber(state[2])) * rate)
end
local taken = 0
if wanted <= left then
  left = left - wanted
  taken = 1
end
redis.call('HSET', KEYS[1], 'left', tostring(left), 'at', string.format('%.6f', now))
redis.call('EXPIRE', KEYS[1], math.ceil(maximum / rate) + 1)
return {taken, tostring(left)}
"""

THROTTLED = Text("Слишком много запросов. Повторите через {seconds} с.", "Too many requests. Try again in {seconds} s.")


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

    async def ask(redis: Redis) -> tuple[int, str]:
        arguments = (settings.GRAPHQL_BUCKET_POINTS, settings.GRAPHQL_BUCKET_RESTORE, points)
        taken, left = await redis.register_script(SCRIPT)(keys=[f"graphql:bucket:{client}"], args=arguments)
        return taken, left

    answer = await ask_cache(ask)
    if answer is None:
        return Spent(allowed=True, left=settings.GRAPHQL_BUCKET_POINTS)
    taken, left = answer
    return Spent(allowed=bool(taken), left=float(left))


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
