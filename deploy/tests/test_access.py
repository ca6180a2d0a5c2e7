"""The users that compose's jobs make, on real servers with authentication: enough for the shop, and no more."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from pymongo import MongoClient
from pymongo.errors import OperationFailure, PyMongoError
from redis import Redis
from redis.exceptions import AuthenticationError, NoPermissionError

from deploy.local.launch import Launch
from deploy.local.progress import Progress
from deploy.local.servers import mongodb, redis
from deploy.tests.descriptions import ROOT
from deploy.tests.secrets import Secrets, make_secrets
from deploy.tests.servers import running
from gateway.tests.redis_servers import free_port

INIT = ROOT / "deploy" / "compose" / "init"
DATABASE = "mobile_world"
UNAUTHORIZED = 13
Client = MongoClient[dict[str, Any]]

# A cluster of its own is started, and the gateway set up on it from nothing.
pytestmark = pytest.mark.timeout(300)


@dataclass(frozen=True)
class Shop:
    """Servers that know only the users of the secrets."""

    secrets: Secrets
    job: dict[str, str]
    """The environment of the job that makes the cluster and its users."""
    mongos: str
    redis_port: int
    said: str
    """What that job said the first time."""

    def mongodb_uri(self, user: str) -> str:
        passwords = {
            "gateway": self.secrets.values["MONGODB_PASSWORD"],
            "topology": self.secrets.values["MONGODB_TOPOLOGY_PASSWORD"],
        }
        return f"mongodb://{user}:{passwords[user]}@{self.mongos}/?authSource=admin"

    def redis(self, user: str, password: str) -> Redis:
        return Redis(port=self.redis_port, username=user, password=password, decode_responses=True)

    def run(self, *command: str, user: str = "gateway") -> str:
        """What a process of the gateway says, as this user of MongoDB."""
        environment = {
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "gateway.settings",
            "MONGODB_URI": self.mongodb_uri(user),
            "MONGODB_DATABASE": DATABASE,
            "REDIS_URL": f"redis://gateway:{self.secrets.values['REDIS_PASSWORD']}@127.0.0.1:{self.redis_port}/0",
            "CASSANDRA_CONTACT_POINTS": "",
        }
        return finished([sys.executable, *command], environment)


def finished(command: list[str], environment: Mapping[str, str]) -> str:
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def make_cluster(job: Mapping[str, str]) -> str:
    return finished([sys.executable, str(INIT / "mongodb_cluster.py")], {**os.environ, **job})


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shop]:
    directory = tmp_path_factory.mktemp("access")
    secrets = make_secrets(directory)
    key = directory / "mongodb.key"
    key.write_text((secrets.directory / "mongodb.key").read_text())
    key.chmod(0o400)
    launch = Launch(Progress())
    binaries, ports = mongodb.locate(launch), {name: free_port() for name in ("config", "shard1", "shard2", "mongos")}
    libraries = {"LD_LIBRARY_PATH": str(binaries.libraries)} if binaries.libraries else {}
    job = {
        "CONFIG_SERVERS": f"config/127.0.0.1:{ports['config']}",
        "SHARDS": f"shard1/127.0.0.1:{ports['shard1']} shard2/127.0.0.1:{ports['shard2']}",
        "MONGOS": f"127.0.0.1:{ports['mongos']}",
        "MONGODB_KEYFILE": str(secrets.directory / "mongodb.key"),
        "MONGODB_DATABASE": DATABASE,
        "MONGODB_PASSWORD": secrets.values["MONGODB_PASSWORD"],
        "MONGODB_TOPOLOGY_PASSWORD": secrets.values["MONGODB_TOPOLOGY_PASSWORD"],
    }
    with ExitStack() as servers:

        def start(name: str, *command: str, ready: Callable[[], bool] = lambda: True) -> None:
            log = directory / f"{name}.log"
            servers.enter_context(running(list(command), ready=ready, log=log, environment=libraries))

        for name in ("config", "shard1", "shard2"):
            (directory / name).mkdir()
            start(
                name,
                *(str(binaries.mongod), "--configsvr" if name == "config" else "--shardsvr", "--replSet", name),
                *("--port", str(ports[name]), "--bind_ip", "127.0.0.1", "--dbpath", str(directory / name)),
                *("--wiredTigerCacheSizeGB", "0.25", "--oplogSize", "64", "--keyFile", str(key)),
                *("--unixSocketPrefix", str(directory)),
            )
        start(
            "mongos",
            *(str(binaries.mongos), "--configdb", job["CONFIG_SERVERS"], "--port", str(ports["mongos"])),
            *("--bind_ip", "127.0.0.1", "--keyFile", str(key), "--unixSocketPrefix", str(directory)),
            # How soon it learns of a changed password: half a minute by default.
            *("--setParameter", "userCacheInvalidationIntervalSecs=1"),
        )
        redis_port = free_port()
        start(
            "redis",
            *(str(redis.locate(launch)), "--bind", "127.0.0.1", "--port", str(redis_port), "--save", ""),
            *("--aclfile", str(secrets.directory / "redis.acl"), "--dir", str(directory)),
            ready=lambda: redis.answers(redis_port),
        )
        shop = Shop(secrets, job, job["MONGOS"], redis_port, make_cluster(job))
        for command in (["topology", "apply"], ["migrate", "--noinput"], ["roles"]):
            shop.run("manage.py", *command, user="topology")
        yield shop


def test_job_makes_the_cluster_once_and_says_so(shop: Shop) -> None:
    again = make_cluster(shop.job)

    assert "shard1: initiated" in shop.said
    assert "user gateway on config: made" in shop.said
    assert "shard2: added" in shop.said
    assert again.splitlines() == [
        *(f"{name}: already initiated" for name in ("config", "shard1", "shard2")),
        "user gateway on config: up to date",
        "user topology on config: up to date",
        *(f"user gateway on {name}: up to date" for name in ("shard1", "shard2")),
        *(f"{name}: already a shard" for name in ("shard1", "shard2")),
    ]


def test_shop_works_with_the_rights_of_the_application(shop: Shop) -> None:
    assert shop.run("-m", "deploy.tests.purchase").splitlines() == [
        "bought new 1",
        "session kept",
        "lags [('shard1', 0.0), ('shard2', 0.0)]",
    ]


def admin(command: str, value: Any = 1, **options: Any) -> Callable[[Client], object]:
    return lambda client: client.admin.command(command, value, **options)


FORBIDDEN: dict[str, Callable[[Client], object]] = {
    "shard a collection": admin("shardCollection", f"{DATABASE}.mine", key={"_id": 1}),
    "move a chunk": admin("moveChunk", f"{DATABASE}.products", find={"category": "a", "_id": "a"}, to="shard1"),
    "add a shard": admin("addShard", "evil/127.0.0.1:1"),
    "remove a shard": admin("removeShard", "shard1"),
    "stop the balancer": admin("balancerStop"),
    "make a user": admin("createUser", "evil", pwd="evil", roles=["root"]),
    "drop a user": admin("dropUser", "topology"),
    "take a role": admin("grantRolesToUser", "gateway", roles=["root"]),
    "read the users": lambda client: client.admin["system.users"].find_one(),
    "write another database": lambda client: client["other"]["things"].insert_one({}),
    "drop another database": lambda client: client.drop_database("other"),
    "write the chunk tables": lambda client: client.config["chunks"].delete_many({}),
    "stop the server": admin("shutdown"),
}


@pytest.mark.parametrize("what", FORBIDDEN)
def test_application_may_not(shop: Shop, what: str) -> None:
    with Client(shop.mongodb_uri("gateway")) as client:
        with pytest.raises(OperationFailure) as refusal:
            FORBIDDEN[what](client)

        assert refusal.value.code == UNAUTHORIZED
        assert {shard["_id"] for shard in client.admin.command("listShards")["shards"]} == {"shard1", "shard2"}


def test_topology_may_shard_but_makes_no_users(shop: Shop) -> None:
    with Client(shop.mongodb_uri("topology")) as client:
        client.admin.command("shardCollection", f"{DATABASE}.tried", key={"_id": "hashed"})
        client[DATABASE].drop_collection("tried")
        for what in ("make a user", "drop a user", "take a role", "write another database"):
            with pytest.raises(OperationFailure) as refusal:
                FORBIDDEN[what](client)
            assert refusal.value.code == UNAUTHORIZED, what


def test_nobody_reads_without_a_password(shop: Shop) -> None:
    with Client(f"mongodb://{shop.mongos}/") as client, pytest.raises(OperationFailure) as refusal:
        client[DATABASE]["orders"].find_one()
    assert refusal.value.code == UNAUTHORIZED
    with Client(f"mongodb://gateway:wrong@{shop.mongos}/") as client, pytest.raises(OperationFailure):
        client[DATABASE]["orders"].find_one()


def test_changed_password_holds_after_the_job_has_run_again(shop: Shop) -> None:
    old, new = shop.mongodb_uri("topology"), "another-password"
    make_cluster({**shop.job, "MONGODB_TOPOLOGY_PASSWORD": new})
    try:
        with Client(old) as client, pytest.raises(PyMongoError):
            client.admin.command("listShards")
        with Client(f"mongodb://topology:{new}@{shop.mongos}/?authSource=admin") as client:
            assert len(client.admin.command("listShards")["shards"]) == 2
    finally:
        make_cluster(shop.job)


# ---------------------------------------------------------------- Redis


def test_redis_tells_a_stranger_only_that_it_lives(shop: Shop) -> None:
    stranger = Redis(port=shop.redis_port)

    assert stranger.ping() is True
    for forbidden in (("GET", "x"), ("SET", "x", "1"), ("CONFIG", "GET", "*"), ("ACL", "LIST"), ("INFO",)):
        with pytest.raises(NoPermissionError):
            stranger.execute_command(*forbidden)  # type: ignore[no-untyped-call]
    with pytest.raises(AuthenticationError):
        shop.redis("gateway", "wrong").ping()


def test_redis_lets_the_gateway_keep_data_but_not_administer(shop: Shop) -> None:
    gateway = shop.redis("gateway", shop.secrets.values["REDIS_PASSWORD"])

    assert gateway.set("some", "thing")
    assert gateway.eval("return redis.call('GET', KEYS[1])", 1, "some") == "thing"
    for forbidden in (
        ("CONFIG", "SET", "maxmemory", "1"),
        ("FLUSHALL",),
        ("ACL", "LIST"),
        ("SHUTDOWN",),
        ("KEYS", "*"),
    ):
        with pytest.raises(NoPermissionError):
            gateway.execute_command(*forbidden)  # type: ignore[no-untyped-call]
    assert gateway.get("some") == "thing"


def test_celery_works_with_the_rights_of_the_gateway(shop: Shop, tmp_path: Path) -> None:
    said = shop.run(
        "-c",
        "import os; os.environ['DJANGO_SETTINGS_MODULE'] = 'gateway.settings'; import django; django.setup()\n"
        "from celery.contrib.testing.worker import start_worker\n"
        "from gateway.celery import app\n"
        "with start_worker(app, pool='solo', perform_ping_check=False, shutdown_timeout=30):\n"
        "    replies = []\n"
        "    while not replies: replies = app.control.ping(timeout=2)\n"
        "    app.send_task('gateway.tasks.measure_replication_lag')\n"
        "    from gateway.redis.clients import redis_client\n"
        "    import time\n"
        "    while not redis_client().get('mongo:lag'): time.sleep(0.2)\n"
        "print(redis_client().get('mongo:lag'))\n",
    )

    assert said.splitlines()[-1] == '{"shard1": 0.0, "shard2": 0.0}'
