"""A stack that has been started: its servers by name, to look at, kill, suspend and start again one by one."""

import json
import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Self

from deploy.local.errors import StackError
from deploy.local.launch import Launch
from deploy.local.layout import Layout, write_atomically
from deploy.local.process import lock
from deploy.local.process.log import tail
from deploy.local.process.ports import HOST
from deploy.local.process.process import Process
from deploy.local.progress import Progress
from deploy.local.servers import cassandra, cluster, mongodb, redis
from deploy.local.servers.server import KINDS, VARIABLE, Kind, Server

HEALTH_POLL_SECONDS = 0.1
# On a busy machine a first start of Cassandra has been seen to take half a minute.
SERVING_SECONDS = 120.0

ANSWERS: dict[Kind, Callable[[Server], bool]] = {
    "mongodb": lambda server: cluster.answers(server.port),
    "redis": lambda server: redis.answers(server.port),
    "cache": lambda server: redis.answers(server.port),
    "cassandra": lambda server: cassandra.answers(server.host, server.port),
}


@contextmanager
def changing(layout: Layout, progress: Progress) -> Iterator[None]:
    """Only one start or stop of a root at a time: others wait for it."""
    with lock.exclusive(
        layout.start_lock,
        note="",
        when_taken=lambda _: progress.say("stack", "another start or stop is under way, waiting for it"),
    ):
        yield


def serves(server: Server) -> bool:
    """Whether the server answers a client, which is more than that its process runs."""
    return ANSWERS[server.kind](server)


class Stack:
    """The description in `stack.json` together with the processes it speaks of."""

    def __init__(
        self,
        layout: Layout,
        servers: list[Server],
        *,
        served: dict[Kind, str],
        external: dict[Kind, str],
        variables: dict[str, str],
    ) -> None:
        self.layout = layout
        self.servers = servers
        self.served = served
        self.external = external
        self.variables = variables
        self._by_name = {server.name: server for server in servers}

    @classmethod
    def at(cls, root: Path) -> Self:
        """The stack of this root, which must have been started before."""
        layout = Layout(root.resolve())
        try:
            record = json.loads(layout.description.read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise StackError(
                f"there is no stack at {root}: start it with python -m deploy.local start --root {root}"
            ) from None
        servers = [
            Server(
                name=entry["name"],
                kind=entry["kind"],
                port=entry["port"],
                command=tuple(entry["command"]),
                environment=entry["environment"],
                # Not in what a launcher of an earlier version left behind, like the variables below.
                host=entry.get("host", HOST),
            )
            for entry in record["servers"]
        ]
        return cls(
            layout,
            servers,
            served=record["served"],
            external=record["external"],
            variables=record.get("variables", {}),
        )

    def save(self) -> None:
        record = {
            "served": self.served,
            "external": self.external,
            "variables": self.variables,
            "servers": [
                {
                    **asdict(server),
                    "pid_file": str(self.layout.pid_file(server.name)),
                    "log": str(self.layout.log_file(server.name)),
                }
                for server in self.servers
            ],
        }
        write_atomically(self.layout.description, json.dumps(record, indent=2, ensure_ascii=False) + "\n")

    # ------------------------------------------------------------ what there is

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._by_name)

    def is_external(self, kind: Kind) -> bool:
        """Whether this kind of server is not ours but named by a variable of the environment."""
        return kind in self.external

    def port_of(self, name: str) -> int:
        return self._server(name).port

    def members_of(self, replica_set: str) -> tuple[str, ...]:
        return mongodb.REPLICA_SETS[replica_set]

    def primary_of(self, replica_set: str) -> str:
        members = {self.port_of(name): name for name in self.members_of(replica_set)}
        port = cluster.primary_port(list(members))
        if port is None:
            raise StackError(f"{replica_set} has no primary at the moment")
        return members[port]

    def env(self) -> dict[str, str]:
        """The variables through which the gateway finds these servers."""
        addresses = {**self.served, **self.external}
        return {**{VARIABLE[kind]: addresses[kind] for kind in KINDS if kind in addresses}, **self.variables}

    def process(self, name: str) -> Process:
        return Process.of(self.layout, self._server(name).name)

    # ------------------------------------------------------------ one server

    def spawn(self, name: str) -> None:
        """Start the process without waiting for it to serve; nothing happens when it runs."""
        process = self.process(name)
        if process.identity:
            process.send(signal.SIGCONT)
            return
        server = self._server(name)
        (self.layout.data / name).mkdir(parents=True, exist_ok=True)
        if not Path(server.command[0]).exists():
            raise StackError(f"{server.command[0]} is gone: python -m deploy.local start finds or fetches it anew")
        process.spawn(server.command, {**os.environ, **server.environment})

    def await_serving(self, name: str, launch: Launch) -> None:
        """Return once the server answers; raise with the end of its log when it died or takes too long."""
        server, process = self._server(name), self.process(name)
        answered = launch.wait_for(lambda: process.identity is None or serves(server), seconds=SERVING_SECONDS)
        if process.identity is None:
            raise StackError(_failure(f"{name} died while starting", process.log))
        if not answered:
            raise StackError(_failure(f"{name} does not answer on port {server.port}", process.log))

    def start(self, name: str) -> None:
        """Start one server again on its port, and wait until it serves."""
        self.spawn(name)
        self.await_serving(name, Launch(Progress()))

    def kill(self, name: str) -> None:
        """SIGKILL, and wait until it is gone."""
        self.process(name).kill()

    def suspend(self, name: str) -> None:
        """SIGSTOP: the server keeps its connections but does nothing until `resume`."""
        self.process(name).send(signal.SIGSTOP)

    def resume(self, name: str) -> None:
        self.process(name).send(signal.SIGCONT)

    # ------------------------------------------------------------ all of them

    def is_healthy(self) -> bool:
        """Every server answers, every replica set has a primary and all its members."""
        if not all(self.process(name).identity for name in self.names):
            return False
        if not all(serves(server) for server in self.servers):
            return False
        if "config" not in self._by_name:
            return True
        sets = ([self.port_of(name) for name in members] for members in mongodb.REPLICA_SETS.values())
        return all(cluster.is_healthy(ports) for ports in sets)

    def wait_healthy(self, timeout: float = 60.0) -> None:
        deadline = time.monotonic() + timeout
        while not self.is_healthy():
            if time.monotonic() > deadline:
                silent = [server.name for server in self.servers if not serves(server)]
                raise StackError(
                    f"the stack is not healthy after {timeout:.0f} s; silent: {', '.join(silent) or 'none'}"
                )
            time.sleep(HEALTH_POLL_SECONDS)

    def _server(self, name: str) -> Server:
        try:
            return self._by_name[name]
        except KeyError:
            raise StackError(f"this stack runs no {name}; it runs {', '.join(self.names)}") from None


def _failure(what: str, log: Path) -> str:
    return (
        f"{what}. The end of {log}:\n"
        + "\n".join(f"    {line}" for line in tail(log))
        + "\nFix the cause and start again: what runs already is kept. If the data is beyond repair: make clean."
    )
