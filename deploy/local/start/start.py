"""Starting a whole stack: what is missing is started, what runs is kept, all kinds of server at the same time."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from deploy.local.errors import StackError, StartCancelledError
from deploy.local.fetch import disk
from deploy.local.launch import Launch
from deploy.local.layout import Layout, write_atomically
from deploy.local.process.ports import PortBook
from deploy.local.process.signals import uninterrupted
from deploy.local.servers import cassandra, cluster, mongodb, redis
from deploy.local.servers.server import KINDS, VARIABLE, Blueprint, Kind
from deploy.local.start.stack import Stack, changing
from deploy.local.start.stop import running_servers, stop_servers

PREPARE: dict[Kind, Callable[[Launch], Blueprint]] = {
    "mongodb": mongodb.prepare,
    "redis": redis.prepare,
    "cache": redis.prepare_cache,
    "cassandra": cassandra.prepare,
}


@dataclass(frozen=True)
class Started:
    stack: Stack
    # Whether nothing of it ran before.
    fresh: bool


def start(root: Path, launch: Launch) -> Started:
    layout = Layout(root.resolve())
    with changing(layout, launch.progress):
        before = Stack.at(layout.root) if layout.description.exists() else None
        external = _external(launch.environ, before)
        if before and before.external == external and before.is_healthy():
            missing = [kind for kind in _wanted(external) if kind not in before.served]
            # Another kind is missing only when an earlier version of the launcher started the rest.
            if set(missing) <= {"cassandra"}:
                launch.progress.say("stack", "already running" + "".join(f", without {kind}" for kind in missing))
                return Started(before, fresh=False)
        return _start(layout, launch, external)


def _start(layout: Layout, launch: Launch, external: dict[Kind, str]) -> Started:
    needed = disk.RESTART_BYTES if layout.data.exists() else disk.FIRST_START_BYTES
    disk.require(layout.root, needed, "start the servers")
    layout.create()
    running = running_servers(layout)
    stack = _plan(layout, launch, external, running)
    stop_servers(layout, running - set(stack.names))
    stack.save()
    try:
        _bring_up(launch, stack)
    except KeyboardInterrupt:
        with uninterrupted(), launch.progress.step("stack", "interrupted, what had been started is stopped"):
            stop_servers(layout, set(stack.names) - running)
        raise
    write_atomically(layout.environment, "".join(f"{name}={value}\n" for name, value in stack.env().items()))
    return Started(stack, fresh=not running)


def _plan(layout: Layout, launch: Launch, external: dict[Kind, str], running: set[str]) -> Stack:
    blueprints = launch.together({kind: partial(_prepare, launch, kind) for kind in _wanted(external)})
    if "cassandra" in running:
        running = {*running, *cassandra.PORTS}
    ports = PortBook(layout, running=running)
    parts = {kind: blueprint(layout, ports) for kind, blueprint in blueprints.items() if blueprint}
    ports.save()
    return Stack(
        layout,
        [server for part in parts.values() for server in part.servers],
        external=external,
        served={kind: part.address for kind, part in parts.items()},
        variables={name: value for part in parts.values() for name, value in part.variables.items()},
    )


def _prepare(launch: Launch, kind: Kind) -> Blueprint | None:
    try:
        return PREPARE[kind](launch)
    except StartCancelledError:
        raise
    except StackError as error:
        if kind != "cassandra":
            raise
        reason = " ".join(str(error).split())
        launch.progress.say("cassandra", f"not started, the shop works without it: {reason}")
        return None


def _wanted(external: Mapping[Kind, str]) -> list[Kind]:
    """The kinds to start. Whoever has a Redis elsewhere has the cache there too, unless they say where."""
    return [kind for kind in KINDS if kind not in external and not (kind == "cache" and "redis" in external)]


def _external(environ: Mapping[str, str], before: Stack | None) -> dict[Kind, str]:
    """The kinds that the user has elsewhere. Our own address, exported into the shell, is not elsewhere."""
    ours = before.served if before else {}
    given = {kind: environ.get(VARIABLE[kind], "") for kind in KINDS}
    return {kind: address for kind, address in given.items() if address and ours.get(kind) != address}


def _bring_up(launch: Launch, stack: Stack) -> None:
    """Start what is missing and return once all of it serves."""
    kinds = {server.kind for server in stack.servers}
    launch.together({kind: partial(BRING_UP[kind], launch, stack) for kind in BRING_UP if kind in kinds})


def _bring_up_mongodb(launch: Launch, stack: Stack) -> None:
    with launch.progress.step("mongodb", "2 shards × 3 members, config server, 2 mongos"):
        sets = {name: [stack.port_of(member) for member in members] for name, members in mongodb.REPLICA_SETS.items()}
        formed_before = (stack.layout.data / "config" / "WiredTiger").exists()
        for name in mongodb.NAMES:
            # A mongos started before its config servers are a replica set loses seconds in retries.
            if name not in mongodb.MONGOS or formed_before:
                stack.spawn(name)
        launch.together({name: partial(_form_replica_set, launch, stack, name, sets[name]) for name in sets})
        for name in mongodb.MONGOS:
            stack.spawn(name)
        for name in mongodb.MONGOS:
            stack.await_serving(name, launch)
        shards = {name: sets[name] for name in mongodb.SHARDS}
        cluster.add_shards(launch, stack.port_of(mongodb.MONGOS[0]), shards)


def _form_replica_set(launch: Launch, stack: Stack, replica_set: str, ports: list[int]) -> None:
    for name in mongodb.REPLICA_SETS[replica_set]:
        stack.await_serving(name, launch)
    cluster.form_replica_set(launch, replica_set, ports)


def _bring_up_one(name: str, text: str, launch: Launch, stack: Stack) -> None:
    with launch.progress.step(name, text):
        stack.spawn(name)
        stack.await_serving(name, launch)


BRING_UP: dict[Kind, Callable[[Launch, Stack], None]] = {
    "mongodb": _bring_up_mongodb,
    "redis": partial(_bring_up_one, "redis", "one server"),
    "cache": partial(_bring_up_one, "cache", "a second one, which forgets"),
    "cassandra": partial(_bring_up_one, "cassandra", "one node"),
}
