"""A backlog dealt out to workers: side by side, each document in one hand, orders first, whoever is killed."""

import json
from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from cassandra.query import BatchStatement
from pymongo.database import Database

from cart.tests.shop import CUSTOMER, fill, sell
from gateway.cassandra import partition_stats
from gateway.cassandra.driver.session import CONNECTOR
from gateway.mongo.client import Document
from gateway.mongo.commands import COMMANDS, Sent
from gateway.redis.clients import redis_client
from gateway.sync import shares
from gateway.sync.backlog import backlogs
from gateway.sync.copy import copy_documents
from gateway.sync.declarations import Synced
from gateway.sync.sweep import sweep
from gateway.tests.eventually import eventually
from gateway.tests.races import at_once, just_before, paused_process
from ordering.tests.shop import buy, buyer

pytestmark = pytest.mark.usefixtures("patient")

AT_ONCE = timedelta(seconds=-1)
WORK = "from datetime import timedelta; from gateway.sync.shares import work; work(0, '{}', grace=timedelta(-1))"


@pytest.fixture(autouse=True)
def empty_hands(orders: Database[Document]) -> Iterator[None]:
    forget()
    yield
    forget()


@pytest.fixture
def small_shares(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shares, "SHARE", 2)


def forget() -> None:
    """Nothing is queued, dealt or in anybody's hands."""
    if keys := list(redis_client().scan_iter("sync:*")):
        redis_client().delete(*keys)


def held(number: int) -> Any:
    """What Redis says of the hand."""
    found = redis_client().get(f"sync:hand:{number}")
    return json.loads(str(found)) if found else None


def dealt() -> list[list[str]]:
    """The ids of the products in each share that waits."""
    waiting = redis_client().lrange("sync:shares:products", 0, -1)
    return [[id_ for _, id_ in json.loads(str(share))] for share in waiting]


def begin() -> None:
    """Deal what is due and give each hand a holder, whose tasks no worker of this test takes."""
    shares.start(shares.deal_all(grace=AT_ONCE))


def work(number: int) -> int:
    return shares.work(number, held(number)["holder"], grace=AT_ONCE)


def sold(number: int) -> None:
    """An order of another buyer, which waits to be copied."""
    fill(buyer(number), ("PROD-1", 1))
    buy(buyer(number))


def owed(shop: Database[Document], collection: str) -> set[str]:
    return {document["_id"] for document in shop[collection].find({"unsynced": {"$exists": True}}, ["_id"])}


def test_shares_are_neighbours_by_shard_key_and_each_document_is_in_one(
    orders: Database[Document], small_shares: None
) -> None:
    sell("PROD-4", Decimal("100.00"))

    assert shares.deal_all(grace=AT_ONCE) == 2

    assert dealt() == [["PROD-1", "PROD-3"], ["PROD-4", "PROD-2"]], "audio, then video"
    assert shares.deal_all(grace=AT_ONCE) == 2, "they still wait: nothing is dealt twice"


def test_workers_at_once_copy_different_shares(orders: Database[Document], small_shares: None) -> None:
    sell("PROD-4", Decimal("100.00"))
    begin()

    assert at_once(lambda: work(0), lambda: work(1)) == [2, 2]

    assert owed(orders, "products") == set()
    assert dealt() == []


