"""Stopping: the gateway's processes first, then the servers; a `run` in another terminal is asked to do it itself."""

import os
import shutil
import signal
import time
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path

from deploy.local.errors import StackError
from deploy.local.layout import Layout
from deploy.local.process import lock
from deploy.local.process.applications import stop_applications
from deploy.local.process.process import Process, adopt_lost, stop_all
from deploy.local.progress import Progress
from deploy.local.servers import cassandra, mongodb, redis
from deploy.local.start.stack import changing

# `run` stops its applications and servers within their own time-outs; this only bounds a `run` that hangs.
RUN_SECONDS = 45.0
# Generous: a mongod asked to stop takes about a second, Cassandra three.
STOP_SECONDS = 10.0

SERVERS = (*mongodb.NAMES, *redis.NAMES, *cassandra.NAMES)


def stop(root: Path, progress: Progress) -> None:
    """Stop everything of this root; data stays."""
    layout = Layout(root.resolve())
    _end_run(layout, progress)
    with changing(layout, progress):
        stop_everything(layout, progress)


def clean(root: Path, progress: Progress) -> None:
    """Stop everything of this root and forget its data and logs. The cache of binaries stays."""
    layout = Layout(root.resolve())
    _end_run(layout, progress)
    with changing(layout, progress):
        stop_everything(layout, progress)
        for directory in (layout.run, layout.data, layout.log):
            shutil.rmtree(directory, ignore_errors=True)
        progress.say("stack", f"removed data and logs of {layout.root}")


def stop_everything(layout: Layout, progress: Progress) -> None:
    """Stop the applications, then the servers. The caller holds the lock of the root."""
    running = running_servers(layout)
    for name in running:
        # The applications' last requests would wait for a server that is suspended.
        Process.of(layout, name).send(signal.SIGCONT)
    killed = stop_applications(layout)
    if running:
        with progress.step("stack", "stopped"):
            killed += stop_servers(layout, running)
    else:
        progress.say("stack", f"no server runs at {layout.root}")
    for name in killed:
        progress.say(name, "did not stop in time and was killed")


def running_servers(layout: Layout) -> set[str]:
    processes = [Process.of(layout, name) for name in SERVERS]
    adopt_lost(processes)
    return {process.name for process in processes if process.identity}


def stop_servers(layout: Layout, names: Collection[str]) -> list[str]:
    """Stop these servers; names those that had to be killed."""
    # The mongos first: otherwise each of them waits for the shards it still talks to.
    routers = [Process.of(layout, name) for name in names if name in mongodb.MONGOS]
    others = [Process.of(layout, name) for name in names if name not in mongodb.MONGOS]
    return [*stop_all(routers, seconds=STOP_SECONDS), *stop_all(others, seconds=STOP_SECONDS)]


def _end_run(layout: Layout, progress: Progress) -> None:
    """Ask the `run` of this root, if there is one, to end, and wait for it."""
    note = lock.holder(layout.run_lock)
    if note is None:
        return
    pid = int(note.split()[0])
    with progress.step("run", f"ended (pid {pid})"):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGTERM)
        deadline = time.monotonic() + RUN_SECONDS
        while lock.holder(layout.run_lock) is not None:
            if time.monotonic() > deadline:
                raise StackError(f"make run (pid {pid}) does not end; kill it (kill -9 {pid}) and try again")
            time.sleep(0.1)
