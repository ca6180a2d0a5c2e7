"""Keeps the copy of an owner's cart in Cassandra: for 24 hours after a change, to restore the cart from."""

from collections.abc import Sequence

import structlog
from django.conf import settings

from cart.cassandra.rows import row_of, timestamp_of
from cart.cassandra.tables import CARTS_ACTIVE
from cart.documents import CartDocument
from cart.models import CartStatus
from cart.reading import newest_of_each
from gateway.background import Queue, queue_soon, taken_from
from gateway.cassandra.errors import CassandraUnavailable
from gateway.cassandra.reads import ping
from gateway.cassandra.statements import Write
from gateway.cassandra.writes import write
from gateway.mongo.reads import run

log = structlog.get_logger(__name__)

MIRROR_TASK = "cart.tasks.mirror"
# A buyer who chooses quantities changes the cart several times in a row, and others change theirs: one task copies all.
OWNERS = Queue("queue:carts", MIRROR_TASK, delay=2)
# A tenth of a second's work.
BATCH = 100


def mirror_soon(owner: str) -> None:
    """Have the copy brought in line, after every change of a cart. Never fails and hardly waits."""
    if settings.CASSANDRA_CONTACT_POINTS:
        queue_soon(OWNERS, owner)


def mirror_queued() -> None:
    """Bring the copies of some of the queued owners in line. Raises CassandraUnavailable, and leaves them queued."""
    with taken_from(OWNERS, most=BATCH) as owners:
        mirror_carts(owners)


def mirror_carts(owners: Sequence[str]) -> None:
    """Bring the copies in line with the owners' newest carts. Late or repeated, it never undoes a newer state.

    Without any cart a copy stays: the document was lost, and this is what it can be restored from. A cart that cannot
    be copied keeps no other from it.
    """
    carts = run(newest_of_each(owners)) if owners else []
    try:
        write([_copy_of(cart) for cart in carts])
    except Exception as error:  # noqa: BLE001 - whatever is wrong with one of them, the others must not wait
        if isinstance(error, CassandraUnavailable):
            # Away for all, or unable to serve some of them?
            ping()
        for cart in carts:
            _copy_alone(cart)


def _copy_alone(cart: CartDocument) -> None:
    try:
        write([_copy_of(cart)])
    except Exception as error:
        log.warning("cart_not_copied", cart=str(cart["_id"]), exc_info=error)


def _copy_of(cart: CartDocument) -> Write:
    timestamp = timestamp_of(cart)
    if cart["status"] == CartStatus.ACTIVE.value and cart["items"]:
        return CARTS_ACTIVE.upsert(row_of(cart), timestamp=timestamp)
    return CARTS_ACTIVE.delete({"owner": cart["owner"]}, timestamp=timestamp)
