"""Celery entry points of the frame."""

from celery import shared_task

from gateway.accounts.sessions.catch_up import catch_up
from gateway.cassandra.repair import repair_and_log
from gateway.mongo import lag


@shared_task(expires=5)
def measure_replication_lag() -> None:
    """Every 2 s; a measurement that waited 5 s in the queue is worth nothing."""
    lag.publish(lag.measure())


@shared_task(expires=10)
def catch_up_sessions() -> None:
    """Every 10 s; the next one does what one that waited longer would have done."""
    catch_up()


@shared_task(expires=4 * 3600)
def repair_cassandra() -> None:
    """Every night; what has not begun when the shop wakes is left to the next. A second one finds the lock taken."""
    repair_and_log()
