"""Waiting until a server serves; when it does not, the end of its log tells why."""

import json
from collections import deque
from collections.abc import Callable
from pathlib import Path

from deploy.local.errors import StackError
from deploy.local.launch import Launch
from deploy.local.process.process import Process
from deploy.local.servers import cassandra, cluster, redis
from deploy.local.servers.server import Kind, Server

TAIL_LINES = 20
TAIL_WIDTH = 300
# On a busy machine a first start of Cassandra has been seen to take half a minute.
SERVING_SECONDS = 120.0

ANSWERS: dict[Kind, Callable[[Server], bool]] = {
    "mongodb": lambda server: cluster.answers(server.port),
    "redis": lambda server: redis.answers(server.port),
    "cache": lambda server: redis.answers(server.port),
    "cassandra": lambda server: cassandra.answers(server.host, server.port),
}


def serves(server: Server) -> bool:
    return ANSWERS[server.kind](server)


def await_serving(launch: Launch, server: Server, process: Process) -> None:
    """Return once the server answers; raise with the end of its log when it died or takes too long."""

    def settled() -> bool:
        return process.identity is None or serves(server)

    if not launch.wait_for(settled, seconds=SERVING_SECONDS):
        raise StackError(failure(f"{server.name} does not answer on port {server.port}", process.log))
    if process.identity is None:
        raise StackError(failure(f"{server.name} died while starting", process.log))


def failure(what: str, log: Path) -> str:
    return (
        f"{what}. The end of {log}:\n"
        + "\n".join(f"    {line}" for line in tail(log))
        + "\nFix the cause and start again: what runs already is kept. If the data is beyond repair: make clean."
    )


def tail(log: Path, lines: int = TAIL_LINES) -> list[str]:
    """The last lines of a log, MongoDB's JSON made readable."""
    try:
        with log.open(encoding="utf-8", errors="replace") as file:
            return [_readable(line.rstrip("\n"))[:TAIL_WIDTH] for line in deque(file, maxlen=lines)]
    except FileNotFoundError:
        return ["(there is no such file)"]


def _readable(line: str) -> str:
    try:
        entry = json.loads(line)
        attributes = json.dumps(entry["attr"], ensure_ascii=False) if "attr" in entry else ""
        return f"{entry['t']['$date']} {entry['s']} {entry['c']} {entry['msg']} {attributes}".rstrip()
    except (ValueError, KeyError, TypeError):
        return line
