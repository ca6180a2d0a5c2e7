"""What waits for somebody: queues of orders, and of money without one, each a walk over one index, first come first."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse

from gateway.accounts.models import User
from gateway.domain.texts import Text
from gateway.mongo.client import Expression
from gateway.mongo.policies import ORDER_STATUS
from gateway.mongo.reads import Read, run
from gateway.paging import Page, Placed, Position, Slice, SortKey, page_of, ranges_beyond, reading_order
from gateway.sync.marks import UNSYNCED
from ordering.models import Order, OrderStatus, StrayMoney

# Beyond it the number says nothing more: there is more than anybody does today.
COUNTED = 1000
# Time enough to call a buyer before the reservation ends.
EXPIRES_WITHIN = timedelta(minutes=10)
# A copy is there within seconds; the sweep tries again every minute. What still waits then, waits for a person.
BEHIND_AFTER = timedelta(minutes=5)

ORDERS = Order._meta.db_table
STRAY_MONEY = StrayMoney._meta.db_table

LONGEST_WAITING = SortKey("created_at", 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Queue:
    """A list of what waits for one kind of work."""

    code: str
    title: Text
    permission: str
    """Whoever has it does this work, and is shown the queue."""
    index: str
    """The name of the index that holds what waits, in the order of `key`."""
    key: SortKey = LONGEST_WAITING
    where: Callable[[datetime], Expression]
    """What waits at a moment: conditions of `index` alone, so that no more is read than is shown."""
    collection: str = ORDERS
    page: str = "admin:ordering_order_changelist"
    parameters: Mapping[str, str] = field(default_factory=dict)

    @property
    def url(self) -> str:
        """The page with its list."""
        return f"{reverse(self.page)}?{urlencode(self.parameters or {'queue': self.code})}"

    def position_of(self, document: Mapping[str, Any]) -> Position:
        value: Any = document
        for name in self.key.field.split("."):
            value = value[name]
        return Position(value, document["_id"])


def _in_status(status: OrderStatus) -> Callable[[datetime], Expression]:
    return lambda now: {"status": status.value}


TO_PACK = Queue(
    code="to_pack",
    title=Text("Собрать", "To pack"),
    permission="ordering.change_order",
    index="status_1_created_at_-1__id_-1",
    where=_in_status(OrderStatus.PAID),
)
TO_SHIP = Queue(
    code="to_ship",
    title=Text("Отправить", "To ship"),
    permission="ordering.change_order",
    index="status_1_created_at_-1__id_-1",
    where=_in_status(OrderStatus.PROCESSING),
)
TO_REFUND = Queue(
    code="to_refund",
    title=Text("Вернуть деньги", "To refund"),
    permission="ordering.refund_order",
    index="to_refund_1_created_at_-1__id_-1",
    where=lambda now: {"to_refund": True},
)
STRAY = Queue(
    code="stray_money",
    title=Text("Деньги без заказа", "Payments without an order"),
    permission="ordering.refund_order",
    collection=STRAY_MONEY,
    index="settled_at_1_at_-1__id_-1",
    key=SortKey("at", 1),
    where=lambda now: {"settled_at": None},
    page="admin:ordering_straymoney_changelist",
    parameters={"settled": "no"},
)
EXPIRING = Queue(
    code="expiring",
    title=Text("Скоро истечёт резерв", "Reservation ends soon"),
    permission="ordering.change_order",
    index="reserved_until_1__id_1",
    key=SortKey("reserved_until", 1),
    # Only an unpaid order has it.
    where=lambda now: {"reserved_until": {"$type": "date", "$gt": now, "$lte": now + EXPIRES_WITHIN}},
)
LETTERS_GIVEN_UP = Queue(
    code="letters_given_up",
    title=Text("Письма не ушли", "Letters not sent"),
    permission="ordering.change_order",
    index="mail_given_up_1_created_at_-1__id_-1",
    where=lambda now: {"mail_given_up": True},
)
BEHIND = Queue(
    code="behind",
    title=Text("Cassandra отстаёт", "Cassandra is behind"),
    # Whoever looks after the machines.
    permission="catalog.view_reservationfinding",
    index="unsynced.since_1__id_1",
    key=SortKey("unsynced.since", 1),
    # Not by when it is due: what keeps failing is put off into the future.
    where=lambda now: {**UNSYNCED, "unsynced.since": {"$lte": now - BEHIND_AFTER}},
)

QUEUES: tuple[Queue, ...] = (TO_PACK, TO_SHIP, TO_REFUND, STRAY, EXPIRING, LETTERS_GIVEN_UP, BEHIND)
"""In the order in which people see them."""


def queues_for(user: User) -> list[Queue]:
    """The queues of this person's work."""
    return [queue for queue in QUEUES if user.has_perm("ordering.view_order") and user.has_perm(queue.permission)]


def count_of(queue: Queue) -> int:
    """How many wait now, up to COUNTED. Asks every shard, by the queue's index."""
    return run(waiting_count(queue))


def waiting_count(queue: Queue) -> Read[int]:
    return Read(
        collection=queue.collection,
        policy=ORDER_STATUS,
        where=queue.where(datetime.now(UTC)),
        fields=("_id",),
        limit=COUNTED,
        hint=queue.index,
        result=len,
    )


def waiting_in(queue: Queue, part: Slice, also: Expression | None = None) -> Read[Page[Any]]:
    """A page of what waits, longest first. `also` narrows it, at the price of reading what it leaves out."""
    waiting = queue.where(datetime.now(UTC))
    return Read(
        collection=queue.collection,
        policy=ORDER_STATUS,
        where={"$and": [waiting, *([also] if also else []), {"$or": ranges_beyond(queue.key, part)}]},
        sort=reading_order(queue.key, part),
        limit=part.size + 1,
        hint=queue.index,
        result=lambda found: page_of([Placed(each, queue.position_of(each)) for each in found], part),
    )
