"""A real Celery worker with forked children: reads MongoDB, writes Cassandra, logs under the caller's request id."""

import json
import os
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from pymongo.database import Database

from gateway.cassandra.reads import first
from gateway.cassandra.statements import Row
from gateway.collector import NEW_OBJECTS
from gateway.logs.request_ids import bind_request_id, unbind_request_id
from gateway.mongo import lag
from gateway.mongo.client import Document
from gateway.redis.clients import redis_client
from gateway.tasks import measure_replication_lag
from gateway.tests.eventually import eventually
from gateway.tests.samples.cassandra.tables import SESSIONS
from gateway.tests.samples.models import Gadget
from gateway.tests.samples.tasks import copy_gadget, fail

# Of this run alone: a worker that a killed run left behind would take its tasks.
QUEUE = f"tests-{os.getpid()}"


@pytest.fixture(scope="module")
def worker(run_process: Callable[..., Path]) -> Path:
    """The log of a worker with two forked children."""
    call_command("cassandra", "apply", verbosity=0)
    return run_process("celery", "-A", "gateway", "worker", "--concurrency", "2", "--queues", QUEUE, LOG_FORMAT="json")


@pytest.fixture
def request_id() -> Iterator[str]:
    bind_request_id("checkout-0042")
    yield "checkout-0042"
    unbind_request_id()


def copied(gadget_id: str) -> Row | None:
    return first(SESSIONS.select("session_id = ?", gadget_id))


def test_forked_worker_reads_mongodb_and_writes_cassandra(
    database: Database[Document], worker: Path, request_id: str
) -> None:
    for number in range(10):
        Gadget.objects.create(id=f"G-{number}", category="audio", name=f"Наушники {number}")
        copy_gadget.apply_async(("audio", f"G-{number}"), queue=QUEUE)

    rows = [eventually(partial(copied, f"G-{number}"), within=60) for number in range(10)]

    names, request_ids, parents = zip(*(row["data"].split("|") for row in rows), strict=True)
    assert list(names) == [f"Наушники {number}" for number in range(10)]
    assert set(request_ids) == {request_id}
    children = {row["devices"]["worker"] for row in rows}
    assert os.getpid() not in children
    assert len(set(parents)) == 1  # children of one worker, forked from it
    assert {row["devices"]["new objects"] for row in rows} == {NEW_OBJECTS}
    assert min(row["devices"]["spared"] for row in rows) > 100_000, "the code that was loaded is looked at no more"


def test_failed_task_is_logged_as_json_under_the_callers_request_id(
    database: Database[Document], worker: Path, request_id: str
) -> None:
    fail.apply_async(queue=QUEUE)

    def failures() -> list[dict[str, Any]]:
        lines = [json.loads(line) for line in worker.read_text().splitlines() if line.startswith("{")]
        return [line for line in lines if line["level"] == "error" and line.get("task") == fail.name]

    (failure,) = eventually(failures, within=60)
    assert failure["request_id"] == request_id
    assert failure["exception"][0]["exc_type"] == "LookupError"
    assert failure["exception"][0]["frames"][-1]["name"] == "fail"
    assert "as the test wants it" not in str(failure)


def test_lag_is_measured_by_the_worker(database: Database[Document], worker: Path) -> None:
    redis_client().delete(lag.KEY)

    measure_replication_lag.apply_async(queue=QUEUE)

    published = eventually(lambda: redis_client().get(lag.KEY), within=60)
    assert sorted(json.loads(published)) == ["shard1", "shard2"]
