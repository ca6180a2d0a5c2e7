"""Orders that nobody paid in time: their stock goes back on sale."""

from datetime import UTC, datetime

from gateway.domain.errors import DomainError
from gateway.mongo.client import database
from ordering.events import SYSTEM
from ordering.lifecycle.moves import move_order
from ordering.lifecycle.transitions import Who
from ordering.models import Order, OrderStatus

NOT_PAID = "not paid in time"


def expire_unpaid(*, limit: int, now: datetime | None = None) -> int:
    """Of the orders whose reservation has ended, oldest first; returns how many expired.

    One that is paid or cancelled at the same moment is left alone: the move names the status it leaves. Asks every
    shard, by its index; the next call finds what this one did not reach.
    """
    moment = now or datetime.now(UTC)
    due = database()[Order._meta.db_table].find(
        {"reserved_until": {"$lte": moment}, "status": OrderStatus.NEW.value},
        ["owner"],
        sort=[("reserved_until", 1)],
        limit=limit,
    )
    expired = 0
    for order in list(due):
        try:
            move_order(
                order["_id"], OrderStatus.EXPIRED, who=Who.SYSTEM, actor=SYSTEM, note=NOT_PAID, owner=order["owner"]
            )
        except DomainError:
            continue
        expired += 1
    return expired
