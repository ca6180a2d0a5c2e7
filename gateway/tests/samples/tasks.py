"""Tasks that exist only to test the frame."""

import gc
import os

from celery import shared_task

from gateway.background import mark_begun, send_soon
from gateway.cassandra.writes import write
from gateway.logs.request_ids import current_request_id
from gateway.mongo.client import database
from gateway.redis.clients import redis_client
from gateway.tests.samples.cassandra.tables import SESSIONS

NOTE = "gateway.tests.samples.tasks.note"


@shared_task
def copy_gadget(category: str, gadget_id: str) -> None:
    """Reads MongoDB and writes Cassandra, leaving its process, collector and request id where a test can see them."""
    (gadget,) = database()["sample_gadgets"].find({"category": category, "_id": gadget_id})
    seen = f"{gadget['name']}|{current_request_id()}|{os.getppid()}"
    devices = {"worker": os.getpid(), "new objects": gc.get_threshold()[0], "spared": gc.get_freeze_count()}
    write([SESSIONS.upsert({"session_id": gadget_id, "data": seen, "devices": devices})])


@shared_task
def fail() -> None:
    raise LookupError("as the test wants it")


@shared_task(name=NOTE)
def note(subject: str) -> None:
    """Counts its runs in Redis; while the first one runs, the subject changes once more."""
    mark_begun(NOTE, subject)
    if redis_client().incr(f"noted:{subject}") == 1:
        send_soon(NOTE, subject)
