"""`make run`: servers, preparation, then web, worker and beat in the foreground until Ctrl-C."""

import errno
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NoReturn

from deploy.local.errors import StackError
from deploy.local.launch import Launch
from deploy.local.layout import REPOSITORY, Layout
from deploy.local.process import lock
from deploy.local.process.applications import applications, stop_applications
from deploy.local.process.ports import NAME, is_free, taken_by
from deploy.local.process.signals import uninterrupted
from deploy.local.progress import Progress
from deploy.local.run.supervisor import Supervisor
from deploy.local.start.stack import changing
from deploy.local.start.start import start
from deploy.local.start.stop import stop_everything
from deploy.node import graphiql

DEFAULT_PORT = "8000"
# What writing to a closed terminal or pipe gives: nobody looks any more, which counts as Ctrl-C.
SCREEN_CLOSED = {errno.EIO, errno.EPIPE}


def run(root: Path) -> int:
    layout = Layout(root.resolve())
    port = _port(os.environ)

    def refuse(note: str) -> None:
        pid, address = note.split()
        raise StackError(
            f"make run is already running (pid {pid}) at {address}; stop it with Ctrl-C there, or make stop"
        )

    with lock.exclusive(layout.run_lock, note=f"{os.getpid()} http://{NAME}:{port}/", when_taken=refuse):
        try:
            # What a `run` that was killed -9 has left would hold the port.
            stop_applications(layout)
            if not is_free(port):
                raise StackError(f"port {port} is taken{taken_by(port)}. Choose another one: PORT=8001 make run")
            _serve(layout, port)
        except KeyboardInterrupt:
            return 0
        except OSError as error:
            if error.errno not in SCREEN_CLOSED:
                raise
            return 0


def _serve(layout: Layout, port: int) -> NoReturn:
    """Until interrupted. However it ends, everything is stopped."""
    try:
        with Progress() as progress:
            launch = Launch(progress)
            stack = start(layout.root, launch).stack
            _prepare_graphiql(launch)
        _prepare(stack.env())
        Supervisor(applications(layout, stack.env(), port=port), stack, port=port, stream=sys.stdout).run()
    except StackError as error:
        # Said here, so that it stands before the lines about stopping.
        sys.stderr.write(f"\n{error}\n\n")
        sys.exit(1)
    finally:
        with uninterrupted(), Progress() as progress, changing(layout, progress):
            progress.say("run", "stopping; the data stays")
            stop_everything(layout, progress)


def _prepare_graphiql(launch: Launch) -> None:
    """A page for trying queries is no reason not to start."""
    try:
        graphiql.prepare(launch, REPOSITORY / ".local" / "graphiql")
    except StackError as error:
        launch.progress.say("graphiql", f"left out: {str(error).splitlines()[0]}")


def _prepare(addresses: Mapping[str, str]) -> None:
    sys.stdout.flush()
    outcome = subprocess.run(
        [sys.executable, "-m", "deploy.local.run.preparation"],
        cwd=REPOSITORY,
        env={**os.environ, "LOG_FORMAT": "console", **addresses},
        stdin=subprocess.DEVNULL,
        check=False,
    )
    if outcome.returncode:
        raise StackError("the shop could not be prepared, see above")


def _port(environ: Mapping[str, str]) -> int:
    text = environ.get("PORT") or DEFAULT_PORT
    if not text.isdigit() or not 0 < int(text) < 2**16:
        raise StackError(f"PORT is {text!r}, which is no port number")
    return int(text)
