"""The web server: uvicorn with a process per core, which SIGHUP replaces one by one. `python -m gateway.web.server`.

The parent serves nobody. It starts another process in place of one that has died or hangs. On SIGHUP it starts the new
ones, from the code as it is by then, each before an old one is told to end; with code that does not start the old ones
stay. The environment is always the parent's.
"""

import argparse
import importlib
import math
import os
import sys
from pathlib import Path
from typing import cast

import structlog
import uvicorn
from django.conf import settings
from uvicorn.config import STARTUP_FAILURE
from uvicorn.supervisors import Multiprocess

from gateway.logs.configuration import LogOptions, configure
from gateway.web.http import Application
from gateway.web.prompt import PromptProtocol

log = structlog.get_logger(__name__)

# In which each process must answer its parent, also one that has only begun to import.
HEALTHCHECK_SECONDS = 30
# In which a new one must serve before the old one ends: on a very busy machine importing alone takes half a minute.
STARTING_SECONDS = 120
# What a process that ends has begun: an upload of the admin takes a minute at most (DJANGO_MAX_BODY_SECONDS).
FAREWELL_SECONDS = 75
CPU_QUOTA = Path("/sys/fs/cgroup/cpu.max")


def main() -> None:
    arguments = _arguments()
    # The parent's own lines, too; it does without the apps, which would take a hundred megabytes.
    configure(cast("LogOptions", settings.LOGGING))
    config = configuration(arguments.host, arguments.port)
    # uvicorn.run would serve a single process without a parent that cures and replaces it.
    parent = Parent(config, sockets=[config.bind_socket()])
    parent.run()
    if any(process.exitcode == STARTUP_FAILURE for process in parent.processes):
        sys.exit(STARTUP_FAILURE)


def configuration(host: str, port: int) -> uvicorn.Config:
    """How each process serves."""
    return uvicorn.Config(
        "gateway.web.server:application",
        factory=True,
        host=host,
        port=port,
        workers=processes_wanted(),
        http=PromptProtocol,
        # What proxies say of the client is read by the gateway itself.
        proxy_headers=False,
        server_header=False,
        # The front logs every request.
        access_log=False,
        log_config=None,
        timeout_worker_healthcheck=HEALTHCHECK_SECONDS,
        timeout_graceful_shutdown=FAREWELL_SECONDS,
    )


class Parent(Multiprocess):
    """Allows a new process longer to begin than it allows one that serves to answer."""

    def restart_all(self) -> None:
        self.config.timeout_worker_healthcheck = STARTING_SECONDS
        try:
            super().restart_all()
        finally:
            self.config.timeout_worker_healthcheck = HEALTHCHECK_SECONDS


def application() -> Application:
    """The application, for a process that serves it. One that cannot be imported would fail again: nothing is begun."""
    try:
        return cast("Application", importlib.import_module("gateway.asgi").application)
    except SystemExit:  # unsafe settings, which have been named
        sys.exit(STARTUP_FAILURE)
    except Exception:
        log.exception("web_not_started")
        sys.exit(STARTUP_FAILURE)


def processes_wanted() -> int:
    """WEB_CONCURRENCY, or one for each core that this process may use."""
    asked = os.environ.get("WEB_CONCURRENCY")
    cores = len(os.sched_getaffinity(0))
    return int(asked) if asked else min(cores, cores_of(_quota()) or cores)


def cores_of(quota: str) -> int | None:
    """How many cores a control group may fill, as its `cpu.max` tells: «150000 100000» are two. None: any number."""
    share, _, period = quota.partition(" ")
    return math.ceil(int(share) / int(period)) if share.isdigit() else None


def _quota() -> str:
    try:
        return CPU_QUOTA.read_text(encoding="ascii")
    except OSError:  # no control groups, or those of version 1
        return ""


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="The web server of the gateway.")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8000)
    return parser.parse_args()


if __name__ == "__main__":
    main()
