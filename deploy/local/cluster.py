"""From nine MongoDB processes to one sharded cluster. Every step looks first, so a half-made cluster is completed."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from pymongo import MongoClient
from pymongo.errors import OperationFailure, PyMongoError

from deploy.local.errors import StackError
from deploy.local.launch import Launch
from deploy.local.ports import HOST

Document = dict[str, Any]

ELECTION_SECONDS = 60.0
ALREADY_INITIALIZED = 23
# A failover in about two seconds instead of ten, so that tests of it stay short.
SETTINGS = {"electionTimeoutMillis": 2000, "heartbeatIntervalMillis": 500}


@contextmanager
def connect(port: int, *, seconds: float = 2.0) -> Iterator[MongoClient[Document]]:
    """A client of this one server, whatever its state."""
    milliseconds = int(seconds * 1000)
    client: MongoClient[Document] = MongoClient(
        HOST,
        port,
        directConnection=True,
        serverSelectionTimeoutMS=milliseconds,
        connectTimeoutMS=milliseconds,
        socketTimeoutMS=10_000,
    )
    with client:
        yield client


def answers(port: int) -> bool:
    try:
        with connect(port, seconds=1.0) as client:
            client.admin.command("ping")
    except PyMongoError:
        return False
    return True


def form_replica_set(launch: Launch, name: str, ports: list[int]) -> None:
    """Initiate the set unless a member knows it already, then wait until it has a primary."""
    hellos = [hello(port) for port in ports]
    if not any("setName" in reply for reply in hellos):
        _initiate(launch, name, ports)
    if not launch.wait_for(lambda: _has_primary(ports), seconds=ELECTION_SECONDS):
        raise StackError(f"the replica set {name} elected no primary within {ELECTION_SECONDS:.0f} s")


def add_shards(launch: Launch, router: int, shards: Mapping[str, list[int]]) -> None:
    """Make the cluster of `router` know each shard."""
    with connect(router, seconds=10.0) as client:
        known = {shard["_id"] for shard in client.admin.command("listShards")["shards"]}
        for name, ports in shards.items():
            launch.check()
            if name not in known:
                client.admin.command("addShard", f"{name}/" + ",".join(f"{HOST}:{port}" for port in ports), name=name)


def primary_port(ports: list[int]) -> int | None:
    """The port of the member that is primary now."""
    return next((port for port in ports if hello(port).get("isWritablePrimary")), None)


def is_healthy(ports: list[int]) -> bool:
    """One primary, and every other member a secondary."""
    replies = [hello(port) for port in ports]
    primaries = [reply for reply in replies if reply.get("isWritablePrimary")]
    return len(primaries) == 1 and all(reply.get("isWritablePrimary") or reply.get("secondary") for reply in replies)


def hello(port: int) -> Document:
    """What the server says about itself; empty when it does not answer."""
    try:
        with connect(port, seconds=1.0) as client:
            return client.admin.command("hello")
    except PyMongoError:
        return {}


def _initiate(launch: Launch, name: str, ports: list[int]) -> None:
    configuration: Document = {
        "_id": name,
        "members": [{"_id": index, "host": f"{HOST}:{port}"} for index, port in enumerate(ports)],
        "settings": SETTINGS,
    }
    if name == "config":
        configuration["configsvr"] = True

    failure: PyMongoError | None = None

    def initiated() -> bool:
        nonlocal failure
        try:
            with connect(ports[0]) as client:
                client.admin.command("replSetInitiate", configuration)
        except OperationFailure as error:
            failure = error
            return error.code == ALREADY_INITIALIZED
        except PyMongoError as error:
            failure = error
            return False
        return True

    if not launch.wait_for(initiated, seconds=ELECTION_SECONDS):
        raise StackError(f"the replica set {name} could not be initiated: {failure}") from failure


def _has_primary(ports: list[int]) -> bool:
    if primary_port(ports):
        return True
    # After a stop everybody waits out the election time-out: asking one to stand now saves two seconds.
    for port in ports:
        if hello(port).get("secondary"):
            try:
                with connect(port) as client:
                    client.admin.command("replSetStepUp")
            except PyMongoError:
                continue
            return True
    return False
