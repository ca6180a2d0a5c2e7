"""Celery entry points of the frame."""

from celery import shared_task

from gateway.accounts.own import delivery
from gateway.accounts.sessions.catch_up import catch_up
from gateway.background import GivesUp
from gateway.cassandra.errors import CassandraError
from gateway.cassandra.maintenance.repair import repair_and_log
from gateway.mongo import lag
from gateway.sync import queue, shares, sweep
from gateway.sync.reconciliation import reconcile_nightly

# A sweep has a minute until the next one; at some ten letters a second these are half of it.
LETTERS = 300


@shared_task(expires=5)
def measure_replication_lag() -> None:
    """Measure the lag, every 2 s. A measurement that waited 5 s in the queue is worth nothing."""
    lag.publish(lag.measure())


@shared_task(expires=10)
def catch_up_sessions() -> None:
    """Tell Cassandra of waiting sessions, every 10 s. A run that waited longer is replaced by the next."""
    catch_up()


@shared_task(name=delivery.MAIL_TASK, expires=60)
def mail_accounts(_: str) -> None:
    """Send queued letters about accounts, a moment after they were asked for. What is left undone the sweep does."""
    delivery.send_queued_letters()


@shared_task(expires=60)
def sweep_account_letters() -> None:
    """Every minute: letters whose own tasks did not send them."""
    delivery.send_overdue_letters(limit=LETTERS)


@shared_task(name=queue.TASK, base=GivesUp, throws=(CassandraError,), expires=60)
def sync_queued(collection: str) -> None:
    """Copy queued documents, a second after a change. What is left undone the sweep does."""
    queue.sync_queued(collection)


@shared_task(expires=10)
def sync_sweep() -> None:
    """Have what is due copied, every 10 s. A run that waited longer is replaced by the next."""
    sweep.sweep()


@shared_task(name=shares.TASK)
def sync_share(hand: int, holder: str) -> None:
    """Copy a share of what is due. One that is lost is dealt again by the sweep."""
    sweep.work(hand, holder)


@shared_task(expires=4 * 3600)
def repair_cassandra() -> None:
    """Repair Cassandra, every night.

    A run that has not begun by morning is dropped; a second one finds the lock taken.
    """
    repair_and_log()


@shared_task(throws=(CassandraError,), expires=3600)
def reconcile() -> None:
    """Every night. Without Cassandra there is nothing to compare; the next night does it."""
    reconcile_nightly()
