"""The throttle: a bucket of cost points per client, which refills at a steady rate; see `gateway.redis.leases`."""

import math
from typing import NamedTuple, TypedDict

from django.conf import settings

from gateway.domain.texts import Text
from gateway.graphql.errors import RequestRefused
from gateway.redis.buckets import Rate
from gateway.redis.leases import LeasedBuckets

# What any document costs, a refused one too: reading it is work.
LEAST = 1

THROTTLED = Text("Слишком много запросов. Повторите через {seconds} с.", "Too many requests. Try again in {seconds} s.")

_buckets = LeasedBuckets("graphql:bucket")


class ThrottleStatus(TypedDict):
    maximumAvailable: int
    currentlyAvailable: int
    restoreRate: int


class Spent(NamedTuple):
    """Whether the points could be paid, and how many are left."""

    allowed: bool
    left: float

    def status(self) -> ThrottleStatus:
        return {
            "maximumAvailable": settings.GRAPHQL_BUCKET_POINTS,
            "currentlyAvailable": math.floor(self.left),
            "restoreRate": settings.GRAPHQL_BUCKET_RESTORE,
        }

    def refusal(self, points: int) -> RequestRefused:
        seconds = max(1, math.ceil((points - self.left) / settings.GRAPHQL_BUCKET_RESTORE))
        return RequestRefused(
            "THROTTLED",
            THROTTLED,
            status=429,
            headers={"retry-after": str(seconds)},
            details={"retryAfter": seconds},
            seconds=seconds,
        )


async def spend(client: str, points: int) -> Spent:
    """Take the points from the client's bucket if it has them. Mostly without asking Redis."""
    return Spent(*await _buckets.take(client, points, _rate()))


def spend_held(client: str, points: int) -> Spent | None:
    """Take the points of those that this process holds for the client; None, with nothing taken, if they are fewer."""
    withdrawal = _buckets.take_held(client, points, _rate())
    return None if withdrawal is None else Spent(*withdrawal)


def _rate() -> Rate:
    return Rate(settings.GRAPHQL_BUCKET_POINTS, settings.GRAPHQL_BUCKET_RESTORE)
