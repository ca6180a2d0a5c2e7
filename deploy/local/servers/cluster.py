"""From nine MongoDB processes to one sharded cluster. Every step looks first, so a half-made cluster is completed."""

from collections.abc import Callable, Mapping

from deploy.local.errors import StackError
from deploy.local.launch import Launch
from deploy.local.process.ports import HOST
from deploy.local.servers.wire import CommandFailedError, Document, command

ELECTION_SECONDS = 60.0
# Initiating a set and adding a shard wait for a majority of members.
COMMAND_SECONDS = 20.0
ALREADY_INITIALIZED = 23
# A failover in about two seconds instead of ten, so that tests of it stay short.
SETTINGS = {"electionTimeoutMillis": 2000, "heartbeatIntervalMillis": 500}


def hello(port: int) -> Document:
    """What the server says about itself; empty when it does not answer."""
    try:
        return command(port, {"hello": 1})
    except (OSError, CommandFailedError):
        return {}


def answers(port: int) -> bool:
    return bool(hello(port))


def primary_port(ports: list[int]) -> int | None:
    """The port of the member that is primary now."""
    return next((port for port in ports if hello(port).get("isWritablePrimary")), None)


def is_healthy(ports: list[int]) -> bool:
    """One primary, and every other member a secondary."""
    replies = [hello(port) for port in ports]
    primaries = [reply for reply in replies if reply.get("isWritablePrimary")]
    secondaries = [reply for reply in replies if reply.get("secondary")]
    return len(primaries) == 1 and len(secondaries) == len(ports) - 1


def form_replica_set(launch: Launch, name: str, ports: list[int]) -> None:
    """Initiate the set unless a member knows it already, then wait until it has a primary."""
    if not any("setName" in hello(port) for port in ports):
        _initiate(launch, name, ports)
    if not launch.wait_for(lambda: _find_or_elect_primary(ports), seconds=ELECTION_SECONDS):
        raise StackError(f"the replica set {name} elected no primary within {ELECTION_SECONDS:.0f} s")


def add_shards(launch: Launch, router: int, shards: Mapping[str, list[int]]) -> None:
    """Make the cluster of this mongos know each shard."""

    def add_missing() -> None:
        known = {shard["_id"] for shard in command(router, {"listShards": 1}, seconds=COMMAND_SECONDS)["shards"]}
        for name, ports in shards.items():
            if name not in known:
                members = ",".join(f"{HOST}:{port}" for port in ports)
                command(router, {"addShard": f"{name}/{members}", "name": name}, seconds=COMMAND_SECONDS)

    _insist(launch, add_missing, what="the shards could not be added to the cluster")


def _initiate(launch: Launch, name: str, ports: list[int]) -> None:
    configuration: Document = {
        "_id": name,
        "members": [{"_id": index, "host": f"{HOST}:{port}"} for index, port in enumerate(ports)],
        "settings": SETTINGS,
    }
    if name == "config":
        configuration["configsvr"] = True

    def initiate() -> None:
        try:
            command(ports[0], {"replSetInitiate": configuration}, seconds=COMMAND_SECONDS)
        except CommandFailedError as error:
            if error.code != ALREADY_INITIALIZED:
                raise

    _insist(launch, initiate, what=f"the replica set {name} could not be initiated")


def _insist(launch: Launch, attempt: Callable[[], None], *, what: str) -> None:
    """Repeat while members that have just started refuse."""
    refusals: list[str] = []

    def done() -> bool:
        try:
            attempt()
        except (OSError, CommandFailedError) as error:
            refusals.append(str(error))
            return False
        return True

    if not launch.wait_for(done, seconds=ELECTION_SECONDS):
        raise StackError(f"{what}: {refusals[-1]}")


def _find_or_elect_primary(ports: list[int]) -> bool:
    """Whether there is a primary; when there is none, a secondary is asked to stand for election."""
    if primary_port(ports):
        return True
    # After a stop everybody waits out the election time-out: asking a member to stand now saves two seconds.
    for port in ports:
        if hello(port).get("secondary"):
            try:
                command(port, {"replSetStepUp": 1}, seconds=5.0)
            except (OSError, CommandFailedError):
                continue
            return True
    return False