def test_what_is_in_one_hand_is_not_dealt_to_another(
    orders: Database[Document], small_shares: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin()
    redis_client().rpop("sync:shares:products")
    dealt_meanwhile: list[list[str]] = []

    def deal_again() -> None:
        shares.deal_all(grace=AT_ONCE)
        dealt_meanwhile.extend(dealt())

    just_before(monkeypatch, shares, "copy_documents", deal_again)
    assert work(0) == 2

    assert dealt_meanwhile == [["PROD-2"]], "the share that was lost, not the one in the hand"


def test_same_share_in_two_hands_is_copied_twice_to_the_same_end(
    orders: Database[Document], monkeypatch: pytest.MonkeyPatch
) -> None:
    begin()
    rival: list[int] = []

    def copy_too() -> None:
        # As if the lease had ended while its holder slept.
        redis_client().delete("sync:hand:0")
        begin()
        rival.append(work(0))

    just_before(monkeypatch, shares, "copy_documents", copy_too)
    holder = held(0)["holder"]

    assert shares.work(0, holder, grace=AT_ONCE) == 3
    assert rival == [3]
    assert owed(orders, "products") == set()
    after = orders["products"].find()
    assert all(product["synced_version"] == product["version"] for product in after)


def test_worker_that_comes_late_leaves_the_hand_to_its_holder(orders: Database[Document]) -> None:
    begin()

    assert shares.work(0, "an earlier one", grace=AT_ONCE) == 0

    assert owed(orders, "products") == {"PROD-1", "PROD-2", "PROD-3"}
    assert work(0) == 3


def test_killed_worker_keeps_its_share_for_a_lease_and_no_other_waits_for_it(
    orders: Database[Document], small_shares: None
) -> None:
    begin()

    with paused_process(
        orders, WORK.format(held(0)["holder"]), command="update", collection="products", number=2
    ) as worker:
        worker.kill()
        worker.wait()

    assert owed(orders, "products") == {"PROD-1", "PROD-2", "PROD-3"}
    assert work(1) == 1
    assert shares.deal_all(grace=AT_ONCE) == 0, "what is left is in the dead one's hand"
    assert 0 < redis_client().ttl("sync:hand:0") <= shares.LEASE_SECONDS
    redis_client().delete("sync:hand:0", "sync:hand:1")
    begin()
    assert work(0) == 2
    assert owed(orders, "products") == set()


def test_orders_are_copied_before_products_queued_or_dealt(
    orders: Database[Document], small_shares: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(CUSTOMER, ("PROD-1", 1))
    buy(CUSTOMER)
    forget()
    begin()

    assert work(0) == 1
    assert (len(owed(orders, "orders")), len(owed(orders, "products"))) == (0, 3)

    owed_then: list[set[str]] = []
    fill(CUSTOMER, ("PROD-1", 1))
    buy(CUSTOMER)
    assert redis_client().scard("sync:orders") == 1
    just_before(monkeypatch, shares, "copy_documents", lambda: owed_then.append(owed(orders, "orders")))
    assert work(0) == 2
    assert owed_then == [set()], "it was queued, and copied before the products of the share"


def test_orders_that_come_while_a_share_is_copied_do_not_wait_for_its_end(
    orders: Database[Document], monkeypatch: pytest.MonkeyPatch
) -> None:
    begin()
    monkeypatch.setattr(shares, "STEP", 1)
    sold(1)
    steps: list[tuple[int, int]] = []

    def copy_and_sell(synced: Synced, documents: Sequence[Document]) -> int:
        steps.append((len(documents), len(owed(orders, "orders"))))
        copied = copy_documents(synced, documents)
        sold(len(steps) + 1)
        return copied

    monkeypatch.setattr(shares, "copy_documents", copy_and_sell)
    assert work(0) == 3

    assert steps == [(1, 0), (1, 0), (1, 0)], "one product at a time, and never while an order is owed"


def test_share_of_what_somebody_has_copied_meanwhile_writes_nothing_and_the_hand_goes_on(
    orders: Database[Document], small_shares: None
) -> None:
    begin()
    orders["products"].update_many({"category": "audio"}, {"$unset": {"unsynced": ""}})

    assert work(0) == 0
    assert orders["products"].count_documents({"category": "audio", "synced_version": 0}) == 2
    assert work(0) == 1


def test_nothing_left_opens_the_hand(orders: Database[Document]) -> None:
    begin()
    work(0)

    assert work(0) == 0

    assert held(0) is None


def test_sweep_engages_workers_until_nothing_is_owed(
    orders: Database[Document], run_worker: Callable[..., Path]
) -> None:
    long_ago = [{"$set": {"unsynced.due": {"$subtract": ["$unsynced.due", 60_000]}}}]
    orders["products"].update_many({}, long_ago)
    run_worker("--concurrency", "2")

    sweep()

    eventually(lambda: [each.documents for each in backlogs()] == [0, 0], within=60)
    eventually(lambda: (held(0), held(1)) == (None, None), within=60)


def test_share_costs_two_updates_and_rows_of_neighbours_travel_together(orders: Database[Document]) -> None:
    for number in range(10, 20):
        sell(f"PROD-{number}", Decimal("100.00"), msk=5)
    orders["products"].update_many({"_id": {"$in": ["PROD-1", "PROD-2", "PROD-3"]}}, {"$unset": {"unsynced": ""}})
    begin()
    sent: list[Any] = []
    session = CONNECTOR.connection().session
    session.add_request_init_listener(sent.append)
    partition_stats.PACE.pause_since(0.0)

    with COMMANDS.counted() as commands:
        assert work(0) == 10

    session.remove_request_init_listener(sent.append)
    partition_stats.PACE.forget()
    assert {each: number for each, number in commands.items() if each.collection == "products"} == {
        Sent("find", "products", "sync", 1): 1,
        Sent("update", "products", "sync", 1): 2,
    }
    batches = [len(request.query) for request in sent if isinstance(request.query, BatchStatement)]
    assert sorted(batches) == [*[3] * 10, 10, 10], "card and stock of each, and the rows of two regions"
