"""Charging clients for work done before its price was known: the CPU spent on their documents.

A bucket cannot be overdrawn. What it could not pay is owed, and collected before the client is given anything more.
"""

import math
import time
from collections import OrderedDict

from django.conf import settings

from gateway.graphql.http import throttle
from gateway.graphql.http.throttle import Spent

# What the least that any request costs pays for: an ordinary one takes no longer until it is executed.
FREE_MILLISECONDS = 1.0
# Each entry is a client that sends what is expensive to refuse; beyond so many the oldest debt is forgiven.
DEBTORS = 10_000

_owed: OrderedDict[str, int] = OrderedDict()
_refused_until: OrderedDict[str, float] = OrderedDict()
"""When each debtor's bucket will hold what it owes. Until then nobody needs to ask Redis again."""


class Meter:
    """Measures the CPU spent on one request before it is executed."""

    def __init__(self) -> None:
        self.milliseconds = 0.0
        self._began = 0.0

    def __enter__(self) -> None:
        """Put it around work that does not wait for anything."""
        self._began = time.thread_time()

    def __exit__(self, *_: object) -> None:
        self.milliseconds += (time.thread_time() - self._began) * 1000

    @property
    def points(self) -> int:
        return int(max(0.0, self.milliseconds - FREE_MILLISECONDS) * settings.GRAPHQL_POINTS_PER_MS)


async def collect(client: str) -> None:
    """Take what the client owes. Raises THROTTLED while it cannot pay; then nothing else is to be done for it."""
    while owed := _owed.pop(client, 0):
        # A bucket holds no more than this, so that a large debt is paid in parts.
        part = min(owed, settings.GRAPHQL_BUCKET_POINTS)
        spent = await throttle.spend(client, part)
        owe(client, owed - part if spent.allowed else owed)
        if not spent.allowed:
            _refused_until[client] = time.monotonic() + (part - spent.left) / settings.GRAPHQL_BUCKET_RESTORE
            _refused_until.move_to_end(client)
            if len(_refused_until) > DEBTORS:
                _refused_until.popitem(last=False)
            raise spent.refusal(part)


def refuse_debtor(client: str) -> None:
    """Raise THROTTLED for a client that is known to be unable to pay yet, without asking Redis."""
    left = _refused_until.get(client, 0.0) - time.monotonic()
    if left > 0:
        raise Spent(allowed=False, left=0).refusal(math.ceil(left * settings.GRAPHQL_BUCKET_RESTORE))
    _refused_until.pop(client, None)


def owes(client: str) -> bool:
    """Whether the client has not paid yet for what was done, as far as is known."""
    return client in _owed or client in _refused_until


async def charge(client: str, points: int) -> Spent:
    """Take the points for work that is done; what the bucket cannot pay now is owed."""
    spent = await throttle.spend(client, points)
    if spent.allowed:
        return spent
    rest = math.floor(spent.left)
    paid = rest if rest > 0 and (await throttle.spend(client, rest)).allowed else 0
    owe(client, points - paid)
    return spent


def owe(client: str, points: int) -> None:
    """Note that the client owes these points; beyond DEBTORS clients the oldest debt is forgiven."""
    if points <= 0:
        return
    _owed[client] = _owed.get(client, 0) + points
    _owed.move_to_end(client)
    if len(_owed) > DEBTORS:
        _owed.popitem(last=False)
