"""The list of orders as staff look through it: newest first, or a queue, narrowed to what they want to see."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime

from gateway.mongo.client import Expression
from gateway.mongo.policies import ORDER_STATUS
from gateway.mongo.reads import Read
from gateway.paging import Page, Position, Slice
from ordering.documents import OrderDocument
from ordering.models import OrderStatus
from ordering.reading.history import BY_GEOZONE, BY_STATUS, orders_at, position_of
from ordering.reading.queues import Queue, waiting_in

BY_TIME = "created_at_1__id_1"
BY_GEOZONE_AND_STATUS = "geozone_1_status_1_created_at_-1__id_-1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Narrowing:
    """What of all orders is looked at."""

    status: OrderStatus | None = None
    geozone: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    """Made before this moment."""
    queue: Queue | None = None

    @property
    def point(self) -> Expression:
        """Equalities at which an index is entered."""
        status = {"status": self.status.value} if self.status else {}
        return {**({"geozone": self.geozone} if self.geozone else {}), **status}

    @property
    def period(self) -> Expression:
        bounds = {"$gte": self.since, "$lt": self.until}
        given = {operator: moment for operator, moment in bounds.items() if moment}
        return {"created_at": given} if given else {}

    @property
    def where(self) -> Expression:
        waiting = [self.queue.where(datetime.now(UTC))] if self.queue else []
        parts = [part for part in (self.point, self.period, *waiting) if part]
        return {"$and": parts} if parts else {}

    def admits(self, order: OrderDocument) -> bool:
        """Whether an archived order belongs here; nothing of one waits for anybody."""
        made = order["created_at"].replace(tzinfo=UTC)
        return (
            self.queue is None
            and (self.status is None or order["status"] == self.status.value)
            and (self.geozone is None or order["geozone"] == self.geozone)
            and (self.since is None or made >= self.since)
            and (self.until is None or made < self.until)
        )

    def position_of(self, order: OrderDocument) -> Position:
        return self.queue.position_of(order) if self.queue else position_of(order)


EVERYTHING = Narrowing()


def listed_orders(narrowing: Narrowing, part: Slice) -> Read[Page[OrderDocument]]:
    """A page of the list, by the index that has what is asked. Asks every shard."""
    if narrowing.queue:
        return waiting_in(narrowing.queue, part, replace(narrowing, queue=None).where)
    also = {"$and": [narrowing.period]} if narrowing.period else {}
    return orders_at([narrowing.point], part, _index(narrowing), policy=ORDER_STATUS, also=also)


def _index(narrowing: Narrowing) -> str:
    if narrowing.status and narrowing.geozone:
        return BY_GEOZONE_AND_STATUS
    if narrowing.status:
        return BY_STATUS
    return BY_GEOZONE if narrowing.geozone else BY_TIME
