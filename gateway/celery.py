"""The Celery application: tasks of all apps, over Redis."""

import os
from typing import Any, cast

from celery import Celery
from celery.signals import (
    beat_init,
    before_task_publish,
    setup_logging,
    task_postrun,
    task_prerun,
    worker_init,
    worker_process_init,
)
from django.db import connections

from gateway.collector import spare_loaded_code
from gateway.logs.request_ids import bind_request_id, current_request_id, unbind_request_id
from gateway.production.checks import refuse_unsafe_production

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "gateway.settings")

app = Celery("gateway")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@setup_logging.connect
def use_our_logs(**_: Any) -> None:
    """Keep Celery from adding its own handlers, by being connected: Django has configured the logs already."""


@worker_init.connect
@beat_init.connect
def refuse_unsafe_settings(**_: Any) -> None:
    refuse_unsafe_production()


@worker_process_init.connect
def drop_inherited_connections(**_: Any) -> None:
    """Let a forked worker open its own MongoDB pool; Cassandra and Redis open theirs on first use anyway."""
    for connection in connections.all(initialized_only=True):
        cast("Any", connection).close_pool()


@before_task_publish.connect
def send_request_id(headers: dict[str, Any], **_: Any) -> None:
    headers["request_id"] = current_request_id()


@task_prerun.connect
def take_request_id(task: Any, task_id: str, **_: Any) -> None:
    bind_request_id(getattr(task.request, "request_id", None) or task_id, task=task.name)


@worker_process_init.connect
def spare_collector(**_: Any) -> None:
    spare_loaded_code()


@task_postrun.connect
def forget_request_id(**_: Any) -> None:
    unbind_request_id()
