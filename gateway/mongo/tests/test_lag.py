"""Replication lag: measured on the members, published in Redis, obeyed by the policies."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest
from pymongo import MongoClient, WriteConcern
from pymongo.collection import Collection
from pymongo.database import Database
from pymongo.read_preferences import SecondaryPreferred

from catalog.structure.geozones import all_geozones
from deploy.local.start.stack import Stack
from gateway.mongo import lag
from gateway.mongo.client import Document
from gateway.mongo.lag import LAG, LagBoard
from gateway.mongo.policies import STOCK_DISPLAY, Policy
from gateway.mongo.reads import Read, run
from gateway.mongo.routing import ROUTING
from gateway.mongo.tests.secondaries import frozen_secondaries, secondaries
from gateway.redis.clients import redis_client
from gateway.tests.eventually import eventually


@pytest.fixture
def board(database: Database[Document]) -> Iterator[LagBoard]:
    redis_client().delete(lag.KEY)
    yield LagBoard()
    redis_client().delete(lag.KEY)


def test_lag_of_every_shard_is_measured(database: Database[Document]) -> None:
    measured = lag.measure()
    while None in measured.values():  # a primary elected a moment ago, found again within the test's time-out
        time.sleep(0.5)
        measured = lag.measure()

    assert sorted(measured) == ["shard1", "shard2"]
    assert all(0 <= (seconds or 0.0) < 10 for seconds in measured.values())


def test_plain_replica_set_is_measured_too(database: Database[Document]) -> None:
    host = database.client.config.shards.find_one({"_id": "shard1"})["host"].partition("/")[2]  # type: ignore[index]

    replica_set: MongoClient[Document]
    with MongoClient(host.split(","), replicaSet="shard1") as replica_set:
        assert lag._lag_of(replica_set) is not None


def test_published_figures_are_read_per_shard_and_age(board: LagBoard) -> None:
    lag.publish({"shard1": 2.0, "shard2": 7.0})

    board.refresh()

    assert board.worst(frozenset({"shard1"})) == pytest.approx(2.0, abs=0.5)
    assert board.worst(frozenset({"shard1", "shard2"})) == pytest.approx(7.0, abs=0.5)
    assert board.worst(None) == pytest.approx(7.0, abs=0.5)
    time.sleep(1)
    # What was measured a second ago may be a second worse by now.
    assert board.worst(frozenset({"shard1"})) == pytest.approx(3.0, abs=0.5)


def test_shard_that_could_not_be_measured_makes_the_lag_unknown(board: LagBoard) -> None:
    lag.publish({"shard1": 2.0, "shard2": None})

    board.refresh()

    assert board.worst(frozenset({"shard1"})) == pytest.approx(2.0, abs=0.5)
    assert board.worst(frozenset({"shard2"})) is None
    assert board.worst(None) is None


def test_lag_is_unknown_when_nobody_measures(board: LagBoard) -> None:
    board.refresh()

    assert board.worst(None) is None
    assert board.worst(frozenset({"shard1"})) is None


def test_lag_is_unknown_without_redis_and_reads_go_on(board: LagBoard, stack: Stack) -> None:
    stack.kill("redis")
    try:
        board.refresh()

        assert board.worst(None) is None
        assert run(all_geozones()) == []
    finally:
        stack.start("redis")


def test_only_one_thread_asks_redis_while_others_use_what_is_remembered(board: LagBoard) -> None:
    lag.publish({"shard1": 1.0, "shard2": 1.0})
    board.refresh()
    with board._reading:
        threads = [threading.Thread(target=board.refresh) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(timeout=5)

    assert not any(thread.is_alive() for thread in threads)
    assert board.worst(None) == pytest.approx(1.0, abs=0.5)


@contextmanager
def measuring(geozones: Collection[Document]) -> Iterator[None]:
    """What beat and a worker do all the time, and a write each time so that the primary has something new."""
    stop = threading.Event()

    def measure() -> None:
        while not stop.wait(0.5):
            geozones.update_one({"_id": "msk"}, {"$inc": {"position": 1}})
            lag.publish(lag.measure())

    thread = threading.Thread(target=measure)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def reads_served_by_secondaries(stack: Stack, shard: str, read: Read[Any]) -> bool:
    """Told by the members' own counters over a number of reads that no other traffic reaches."""

    def queries() -> int:
        total = 0
        for name in secondaries(stack, shard):
            member: MongoClient[Document]
            with MongoClient("127.0.0.1", stack.port_of(name), directConnection=True) as member:
                total += member.admin.command("serverStatus")["opcounters"]["query"]
        return total

    before = queries()
    for _ in range(50):
        run(read)
    return queries() - before >= 50


def wait_for_lag(shard: str, condition: Callable[[float], bool]) -> None:
    """Until this process has read a figure that satisfies the condition; the test's time-out bounds it."""

    def known() -> bool:
        LAG.refresh()
        figure = LAG.worst(frozenset({shard}))
        return figure is not None and condition(figure)

    eventually(known, within=120)


@pytest.mark.timeout(120)
def test_lagging_secondaries_move_reads_to_the_primary_and_back(database: Database[Document], stack: Stack) -> None:
    # A write that waits for a majority would wait for the frozen secondaries.
    geozones = database.get_collection("geozones", write_concern=WriteConcern(w=1))
    geozones.insert_one({"_id": "msk", "name": "Москва", "position": 1})
    (home,) = ROUTING.shards_reached("geozones", {}) or {""}
    within_5_seconds = Read(collection="geozones", policy=STOCK_DISPLAY, where={}, result=len)
    within_15_seconds = replace(within_5_seconds, policy=Policy("patient", SecondaryPreferred(), 15))

    with measuring(geozones):
        wait_for_lag(home, lambda seconds: seconds < 4)
        assert reads_served_by_secondaries(stack, home, within_15_seconds)
        assert reads_served_by_secondaries(stack, home, within_5_seconds)

        with frozen_secondaries(stack, home):
            wait_for_lag(home, lambda seconds: seconds > 5.5)
            assert run(within_5_seconds) == 1  # at once, where a frozen secondary would never answer
            assert within_15_seconds.policy.preference_at(LAG.worst(frozenset({home}))) == SecondaryPreferred()
            wait_for_lag(home, lambda seconds: seconds > 15.5)
            assert run(within_15_seconds) == 1

        wait_for_lag(home, lambda seconds: seconds < 4)
        assert reads_served_by_secondaries(stack, home, within_15_seconds)
        assert reads_served_by_secondaries(stack, home, within_5_seconds)
