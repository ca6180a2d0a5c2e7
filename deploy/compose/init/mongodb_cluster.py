"""Makes a sharded cluster with users of the servers that docker-compose.yml starts.

Initiates the replica sets, makes the users, adds the shards. What is done already is left alone, and users get the
passwords and rights that are said here: it may run at every start, after a crash at any line, and to change a password.

It needs nothing but MongoDB's driver, and reads from the environment:

    CONFIG_SERVERS              config/config1:27019,…    the set's name and its members
    SHARDS                      shard1/shard1a:27018,… shard2/…    one such word per shard
    MONGOS                      mongos1:27017    where shards are added
    MONGODB_KEYFILE             the file by which the servers know each other, and this job to be one of them
    MONGODB_DATABASE            the shop's database
    MONGODB_PASSWORD            of the user `gateway`, for web, worker and beat
    MONGODB_TOPOLOGY_PASSWORD   of the user `topology`, for the set-up job alone
"""

import os
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from pymongo import MongoClient
from pymongo.errors import OperationFailure, PyMongoError

# A first start on a slow disk: nine mongod and two elections.
PATIENCE_SECONDS = 120.0
PAUSE_SECONDS = 0.5
# MongoDB's codes of errors.
NOT_YET_INITIALIZED = 94

Document = dict[str, Any]
T = TypeVar("T")


class NotReadyError(Exception):
    """To be asked again."""


@dataclass(frozen=True)
class ReplicaSet:
    name: str
    hosts: tuple[str, ...]

    @classmethod
    def parse(cls, text: str) -> "ReplicaSet":
        name, _, members = text.partition("/")
        return cls(name, tuple(members.split(",")))


@dataclass(frozen=True)
class Login:
    user: str
    password: str
    source: str

    def run(self, command: Document, *hosts: str, **options: Any) -> Document:
        with MongoClient[Document](
            list(hosts),
            username=self.user,
            password=self.password,
            authSource=self.source,
            authMechanism="SCRAM-SHA-256",
            serverSelectionTimeoutMS=2_000,
            **options,
        ) as client:
            return client.admin.command(command)

    def run_on_primary(self, command: Document, of: ReplicaSet) -> Document:
        return self.run(command, *of.hosts, replicaSet=of.name)


def insist(what: str, attempt: Callable[[], T]) -> T:
    """The first answer of `attempt`; a server that is not there yet is asked again."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            return attempt()
        except (PyMongoError, NotReadyError) as error:
            if time.monotonic() > deadline:
                raise SystemExit(f"{what}: not within {PATIENCE_SECONDS:.0f} s; last: {error}") from error
            time.sleep(PAUSE_SECONDS)


def initiate(server: Login, replica_set: ReplicaSet, *, configsvr: bool) -> None:
    first = replica_set.hosts[0]
    try:
        found = server.run({"replSetGetConfig": 1}, first, directConnection=True)
    except OperationFailure as error:
        if error.code != NOT_YET_INITIALIZED:
            raise
        members = [{"_id": number, "host": host} for number, host in enumerate(replica_set.hosts)]
        configuration: Document = {"_id": replica_set.name, "members": members}
        if configsvr:
            configuration["configsvr"] = True
        server.run({"replSetInitiate": configuration}, first, directConnection=True)
        say(f"{replica_set.name}: initiated with {', '.join(replica_set.hosts)}")
        return
    hosts = tuple(member["host"] for member in found["config"]["members"])
    if hosts != replica_set.hosts:
        raise SystemExit(f"{replica_set.name} has the members {', '.join(hosts)}: use rs.reconfig()")
    say(f"{replica_set.name}: already initiated")


def await_primary(server: Login, replica_set: ReplicaSet) -> None:
    if not server.run_on_primary({"hello": 1}, replica_set).get("isWritablePrimary"):
        raise NotReadyError("no primary yet")


def add_shard(topology: Login, mongos: str, shard: ReplicaSet) -> None:
    known = {found["_id"] for found in topology.run({"listShards": 1}, mongos)["shards"]}
    if shard.name in known:
        say(f"{shard.name}: already a shard")
        return
    topology.run({"addShard": f"{shard.name}/{','.join(shard.hosts)}", "name": shard.name}, mongos)
    say(f"{shard.name}: added")


def ensure_user(server: Login, on: ReplicaSet, name: str, password: str, roles: list[Document]) -> None:
    """Make the user, or give it this password and exactly these rights."""
    known = server.run_on_primary({"usersInfo": name}, on)["users"]
    server.run_on_primary({"updateUser" if known else "createUser": name, "pwd": password, "roles": roles}, on)
    say(f"user {name} on {on.name}: {'up to date' if known else 'made'}")


def ensure_users(
    server: Login, config: ReplicaSet, shards: list[ReplicaSet], *, database: str, gateway: str, topology: str
) -> None:
    """Users of the whole cluster live on its config servers."""
    monitor = {"role": "clusterMonitor", "db": "admin"}
    application = [{"role": "readWrite", "db": database}, monitor]
    ensure_user(server, config, "gateway", gateway, application)
    ensure_user(server, config, "topology", topology, [*application, {"role": "clusterManager", "db": "admin"}])
    for shard in shards:
        # The lag is measured by asking the shards themselves, and they do not know the users of the cluster.
        ensure_user(server, shard, "gateway", gateway, [monitor])


def main(environment: Mapping[str, str]) -> None:
    key = "".join(Path(environment["MONGODB_KEYFILE"]).read_text(encoding="ascii").split())
    # Whoever holds the key is one of the servers; a mongos takes none of them for a user.
    server = Login("__system", key, "local")
    topology = Login("topology", environment["MONGODB_TOPOLOGY_PASSWORD"], "admin")
    config = ReplicaSet.parse(environment["CONFIG_SERVERS"])
    shards = [ReplicaSet.parse(word) for word in environment["SHARDS"].split()]
    mongos = environment["MONGOS"]
    for replica_set in (config, *shards):
        insist(replica_set.name, partial(initiate, server, replica_set, configsvr=replica_set is config))
    for replica_set in (config, *shards):
        insist(f"a primary of {replica_set.name}", partial(await_primary, server, replica_set))
    users = partial(ensure_users, server, config, shards, database=environment["MONGODB_DATABASE"])
    insist("users", partial(users, gateway=environment["MONGODB_PASSWORD"], topology=topology.password))
    # mongos serves only once the config servers have a primary, and learns of a new password within half a minute.
    for shard in shards:
        insist(shard.name, partial(add_shard, topology, mongos, shard))


def say(what: str) -> None:
    sys.stdout.write(f"{what}\n")


if __name__ == "__main__":
    main(os.environ)
