"""The table of `status`."""

import sys
from pathlib import Path

from deploy.local.layout import Layout
from deploy.local.ports import HOST
from deploy.local.readiness import serves
from deploy.local.server import VARIABLE
from deploy.local.stack import Stack

COLUMNS = "{:<11}{:<13}{:>8}  {:<23}{}\n"


def show_status(root: Path) -> int:
    """Print one line per server; 0 when all of them serve, 1 otherwise."""
    if not Layout(root.absolute()).description.exists():
        sys.stdout.write(f"there is no stack at {root}\n")
        return 1
    stack = Stack.at(root)
    sys.stdout.write(COLUMNS.format("NAME", "STATE", "PID", "ADDRESS", "UPTIME"))
    all_run = True
    for server in stack.servers:
        process = stack.process(server.name)
        identity = process.identity
        if identity is None:
            state = "stopped"
        elif process.suspended:
            state = "suspended"
        else:
            state = "running" if serves(server) else "not serving"
        all_run = all_run and state == "running"
        sys.stdout.write(
            COLUMNS.format(
                server.name,
                state,
                identity.pid if identity else "-",
                f"{HOST}:{server.port}",
                _duration(identity.uptime_seconds) if identity else "-",
            )
        )
    for kind, address in stack.external.items():
        sys.stdout.write(COLUMNS.format(kind, "external", "-", address, f"({VARIABLE[kind]})"))
    return 0 if all_run else 1


def _duration(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s" if minutes else f"{rest} s"
