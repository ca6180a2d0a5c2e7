"""`manage.py topology apply` as operators and deploy jobs run it: in processes, on every kind of server."""

import pytest
from pymongo import MongoClient
from pymongo.database import Database

from gateway.mongo import topology
from gateway.mongo.client import Document
from gateway.mongo.collections import Collection, declared_collections
from gateway.mongo.topology import TopologyError
from gateway.mongo.topology.tests.conftest import Addresses, TopologyCommand
from gateway.tests.samples.models import Basket, Gadget

SHARDED = ", ".join(name for name, declaration in declared_collections() if declaration.shard_key)


def test_dry_run_prints_the_plan_and_the_drift_and_changes_nothing(
    topology_command: TopologyCommand, scratch: Database[Document]
) -> None:
    scratch.geozones.create_index([("tried", 1)])
    dry = topology_command("apply", "--dry-run", database=scratch.name)
    output, errors = dry.communicate()
    assert dry.returncode == 1
    assert 'sample_baskets: shard by {owner: "hashed"}\n' in output
    assert f" to do in {scratch.name} (" in output
    assert output.endswith(
        "\ngeozones: index tried_1 differs\n"
        "  declared  no such index\n"
        "  found     {tried: 1}\n"
        '  cure      declare it, or db.geozones.dropIndex("tried_1")\n'
    )
    assert errors == "CommandError: the cluster differs from the declaration in 1 point; none of them was touched\n"
    assert scratch.list_collection_names() == ["geozones"]
    assert set(scratch.geozones.index_information()) == {"_id_", "tried_1"}


def test_two_deploys_at_once_leave_the_declared_topology(
    topology_command: TopologyCommand, scratch: Database[Document]
) -> None:
    jobs = [topology_command("apply", database=scratch.name) for _ in range(2)]
    outcomes = [(*job.communicate(), job.returncode) for job in jobs]
    assert [(errors, status) for _, errors, status in outcomes] == [("", 0), ("", 0)]
    plan = topology.plan(scratch)
    assert (plan.steps, plan.drifts) == ((), ())
    assert set(scratch.list_collection_names()) == {name for name, _ in declared_collections()}


def test_replica_set_gets_everything_but_sharding(topology_command: TopologyCommand, replica_set: str) -> None:
    first = topology_command("apply", database="shop", uri=replica_set)
    output, errors = first.communicate()
    assert (first.returncode, errors) == (0, "")
    assert f"not a sharded cluster: sharding is skipped for {SHARDED}\n" in output
    assert output.endswith(" done in shop (replica set plain)\n")
    with MongoClient[Document](replica_set) as client:
        assert set(client.shop.sample_baskets.index_information()) == {
            "_id_",
            "owner_1",
            "expires_at_1",
            "owner_hashed",
        }
        plan = topology.plan(client.shop)
    assert (plan.steps, plan.drifts) == ((), ())


def test_collection_from_a_replica_set_is_sharded_once_it_lives_in_a_cluster(scratch: Database[Document]) -> None:
    # Given what a run without sharding leaves: the collection and its indexes.
    for step in topology.plan(scratch, declarations={"gadgets": Gadget.collection}).steps[:2]:
        scratch.command(dict(step.command))
    plan = topology.apply(scratch, declarations={"gadgets": Gadget.collection})
    assert [step.text for step in plan.steps][:2] == ["shard by {category: 1, _id: 1}", 'split at {category: "m"}']
    assert topology.plan(scratch, declarations={"gadgets": Gadget.collection}).steps == ()


def test_standalone_server_gets_everything_but_sharding(guarded_standalone: Addresses) -> None:
    with MongoClient[Document](guarded_standalone("root")) as client:
        topology.apply(client.shop, declarations={"baskets": Basket.collection})
        plan = topology.plan(client.shop, declarations={"baskets": Basket.collection})
        indexes = set(client.shop.baskets.index_information())
    assert plan == topology.TopologyPlan(server="standalone", unsharded=("baskets",))
    assert indexes == {"_id_", "owner_1", "expires_at_1", "owner_hashed"}


def test_missing_privilege_is_named_in_one_line(guarded_standalone: Addresses) -> None:
    with MongoClient[Document](guarded_standalone("reader")) as client, pytest.raises(TopologyError) as refusal:
        topology.apply(client.elsewhere, declarations={"regions": Collection()})
    assert str(refusal.value) == (
        "elsewhere.regions: create the collection: this user lacks the privilege createCollection on "
        "elsewhere.regions; topology needs the roles clusterManager and clusterMonitor on admin, and readWrite on "
        "the database"
    )


def test_wrong_password_is_told_in_one_line(guarded_standalone: Addresses) -> None:
    with MongoClient[Document](guarded_standalone("nobody")) as client, pytest.raises(TopologyError) as refusal:
        topology.apply(client.shop, declarations={"regions": Collection()})
    assert str(refusal.value) == "reading the topology: MongoDB refused the user or the password in MONGODB_URI"


def test_server_away_is_told_in_one_line(topology_command: TopologyCommand) -> None:
    # Port 1 is reserved: nothing listens there.
    job = topology_command("apply", database="shop", uri="mongodb://127.0.0.1:1/", MONGODB_SERVER_SELECTION_MS="200")
    _, errors = job.communicate()
    assert job.returncode == 2
    assert errors == "CommandError: connecting: MongoDB does not answer: 127.0.0.1:1: [Errno 111] Connection refused\n"


def test_member_of_a_shard_is_refused(mongos: MongoClient[Document], shards: list[str]) -> None:
    shard = mongos.config.shards.find_one({"_id": shards[0]})
    assert shard
    name, members = shard["host"].split("/")
    with (
        MongoClient[Document](members.split(","), replicaSet=name) as member,
        pytest.raises(TopologyError) as refusal,
    ):
        topology.apply(member["topology_refused"], declarations={"regions": Collection()})
    assert str(refusal.value) == f"this server is a member of {shards[0]}: connect to a mongos of its cluster"
    assert "topology_refused" not in mongos.list_database_names()
