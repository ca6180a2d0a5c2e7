"""What meets at one moment: threads at once, a callback before a step, processes, and kills at a named step."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from threading import Barrier, Thread
from types import ModuleType
from typing import Any

import pytest
from pymongo.database import Database

from gateway.domain.errors import DomainError
from gateway.mongo.client import Document, client
from gateway.mongo.lag import _shard_client as shard_client
from gateway.tests.forks import When

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
    # Which test it is for is no difference.
    inherited = {name: value for name, value in os.environ.items() if name != "PYTEST_CURRENT_TEST"}
    return {**inherited, **ours, **variables}


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

LIFETIME = "transactionLifetimeLimitSeconds"


class Victim:
    """A process that stands at the step where it is to be killed."""

    def __init__(self, forks: "subprocess.Popen[bytes]", code: str, at: tuple[str, str | None, int, When]) -> None:
        assert forks.stdin is not None
        assert forks.stdout is not None
        self._told = forks.stdout
        self._ended = False
        forks.stdin.write(json.dumps({"code": code, "at": at}).encode() + b"\n")
        forks.stdin.flush()
        self.pid = int(self._told.readline())
        assert self._told.readline() == b"paused\n", "it ended before it came to that step"

    def kill(self) -> None:
        if not self._ended:
            os.kill(self.pid, signal.SIGKILL)

    def wait(self) -> None:
        """Until it has ended."""
        if not self._ended:
            assert self._told.readline() == b"ended\n"
            self._ended = True


@cache
def _forks(environment: frozenset[tuple[str, str]]) -> "subprocess.Popen[bytes]":
    """Waits with Django started; ends with this process, whose end of the pipe it reads."""
    return subprocess.Popen(
        [sys.executable, "-m", "gateway.tests.forks"],
        cwd=ROOT,
        env=dict(environment),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )


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
) -> Iterator[Victim]:
    """A process that runs this code until it is about to send the nth such command, or has its answer."""
    forks = _forks(frozenset(environment_of(database, **(variables or {})).items()))
    with short_transactions():
        victim = Victim(forks, code, (command, collection, number, when))
        try:
            yield victim
        finally:
            victim.kill()
            victim.wait()
