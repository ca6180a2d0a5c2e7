"""How many sessions one network may begin: each fills Redis for a day and a row of Cassandra for a month."""

import math

from django.conf import settings

from gateway.accounts.sessions.errors import TooManySessions
from gateway.redis.buckets import Buckets, Rate
from gateway.web.http import network_of

_buckets = Buckets("sessions:new")


def admit(address: str) -> None:
    """Count one more session that begins at this address, or raise TooManySessions."""
    rate = Rate(settings.SESSIONS_PER_CLIENT_HOUR, settings.SESSIONS_PER_CLIENT_HOUR / 3600)
    taken = _buckets.take_blocking(network_of(address), 1, rate)
    if not taken.allowed:
        raise TooManySessions(minutes=math.ceil((1 - taken.left) / rate.restore / 60))
