"""Celery entry points of what is no domain's own."""

from celery import shared_task

from admin_ext.job_kinds import KINDS
from admin_ext.jobs import queue, runner, turns
from admin_ext.structure.jobs import submit_owed
from gateway.background import mark_begun, send_soon
from gateway.viewer.anonymisation import sweep_anonymisations
from gateway.viewer.joining import sweep_claims


@shared_task(expires=60)
def sweep_customers() -> None:
    """Finish what anonymising left, and confirming an address, every minute."""
    sweep_anonymisations()
    sweep_claims()


@shared_task(name=queue.TASK)
def run_job(job_id: str) -> None:
    """Run a job for a while; what is left of it, another task does."""
    mark_begun(queue.TASK, job_id)
    if runner.run(job_id, KINDS):
        send_soon(queue.TASK, job_id)


@shared_task(expires=10)
def sweep_jobs() -> None:
    """Have those jobs run for which no worker cares, every 10 s: they wait for a turn, or their worker died."""
    turns.resend_waiting()


@shared_task(expires=30)
def sweep_structure() -> None:
    """Submit the jobs that changes of the category tree owe, every minute: whoever made one may have died."""
    submit_owed()
