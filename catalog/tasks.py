"""Celery entry points of the catalog."""

from celery import shared_task

from catalog.cassandra import structure
from catalog.discounts import turns
from catalog.errors import PicturesAway
from catalog.pictures import orphans, thumbnails, uploads
from catalog.search.vocabulary import census
from catalog.structure.category_tree import CATEGORIES
from gateway.background import GivesUp, mark_begun
from gateway.cassandra.errors import CassandraNotConfigured, CassandraUnavailable


@shared_task(
    name=structure.TASK,
    base=GivesUp,
    # Without Cassandra there is nothing to copy to; the next one, within minutes, does what this one could not.
    throws=(CassandraUnavailable, CassandraNotConfigured),
    expires=300,
)
def copy_structure(subject: str = "structure") -> None:
    """Copy categories and geozones to Cassandra, every 5 minutes and soon after a change."""
    mark_begun(structure.TASK, subject)
    structure.copy_structure()


@shared_task(name=uploads.TASK, base=GivesUp, throws=(PicturesAway,), expires=600)
def make_thumbnails(picture_id: str) -> None:
    """Make the thumbnails of a picture soon after its upload; what is left undone the sweep does."""
    mark_begun(uploads.TASK, picture_id)
    thumbnails.make_thumbnails(picture_id)


@shared_task(expires=600)
def sweep_pictures() -> None:
    """Make thumbnails that are missing and remove pictures that nobody shows, every 10 minutes."""
    thumbnails.sweep_thumbnails()
    orphans.sweep_orphans()


@shared_task(expires=60)
def keep_vocabulary() -> None:
    """Count the words of products edited lately, every minute, and of all every few hours.

    A run that waited longer is replaced by the next; a long count keeps those beside it away by a claim.
    """
    census.keep_vocabulary(CATEGORIES.get().names_shown)


@shared_task(expires=30)
def turn_discounts() -> None:
    """Begin and end the discounts whose time has come, every 30 s. A run that waited longer is replaced by the next."""
    turns.turn_discounts()
