"""Keeps the copy of an owner's cart in Cassandra: for 24 hours after a change, to restore the cart from."""

from django.conf import settings

from cart.cassandra.rows import row_of, timestamp_of
from cart.cassandra.tables import CARTS_ACTIVE
from cart.models import CartStatus
from cart.reading import newest_cart
from gateway.background import send_soon
from gateway.cassandra.writes import write
from gateway.mongo.reads import run

MIRROR_TASK = "cart.tasks.mirror"
# A buyer who chooses quantities changes the cart several times in a row: one copy serves them all.
DELAY_SECONDS = 2


def mirror_soon(owner: str) -> None:
    """Have the copy brought in line, after every change of a cart. Never fails and hardly waits."""
    if settings.CASSANDRA_CONTACT_POINTS:
        send_soon(MIRROR_TASK, owner, delay=DELAY_SECONDS)


def mirror_cart(owner: str) -> None:
    """Bring the copy in line with the owner's newest cart. Late or repeated, it never undoes a newer state.

    Without any cart the copy stays: the document was lost, and this is what it can be restored from.
    """
    cart = run(newest_cart(owner))
    if cart is None:
        return
    timestamp = timestamp_of(cart)
    if cart["status"] == CartStatus.ACTIVE.value and cart["items"]:
        write([CARTS_ACTIVE.upsert(row_of(cart), timestamp=timestamp)])
    else:
        write([CARTS_ACTIVE.delete({"owner": owner}, timestamp=timestamp)])
