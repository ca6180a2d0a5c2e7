"""Keeps the copy of an owner's cart in Cassandra: for 24 hours after a change, to restore the cart from."""

from collections.abc import Sequence

from django.conf import settings

from cart.models import Cart, CartStatus
from cart.projections import CARTS_ACTIVE, row_of, timestamp_of
from gateway.background import send_soon
from gateway.cassandra.writing import write
from gateway.mongo.client import Document
from gateway.mongo.policies import CART_ACTIVE
from gateway.mongo.reading import Read, run

MIRROR_TASK = "cart.tasks.mirror"
# A buyer who chooses quantities changes the cart several times in a row: one copy serves them all.
DELAY_SECONDS = 2


def mirror_soon(owner: str) -> None:
    """To be called after every change of a cart. Never fails and hardly waits: the copy is a convenience."""
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


def newest_cart(owner: str) -> Read[Document | None]:
    """Whatever became of it."""
    return Read(
        collection=Cart._meta.db_table,
        policy=CART_ACTIVE,
        where={"owner": owner},
        sort=(("created_at", -1),),
        limit=1,
        result=_only,
    )


def _only(documents: Sequence[Document]) -> Document | None:
    return documents[0] if documents else None
