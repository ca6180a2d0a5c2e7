"""Celery entry points of the carts."""

from celery import shared_task

from cart.analytics import compute_changed
from cart.cassandra.mirror import MIRROR_TASK, mirror_cart
from cart.expiry import abandon_expired
from gateway.background import GivesUp, mark_begun
from gateway.cassandra.errors import CassandraUnavailable


@shared_task(expires=300)
def sweep() -> None:
    """Every 5 minutes; one that waited as long is overtaken by the next."""
    abandon_expired()


@shared_task(expires=600)
def analyse() -> None:
    """Every 10 minutes, likewise."""
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
    mark_begun(MIRROR_TASK, owner)
    mirror_cart(owner)
