"""Holds that checkouts leave in the products: settled once the order is certain, released once it is certain not to be.

Usually the checkout's own task settles within a second. Whoever died, or could not send the task, leaves the hold to
the sweep: it fences the cart first, so that a client who is only slow can no longer commit, and then believes the cart.
Any number of sweeps may run at once: every step asks for what it changes.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import structlog
from redis.exceptions import RedisError

from cart.completion import fence_cart
from catalog.card import ProductKey
from catalog.reservations import MarkedProduct, Pieces, Purpose, marked_before, release, settle
from gateway.background import send_soon
from gateway.mongo.client import Document
from gateway.redis import redis_client
from ordering.finding import find_order
from ordering.payments import fence_late_payment
from ordering.stock_due import RECEIPTS_KEPT, orders_still_owing

log = structlog.get_logger(__name__)

# Far longer than any checkout takes: the endpoint gives up after ten seconds.
ABANDONED_AFTER = timedelta(minutes=2)
QUEUE = "ordering:settle"
# Enough for a second of a busy sale; one update per product settles all of its holds.
BATCH = 1_000


def settle_soon(pieces: Sequence[Pieces], hold_id: str) -> None:
    """Leave the holds of a committed order to a worker, which settles those of many orders at once."""
    from ordering.tasks import settle_queued
