"""From spawned processes to serving ones, for each kind of server."""

from collections.abc import Callable
from functools import partial

from deploy.local.launch import Launch
from deploy.local.servers import cluster, mongodb
from deploy.local.servers.server import Kind
from deploy.local.start.stack import Stack


def bring_up(launch: Launch, stack: Stack) -> None:
    """Start what is missing and return once all of it serves."""
    launch.together(
        {kind: partial(STEPS[kind], launch, stack) for kind in STEPS if any(s.kind == kind for s in stack.servers)}
    )


def _mongodb(launch: Launch, stack: Stack) -> None:
    with launch.progress.step("mongodb", "2 shards × 3 members, config server, 2 mongos"):
        sets = {name: [stack.port_of(member) for member in members] for name, members in mongodb.REPLICA_SETS.items()}
        formed_before = (stack.layout.data / "config" / "WiredTiger").exists()
        for name in mongodb.NAMES:
            # A mongos started before its config servers are a replica set loses seconds in retries.
            if name not in mongodb.MONGOS or formed_before:
                stack.spawn(name)
        launch.together({name: partial(_form, launch, stack, name, sets[name]) for name in sets})
        for name in mongodb.MONGOS:
            stack.spawn(name)
        for name in mongodb.MONGOS:
            stack.await_serving(name, launch)
        shards = {name: sets[name] for name in mongodb.SHARDS}
        cluster.add_shards(launch, stack.port_of(mongodb.MONGOS[0]), shards)


def _form(launch: Launch, stack: Stack, replica_set: str, ports: list[int]) -> None:
    for name in mongodb.REPLICA_SETS[replica_set]:
        stack.await_serving(name, launch)
    cluster.form_replica_set(launch, replica_set, ports)


def _one(name: str, text: str, launch: Launch, stack: Stack) -> None:
    with launch.progress.step(name, text):
        stack.spawn(name)
        stack.await_serving(name, launch)


STEPS: dict[Kind, Callable[[Launch, Stack], None]] = {
    "mongodb": _mongodb,
    "redis": partial(_one, "redis", "one server"),
    "cache": partial(_one, "cache", "a second one, which forgets"),
    "cassandra": partial(_one, "cassandra", "one node"),
}
