"""Holds that checkouts leave in the products: settled once the order is certain, released once it is certain not to be.

Usually a checkout's own task settles within seconds. Whoever died, or could not send the task, leaves the hold to
the sweep: it fences the cart first, so that a client who is only slow can no longer commit, and then believes the cart.
Any number of sweeps may run at once: every step asks for what it changes.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from cart.completion import fence_cart
from catalog.documents import Mark
from catalog.products.cards import ProductKey
from catalog.stock.book import enter_receipts
from catalog.stock.reservations import MarkedProduct, Pieces, Purpose, marked_before, marks_of_cart, release, settle
from gateway.background import Queue, queue_soon, taken_from
from ordering.reading.orders import find_order
from ordering.stock.debts import RECEIPTS_KEPT, still_owed
from ordering.stock.taking import fence_taking

# Far longer than any checkout takes: the endpoint gives up after ten seconds.
ABANDONED_AFTER = timedelta(minutes=2)
SETTLE_TASK = "ordering.tasks.settle_queued"
# Long enough that a product that sells well is settled for several orders at once, short enough that its marks are few.
SETTLE_SECONDS = 2
HOLDS = Queue("queue:holds", SETTLE_TASK, delay=SETTLE_SECONDS)
# Enough for a second of a busy sale; one update per product settles all of its holds.
BATCH = 1_000


def settle_soon(pieces: Sequence[Pieces], hold_id: str) -> None:
    """Leave the holds of a committed order to a worker, which settles those of many orders at once."""
    queue_soon(HOLDS, json.dumps([hold_id, [each.key for each in pieces]]))


def settle_queued() -> list[str]:
    """Settle the holds that have been queued since the last time; returns the ids of their orders.

    What is queued meanwhile has its own task: while everybody buys, this one would never end, and tell no buyer.
    """
    settled: list[str] = []
    with taken_from(HOLDS, most=BATCH) as texts:
        marks: dict[ProductKey, list[str]] = defaultdict(list)
        for hold_id, keys in map(json.loads, texts):
            for key in keys:
                marks[ProductKey(*key)].append(hold_id)
            settled.append(hold_id)
        settle(marks)
    return settled


def resolve_old_holds(*, limit: int, now: datetime | None = None) -> int:
    """Settle or release every hold that its checkout left behind; returns how many."""
    moment = (now or datetime.now(UTC)) - ABANDONED_AFTER
    return _resolve(marked_before(moment, (Purpose.CHECKOUT, Purpose.PAYMENT, Purpose.MOVE), limit=limit))


def forget_receipts(*, limit: int, now: datetime | None = None) -> int:
    """Take away receipts that nobody can need any more; returns how many. The book of stock has them by then."""
    moment = (now or datetime.now(UTC)) - RECEIPTS_KEPT
    marked = marked_before(moment, (Purpose.RECEIPT,), limit=limit)
    owed = still_owed([hold["id"] for product in marked for hold in product.holds])
    receipts = [(each.key, [hold for hold in each.holds if hold["id"] not in owed]) for each in marked]
    enter_receipts(receipts)
    settle({key: [receipt["id"] for receipt in its] for key, its in receipts if its})
    return sum(len(its) for _, its in receipts)


def resolve_cart(cart_id: Any, keys: Sequence[ProductKey]) -> None:
    """Settle or release at once whatever attempts at this cart hold."""
    _resolve(marks_of_cart(cart_id, keys))


def _resolve(marked: Iterable[MarkedProduct]) -> int:
    """Settle the holds that became orders, release the others; returns how many."""
    is_ordered: dict[str, bool] = {}
    settled: dict[ProductKey, list[str]] = defaultdict(list)
    resolved = 0
    for product in marked:
        for hold in product.holds:
            if hold["id"] not in is_ordered:
                is_ordered[hold["id"]] = _fence(hold)
            if is_ordered[hold["id"]]:
                settled[product.key].append(hold["id"])
            else:
                release([Pieces(*product.key, hold["quantity"])], hold["id"])
            resolved += 1
    settle(settled)
    return resolved


def _fence(hold: Mark) -> bool:
    """Keep whoever is still at it from ordering with this hold; returns whether it became an order before."""
    if hold["purpose"] in {Purpose.PAYMENT.value, Purpose.MOVE.value}:
        return fence_taking(hold["order_id"], hold["id"], owner=hold["owner"])
    cart = fence_cart(hold["owner"], hold["cart_id"])
    if cart is None:
        # Kept for months after it was ordered: gone, it can no longer be ordered, but the order may be there.
        return find_order(hold["order_id"], owner=hold["owner"]) is not None
    return cart["order_id"] == hold["order_id"]
