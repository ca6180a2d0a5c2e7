"""Celery entry points of the carts."""

from celery import shared_task

from cart.analytics import compute_changed
from cart.cassandra.mirror import MIRROR_TASK, mirror_cart
from cart.expiry import abandon_expired
from gateway.background import GivesUp, mark_begun
from gateway.cassandra.errors import CassandraUnavailable


@shared_task(expires=300)
def sweep() -> None:
    """Mark expired carts, every 5 minutes; a run that waited as long is dropped for the next."""
    abandon_expired()


@shared_task(expires=600)
def analyse() -> None:
    """Compute the days whose carts changed, every 10 minutes; a run that waited as long is dropped for the next."""
    compute_changed()


@shared_task(
    name=MIRROR_TASK,
    base=GivesUp,
    # Seven tries within about five minutes. Then the copy is left as it is: the next change of the cart writes it, and
    # within a day it expires.
    autoretry_for=(CassandraUnavailable,),
    throws=(CassandraUnavailable,),
    max_retries=6,
    retry_backoff=5,
    retry_backoff_max=300,
)
def mirror(owner: str) -> None:
    """Bring the copy of the owner's cart in Cassandra in line."""
    mark_begun(MIRROR_TASK, owner)
    mirror_cart(owner)
