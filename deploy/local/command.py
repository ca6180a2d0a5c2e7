"""One command against the stack: started if need be, its addresses in the command's environment."""

import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from deploy.local.launch import Launch
from deploy.local.layout import Layout
from deploy.local.process import lock
from deploy.local.progress import Progress
from deploy.local.start.start import start
from deploy.local.start.stop import stop


def execute(root: Path, command: Sequence[str], *, keep: bool) -> int:
    """The command's exit status. The stack is stopped afterwards if this call started it and nobody else uses it."""
    layout = Layout(root.resolve())
    with Progress() as progress:
        started = start(root, Launch(progress))
    try:
        with lock.shared(layout.users_lock):
            return run_command(command, {**os.environ, **started.stack.env()})
    finally:
        if started.fresh and not keep and lock.holder(layout.users_lock) is None:
            with Progress() as progress:
                stop(root, progress)


def run_command(command: Sequence[str], environment: Mapping[str, str]) -> int:
    """Its exit status, however it ends."""
    with subprocess.Popen(command, env=environment) as child:
        # Ctrl-C reaches the child by itself, and the child decides how to end; a signal sent to us alone is passed on.
        signal.signal(signal.SIGINT, lambda *_: None)
        for number in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, lambda *_: child.send_signal(signal.SIGINT))
        status = child.wait()
    return status if status >= 0 else 128 - status
