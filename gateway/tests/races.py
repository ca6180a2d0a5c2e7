"""What meets at one moment: threads at once, a callback before a step, processes, and kills at a named step."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from threading import Barrier, Thread
from types import ModuleType
from typing import Any, Literal

import pytest
from pymongo.database import Database
from pymongo.monitoring import CommandListener

from gateway.domain.errors import DomainError
from gateway.mongo.client import Document, client
from gateway.mongo.lag import _shard_client as shard_client

ROOT = Path(__file__).parent.parent.parent

# ---------------------------------------------------------------- threads


def at_once(*actions: Callable[[], Any], expected: tuple[type[Exception], ...] = (DomainError,)) -> list[Any]:
    """Run all of them at the same moment, each in its thread. Their results in order; an expected error is one too."""
    together = Barrier(len(actions))

    def run(action: Callable[[], Any]) -> Any:
        together.wait()
        try:
            return action()
        except expected as error:
            return error

    with ThreadPoolExecutor(len(actions)) as pool:
        return [future.result() for future in [pool.submit(run, action) for action in actions]]


def just_before(
    monkeypatch: pytest.MonkeyPatch, module: ModuleType, step: str, something: Callable[[], object]
) -> None:
    """Let something happen once, as another device would do it, just before this function of the module is called."""
    original = getattr(module, step)
    pending = [something]

    def interrupted(*args: Any, **kwargs: Any) -> Any:
        if pending:
            device = Thread(target=pending.pop())
            device.start()
            device.join()
        return original(*args, **kwargs)

    monkeypatch.setattr(module, step, interrupted)


# ---------------------------------------------------------------- processes


def environment_of(database: Database[Document], **variables: str) -> dict[str, str]:
    """For a process of the gateway that works on the test's database."""
    ours = {"DJANGO_SETTINGS_MODULE": "gateway.test_settings", "MONGODB_DATABASE": database.name}
    return {**os.environ, **ours, **variables}


@contextmanager
def python_process(
    database: Database[Document], *arguments: str, **variables: str
) -> Iterator["subprocess.Popen[bytes]"]:
    """`python …` on the test's database, with pipes to and from it; killed afterwards with all it started."""
    with subprocess.Popen(
        [sys.executable, *arguments],
        cwd=ROOT,
        env=environment_of(database, **variables),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
    ) as process:
        try:
            yield process
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)


# ---------------------------------------------------------------- kills at a named step

PROGRAM = """
import sys, django
from pymongo import monitoring
django.setup()
from gateway.tests.races import Pause
command, collection, number, when, code = sys.argv[1:]
monitoring.register(Pause(command, collection or None, int(number), when))
exec(code)
"""

LIFETIME = "transactionLifetimeLimitSeconds"

When = Literal["sent", "answered"]


class Pause(CommandListener):
    """Stops the process when it sends the nth command of this name, or has the answer to it."""

    def __init__(self, command: str, collection: str | None, number: int, when: When) -> None:
        self._command = command
        self._collection = collection
        self._left = number
        self._when = when
        self._requests: set[int] = set()

    def started(self, event: Any) -> None:
        if event.command_name != self._command or self._collection not in {None, event.command[self._command]}:
            return
        self._requests.add(event.request_id)
        self._seen("sent")

    def succeeded(self, event: Any) -> None:
        if event.request_id in self._requests:
            self._seen("answered")

    def failed(self, event: Any) -> None:
        """A retry is counted like a first attempt."""

    def _seen(self, when: When) -> None:
        if when != self._when:
            return
        self._left -= 1
        if self._left == 0:
            os.write(sys.stdout.fileno(), b"paused\n")
            while True:
                time.sleep(60)


@contextmanager
def short_transactions() -> Iterator[None]:
    """The servers drop the transaction of a dead process within two or three seconds, instead of five to eight."""
    shards = [shard_client(shard["host"]) for shard in client().config.shards.find()]
    before = [shard.admin.command({"getParameter": 1, LIFETIME: 1})[LIFETIME] for shard in shards]
    try:
        for shard in shards:
            shard.admin.command({"setParameter": 1, LIFETIME: 2})
        yield
    finally:
        for shard, seconds in zip(shards, before, strict=True):
            shard.admin.command({"setParameter": 1, LIFETIME: seconds})


@contextmanager
def paused_process(
    database: Database[Document],
    code: str,
    *,
    command: str,
    collection: str | None = None,
    number: int = 1,
    when: When = "sent",
    variables: Mapping[str, str] | None = None,
) -> Iterator["subprocess.Popen[bytes]"]:
    """A process that runs this code until it is about to send the nth such command, or has its answer."""
    arguments = ("-c", PROGRAM, command, collection or "", str(number), when, code)
    with short_transactions(), python_process(database, *arguments, **(variables or {})) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"paused\n"
        yield process
