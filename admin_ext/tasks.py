"""Celery entry points of what is no domain's own."""

from celery import shared_task

from admin_ext.customers.anonymisation import sweep_anonymisations


@shared_task(expires=60)
def sweep_customers() -> None:
    """Finish what anonymising left, every minute."""
    sweep_anonymisations()
