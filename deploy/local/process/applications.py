"""The gateway's own processes: web server, Celery worker and beat."""

import os
import sys
from dataclasses import dataclass
from pathlib import Path

from deploy.local.layout import Layout
from deploy.local.process.ports import HOST
from deploy.local.process.process import Process, adopt_lost, stop_all

NAMES = ("web", "worker", "beat")
# A worker finishes the task it is at; what it does not finish in this time is delivered again (acks_late).
STOP_SECONDS = 5.0


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
    served = ("gateway.asgi:application", "--no-proxy-headers", "--host", HOST, "--port", str(port))
    commands = {
        "web": (str(programs / "uvicorn"), *served),
        "worker": (*celery, "worker"),
        "beat": (*celery, "beat", "--schedule", str(layout.run / "beat-schedule")),
    }
    environment = {**os.environ, "LOG_FORMAT": "console", "PYTHONUNBUFFERED": "1", **addresses}
    return [Application(Process.of(layout, name), commands[name], environment) for name in NAMES]


def stop_applications(layout: Layout) -> list[str]:
    """Stop those that run, also what a killed `run` left behind; names those that had to be killed."""
    processes = [Process.of(layout, name) for name in NAMES]
    adopt_lost(processes)
    return stop_all(processes, seconds=STOP_SECONDS)
