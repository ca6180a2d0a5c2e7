"""Celery entry points of the carts."""

from celery import shared_task

from cart.analytics import compute_changed
from cart.cassandra.mirror import MIRROR_TASK, mirror_queued
from cart.expiry import abandon_expired
from gateway.background import GivesUp
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
    # Seven tries within about five minutes. Then the copies are left as they are: the next change of any cart has those
    # written that are queued, and within a day a copy expires.
    autoretry_for=(CassandraUnavailable,),
    throws=(CassandraUnavailable,),
    max_retries=6,
    retry_backoff=5,
    retry_backoff_max=300,
)
def mirror(_: str) -> None:
    """Bring copies of carts in Cassandra in line."""
    mirror_queued()
