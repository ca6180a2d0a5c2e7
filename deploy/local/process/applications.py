"""The gateway's own processes: web server, Celery worker and beat."""

import os
import signal
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from deploy.local.layout import Layout
from deploy.local.process.ports import HOST, NAME
from deploy.local.process.process import Process, adopt_lost, ask_to_stop, wait_or_kill

NAMES = ("web", "worker", "beat")
# A worker told to stop finishes the tasks it is at; those not finished in this time it gives back to the queue.
TASK_SECONDS = 3.0
# Longer than the driver looks for a MongoDB that is away (MONGODB_SERVER_SELECTION_MS): so long may a request take.
STOP_SECONDS = 15.0
# One per core, but no more than so many: each takes 130 MB, and a developer's machine runs the stores, too.
WEB_PROCESSES = 4
# Celery warns every worker of root, whatever messages it accepts. Ours takes JSON alone, which runs no code, and who
# develops as root, in a container for example, has nobody else to be. Production's worker keeps the warning.
NO_WARNING_OF_ROOT = "ignore:You're running the worker with superuser privileges"


@dataclass(frozen=True)
class Application:
    process: Process
    command: tuple[str, ...]
    environment: dict[str, str]

    @property
    def name(self) -> str:
        return self.process.name

    def spawn(self) -> None:
        self.process.spawn(self.command, self.environment)


def applications(layout: Layout, addresses: dict[str, str], *, port: int) -> list[Application]:
    programs = Path(sys.executable).parent
    celery = (str(programs / "celery"), "--quiet", "-A", "gateway")  # without the banner
    commands = {
        "web": (sys.executable, "-m", "gateway.web.server", "--host", HOST, "--port", str(port)),
        "worker": (*celery, "worker"),
        "beat": (*celery, "beat", "--schedule", str(layout.run / "beat-schedule")),
    }
    environment = {
        **os.environ,
        **addresses,
        "LOG_FORMAT": "console",
        "PUBLIC_URL": os.environ.get("PUBLIC_URL") or f"http://{NAME}:{port}",
        "PYTHONUNBUFFERED": "1",
        "WEB_CONCURRENCY": os.environ.get("WEB_CONCURRENCY") or str(min(len(os.sched_getaffinity(0)), WEB_PROCESSES)),
        "PYTHONWARNINGS": ",".join(filter(None, (os.environ.get("PYTHONWARNINGS"), NO_WARNING_OF_ROOT))),
    }
    return [Application(Process.of(layout, name), commands[name], environment) for name in NAMES]


def stop_applications(layout: Layout) -> list[str]:
    """Stop those that run, also what a killed `run` left behind; names those that had to be killed."""
    processes = {name: Process.of(layout, name) for name in NAMES}
    adopt_lost(processes.values())
    ask_to_stop(processes.values())
    began = time.monotonic()
    worker = processes["worker"]
    if not worker.wait_gone(began + TASK_SECONDS):
        # Celery's «cold shutdown»: a task may wait for a server that is away longer than anybody who pressed Ctrl-C.
        worker.send(signal.SIGQUIT)
    return wait_or_kill(processes.values(), seconds=STOP_SECONDS - (time.monotonic() - began))
