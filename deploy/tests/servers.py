"""Servers that a test starts for itself, beside the stack: real programs, gone when the test is over."""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

START_SECONDS = 120.0


@contextmanager
def running(
    command: list[str], *, ready: Callable[[], bool], log: Path, environment: Mapping[str, str] | None = None
) -> Iterator[subprocess.Popen[bytes]]:
    """The program from the moment when it is ready; killed afterwards with all it started, for its data is nobody's."""
    with log.open("wb") as output:
        process = subprocess.Popen(
            command, env={**os.environ, **(environment or {})}, stdout=output, stderr=output, start_new_session=True
        )
    try:
        deadline = time.monotonic() + START_SECONDS
        while not ready():
            said = log.read_text(errors="replace")[-3000:]
            assert process.poll() is None, f"{command[0]} ended:\n{said}"
            assert time.monotonic() < deadline, f"{command[0]} is not ready:\n{said}"
            time.sleep(0.2)
        yield process
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
