"""A process in which Django starts once, for many that are killed: `python -m gateway.tests.forks` forks them.

Each line it reads is a program and the command at which it pauses. It answers with the process's id, the process itself
with `paused`, and when it has ended, whatever way, `ended` comes.
"""

import json
import os
import sys
import time
import traceback
from typing import Any, Literal

import django
from pymongo import monitoring

When = Literal["sent", "answered"]


class Pause(monitoring.CommandListener):
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
            say("paused")
            while True:
                time.sleep(60)


def say(text: str) -> None:
    os.write(sys.stdout.fileno(), f"{text}\n".encode())


def main() -> None:
    django.setup()
    for line in sys.stdin:
        task = json.loads(line)
        pid = os.fork()
        if pid == 0:
            # Nothing is connected yet: every client that the program makes is heard.
            monitoring.register(Pause(*task["at"]))
            try:
                exec(task["code"], {})  # noqa: S102 - the test's own program
            except BaseException:  # noqa: BLE001 - whatever it is, the parent's loop is not for the child
                traceback.print_exc()
            os._exit(0)
        say(str(pid))
        os.waitpid(pid, 0)
        say("ended")


if __name__ == "__main__":
    main()
