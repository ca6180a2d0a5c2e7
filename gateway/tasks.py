"""Celery entry points of the frame."""

from celery import shared_task

from gateway.mongo import lag


@shared_task(expires=5)
def measure_replication_lag() -> None:
    """Every 2 s; a measurement that waited 5 s in the queue is worth nothing."""
    lag.publish(lag.measure())
