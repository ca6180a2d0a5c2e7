"""Celery entry points of the catalog."""

from celery import shared_task

from catalog.cassandra import structure
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
