"""The complete stack, once: everything is killed and comes back."""

import os

import pytest
from pymongo import MongoClient

from deploy.local.start.stack import Stack
from deploy.local.tests.conftest import Launcher

SERVERS = (
    *("config", "shard1-1", "shard1-2", "shard1-3", "shard2-1", "shard2-2", "shard2-3", "mongos-1", "mongos-2"),
    *("redis", "cache", "cassandra"),
)


@pytest.mark.timeout(240)
def test_a_cluster_killed_as_a_whole_recovers_with_its_data(launcher: Launcher) -> None:
    status, output = launcher("start")
    assert status == 0, output
    stack = Stack.at(launcher.root)
    assert stack.names == SERVERS
    assert stack.members_of("shard1") == ("shard1-1", "shard1-2", "shard1-3")
    with MongoClient[dict[str, object]](stack.env()["MONGODB_URI"]) as client:
        assert [shard["_id"] for shard in client.admin.command("listShards")["shards"]] == ["shard1", "shard2"]
        client.admin.command("shardCollection", "shop.orders", key={"owner": "hashed"})
        client.shop.orders.insert_many([{"owner": f"u:{number}"} for number in range(100)])

    for name in stack.names:
        stack.kill(name)
    assert [name for name in stack.names if stack.process(name).identity] == []
    status, output = launcher("start")
    assert status == 0, output

    stack.wait_healthy(timeout=30)
    assert stack.primary_of("shard1") in stack.members_of("shard1")
    with MongoClient[dict[str, object]](stack.env()["MONGODB_URI"]) as client:
        assert client.shop.orders.count_documents({}) == 100

    untouched = {name: stack.process(name).identity for name in stack.names if name != "shard2-2"}
    stack.kill("shard2-2")
    os.truncate(launcher.layout.pid_file("mongos-1"), 0)
    assert launcher("start")[0] == 0
    assert {name: stack.process(name).identity for name in untouched} == untouched
    assert stack.process("shard2-2").identity

    status, output = launcher("stop")
    assert status == 0, output
    assert "killed" not in output
    assert [name for name in stack.names if stack.process(name).identity] == []
