"""Work sent from a write: many sends make one run, a change during the run makes the next, an outage fails nobody."""

import os
import socket
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from celery.signals import after_task_publish
from django.conf import settings
from structlog.testing import capture_logs

from deploy.local.start.stack import Stack
from gateway import background
from gateway.background import mark_begun, send_soon
from gateway.redis.clients import redis_client
from gateway.tests.eventually import eventually
from gateway.tests.samples.tasks import NOTE

ROOT = Path(__file__).parent.parent.parent
# So long that no worker begins while a test looks.
LATER = 600
# The broker is another server than Redis, and away.
BROKER_AWAY = f"""
import django
django.setup()
from gateway.background import send_soon
from gateway.redis.clients import redis_client
for _ in range(2):
    send_soon("{NOTE}", "broker-away")
assert redis_client().get("soon:{NOTE}:broker-away") is None
"""


@pytest.fixture
def subject() -> str:
    return uuid.uuid4().hex


@pytest.fixture
def published() -> Iterator[list[str]]:
    """The tasks that reached the broker."""
    names: list[str] = []

    def note(sender: str, **_: Any) -> None:
        names.append(sender)

    after_task_publish.connect(note)
    yield names
    after_task_publish.disconnect(note)


def test_many_sends_at_once_are_sent_once(subject: str, published: list[str]) -> None:
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: send_soon(NOTE, subject, delay=LATER), range(50)))

    assert published == [NOTE]


def test_subjects_do_not_share_a_turn(subject: str, published: list[str]) -> None:
    send_soon(NOTE, f"{subject}-1", delay=LATER)
    send_soon(NOTE, f"{subject}-2", delay=LATER)

    assert published == [NOTE, NOTE]


def test_change_after_the_run_has_begun_sends_the_next(subject: str, published: list[str]) -> None:
    send_soon(NOTE, subject, delay=LATER)
    mark_begun(NOTE, subject)
    send_soon(NOTE, subject, delay=LATER)

    assert published == [NOTE, NOTE]


def test_real_worker_runs_many_sends_once_and_a_change_during_the_run_once_more(
    run_worker: Callable[..., Path], subject: str
) -> None:
    for _ in range(20):
        send_soon(NOTE, subject, delay=1)
    log = run_worker("--concurrency", "2")

    last = f"{subject}-last"
    eventually(lambda: redis_client().get(f"noted:{subject}"), "2", within=60, why=log.read_text)
    send_soon(NOTE, last)
    eventually(lambda: redis_client().get(f"noted:{last}"), "2", within=60, why=log.read_text)

    assert redis_client().get(f"noted:{subject}") == "2"


def test_buyers_do_not_fill_the_broker_while_no_worker_comes(
    subject: str, published: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(background, "WAITING", 3)
    redis_client().delete(settings.CELERY_TASK_DEFAULT_QUEUE)

    with capture_logs() as logged:
        for number in range(10):
            send_soon(NOTE, f"{subject}-{number}", delay=LATER)
    redis_client().delete(settings.CELERY_TASK_DEFAULT_QUEUE)
    send_soon(NOTE, f"{subject}-later", delay=LATER)

    assert published == [NOTE] * 4
    assert [line["error"] for line in logged] == ["too many wait"] * 7


def test_sender_survives_redis_and_the_next_send_after_its_return_arrives(
    stack: Stack, subject: str, published: list[str]
) -> None:
    send_soon(NOTE, f"{subject}-before", delay=LATER)

    stack.kill("redis")
    with capture_logs() as logged:
        send_soon(NOTE, subject, delay=LATER)
        mark_begun(NOTE, subject)

    assert [line["event"] for line in logged] == ["task_not_sent", "task_not_marked_begun"]
    stack.start("redis")
    stack.wait_healthy(timeout=60)
    send_soon(NOTE, subject, delay=LATER)
    assert published == [NOTE, NOTE]


def test_sender_survives_a_redis_that_hangs(stack: Stack, subject: str, published: list[str]) -> None:
    stack.suspend("redis")
    try:
        with capture_logs() as logged:
            send_soon(NOTE, subject, delay=LATER)
    finally:
        stack.resume("redis")

    assert [line["event"] for line in logged] == ["task_not_sent"]
    assert published == []


def test_send_that_the_broker_did_not_take_keeps_no_turn(cluster: None) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        environment = {
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "gateway.test_settings",
            "CELERY_BROKER_URL": f"redis://127.0.0.1:{closed.getsockname()[1]}/0",
        }
        done = subprocess.run(
            [sys.executable, "-c", BROKER_AWAY], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
        )

    assert done.returncode == 0, done.stderr
    assert (done.stdout + done.stderr).count("task_not_sent") == 2
