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
from gateway.background import Queue, mark_begun, queue_soon, send_soon, taken_from
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


@pytest.fixture
def queue(subject: str) -> Iterator[Queue]:
    """A queue of this test alone, for whose task no worker comes."""
    queue = Queue(f"test:{subject}", NOTE, delay=LATER)
    yield queue
    redis_client().delete(queue.name)


def test_many_subjects_have_one_task(queue: Queue, published: list[str]) -> None:
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: queue_soon(queue, str(number % 10)), range(50)))

    with taken_from(queue, most=100) as taken:
        pass

    assert published == [NOTE]
    assert sorted(taken) == sorted(map(str, range(10)))
    assert redis_client().zcard(queue.name) == 0


def test_workers_at_once_take_each_subject_once_and_those_left_have_a_task(queue: Queue, published: list[str]) -> None:
    queue_soon(queue, *map(str, range(100)))

    def work(_: int) -> list[str]:
        with taken_from(queue, most=10) as taken:
            return taken

    with ThreadPoolExecutor(8) as pool:
        taken = [each for batch in pool.map(work, range(10)) for each in batch]

    assert sorted(taken) == sorted(map(str, range(100)))
    assert len(published) > 1


def test_subject_that_is_queued_while_it_is_worked_on_stays(queue: Queue) -> None:
    queue_soon(queue, "a", "b")

    with taken_from(queue, most=10) as first:
        queue_soon(queue, "a")
    with taken_from(queue, most=10) as second:
        pass

    assert (sorted(first), second) == (["a", "b"], ["a"])


def test_what_fails_stays_in_the_queue_for_the_next_try(queue: Queue) -> None:
    queue_soon(queue, "a")

    with pytest.raises(ZeroDivisionError), taken_from(queue, most=10):
        raise ZeroDivisionError
    with taken_from(queue, most=10) as again:
        pass

    assert again == ["a"]


def test_what_a_killed_worker_had_taken_is_another_ones_when_the_lease_ends(
    queue: Queue, published: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(background, "LEASE_SECONDS", 2)
    queue_soon(queue, "a")
    redis_client().delete(f"soon:{NOTE}:{queue.name}:leased")
    code = f"""
import os, django
django.setup()
from gateway import background
background.LEASE_SECONDS = 2
with background.taken_from(background.Queue({queue.name!r}, {NOTE!r}), most=10) as taken:
    assert taken == ["a"]
    os.kill(os.getpid(), 9)
"""
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "gateway.test_settings"}
    killed = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=environment, check=False)
    assert killed.returncode == -9

    with taken_from(queue, most=10) as meanwhile:
        pass
    # The task that comes when the lease has ended.
    assert (meanwhile, published) == ([], [NOTE, NOTE])

    def taken() -> list[str]:
        with taken_from(queue, most=10) as found:
            return found

    eventually(taken, ["a"], within=30)


def test_no_more_subjects_wait_than_may(queue: Queue, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background, "QUEUED", 3)

    for number in range(5):
        queue_soon(queue, str(number))

    assert redis_client().zcard(queue.name) == 3


def test_queueing_survives_redis(stack: Stack, queue: Queue, published: list[str]) -> None:
    stack.kill("redis")
    with capture_logs() as logged:
        queue_soon(queue, "a")
    stack.start("redis")
    stack.wait_healthy(timeout=60)

    assert [line["event"] for line in logged] == ["task_not_sent"]
    assert published == []
