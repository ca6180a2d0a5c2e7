"""Buckets of which each process takes some points in advance, so that most requests are paid without asking Redis.

What is taken in advance is paid: all processes together never spend what a bucket has not held. But it refills while
they still have these points, so that a client may have a full bucket and what each process holds besides: over any time
its capacity, what came back in that time, and a tenth of the capacity for each process.
"""

import time
from collections import OrderedDict
from dataclasses import dataclass

from gateway.redis.buckets import Buckets, Rate, Withdrawal

# Of a bucket's capacity, that a process takes at once. More would leave the others too little, less would be spent by
# two pages of the catalog.
SHARE = 0.1
# How long points may be held: then they go back with the next question. A buyer looks at the next page within it.
SECONDS = 10.0
# Clients whose points are held, 300 bytes each. Beyond them the one served longest ago loses its tenth of a bucket,
# which refills.
CLIENTS = 10_000


@dataclass(slots=True)
class _Lease:
    points: float
    """What is left of the points taken in advance."""
    kept: float
    """What the bucket in Redis held then."""
    at: float

    def withdrawal(self, rate: Rate) -> Withdrawal:
        restored = (time.monotonic() - self.at) * rate.restore
        return Withdrawal(allowed=True, left=min(rate.capacity, self.kept + restored + self.points))


class LeasedBuckets:
    """The buckets of one limit, one for each client, in all processes together."""

    def __init__(self, name: str) -> None:
        self._buckets = Buckets(name)
        self._leases: OrderedDict[str, _Lease] = OrderedDict()

    async def take(self, client: str, points: float, rate: Rate) -> Withdrawal:
        """Take the points if the client has so many: of those held here, or else of its bucket in Redis.

        `left` is what Redis told last, with what should have come back since; other processes may have taken of it.
        """
        return self.take_held(client, points, rate) or await self._ask(client, points, rate)

    def take_held(self, client: str, points: float, rate: Rate) -> Withdrawal | None:
        """Take the points of those held here; None, with nothing taken, if they are fewer or held too long."""
        lease = self._leases.get(client)
        if lease is None or points > lease.points or time.monotonic() - lease.at >= SECONDS:
            return None
        lease.points -= points
        self._leases.move_to_end(client)
        return lease.withdrawal(rate)

    async def _ask(self, client: str, points: float, rate: Rate) -> Withdrawal:
        # Nobody else may spend what goes back.
        old = self._leases.pop(client, None)
        returned = old.points if old else 0
        most = int(rate.capacity * SHARE)
        withdrawal, lent = await self._buckets.lend(client, points, rate, returned=returned, most=most)
        if not lent:
            return withdrawal
        # Another request of the client may have asked meanwhile.
        beside = self._leases.pop(client, None)
        lease = _Lease(lent + (beside.points if beside else 0), withdrawal.left, time.monotonic())
        self._leases[client] = lease
        if len(self._leases) > CLIENTS:
            self._leases.popitem(last=False)
        return lease.withdrawal(rate)
