"""The table of `status`."""

import sys
from collections.abc import Iterator
from pathlib import Path

from deploy.local.layout import Layout
from deploy.local.process import applications, lock
from deploy.local.process.process import Process
from deploy.local.servers.server import VARIABLE
from deploy.local.start.stack import Stack, serves

EXTERNAL = "external"
RUNNING = "running"

Row = tuple[str, str, str, str, str]
HEADER: Row = ("NAME", "STATE", "PID", "ADDRESS", "UPTIME")


def show_status(root: Path) -> int:
    """Print one line per process; 0 when all of them do their work, 1 otherwise."""
    layout = Layout(root.resolve())
    if not layout.description.exists():
        sys.stdout.write(f"there is no stack at {root}\n")
        return 1
    rows = [*_servers(Stack.at(root)), *_applications(layout)]
    table = [HEADER, *rows]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    for row in table:
        line = "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        sys.stdout.write(line.rstrip() + "\n")
    return 0 if all(row[1] in {RUNNING, EXTERNAL} for row in rows) else 1


def _servers(stack: Stack) -> Iterator[Row]:
    for server in stack.servers:
        process = stack.process(server.name)
        state = RUNNING
        if process.identity is None:
            state = "stopped"
        elif process.suspended:
            state = "suspended"
        elif not serves(server):
            state = "not serving"
        yield _row(process, state, f"{server.host}:{server.port}")
    for kind, address in stack.external.items():
        yield (kind, EXTERNAL, "-", address, f"({VARIABLE[kind]})")


def _applications(layout: Layout) -> Iterator[Row]:
    """Web, worker and beat while there is a `run`, or something is left of one."""
    note = lock.holder(layout.run_lock)
    for name in applications.NAMES:
        process = Process.of(layout, name)
        if process.identity or note:
            address = note.split()[1] if note and name == "web" else "-"
            yield _row(process, RUNNING if process.identity else "stopped", address)


def _row(process: Process, state: str, address: str) -> Row:
    identity = process.identity
    if identity is None:
        return (process.name, state, "-", address, "-")
    return (process.name, state, str(identity.pid), address, _duration(identity.uptime_seconds))


def _duration(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s" if minutes else f"{rest} s"
