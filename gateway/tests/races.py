"""Processes of the gateway that stop for good at a given command, to be killed there."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

from pymongo.database import Database
from pymongo.monitoring import CommandListener

from gateway.mongo.client import Document

ROOT = Path(__file__).parent.parent.parent

PROGRAM = """
import sys, django
from pymongo import monitoring
django.setup()
from gateway.tests.races import Pause
command, collection, number, when, code = sys.argv[1:]
monitoring.register(Pause(command, collection or None, int(number), when))
exec(code)
"""

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
        self._seen(event, "sent")

    def succeeded(self, event: Any) -> None:
        if event.request_id in self._requests:
            self._seen(event, "answered")

    def failed(self, event: Any) -> None:
        """A retry is counted like a first attempt."""

    def _seen(self, _: Any, when: When) -> None:
        if when != self._when:
            return
        self._left -= 1
        if self._left == 0:
            os.write(sys.stdout.fileno(), b"paused\n")
            while True:
                time.sleep(60)


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
    environment: Mapping[str, str] = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "gateway.test_settings",
        "MONGODB_DATABASE": database.name,
        **(variables or {}),
    }
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM, command, collection or "", str(number), when, code],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == b"paused\n"
            yield process
        finally:
            process.kill()
