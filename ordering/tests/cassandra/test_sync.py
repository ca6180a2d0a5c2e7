"""Orders in Cassandra: every version arrives, in every table, and nothing that is older undoes it."""

import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any, cast

import pytest
from bson import Decimal128
from django.test import override_settings
from pymongo import WriteConcern
from pymongo.database import Database

from cart.tests.shop import CUSTOMER, GUEST, fill, sell
from deploy.local.start.stack import Stack
from gateway.cassandra.driver.circuit import CIRCUIT
from gateway.cassandra.driver.session import CONNECTOR
from gateway.cassandra.partition_stats import PARTITION_STATS, TRUSTED, buckets_of, largest, measure
from gateway.cassandra.reads import first, read
from gateway.cassandra.statements import Consistency, Select, Write
from gateway.cassandra.table import Table
from gateway.cassandra.writes import write
from gateway.mongo.client import Document
from gateway.mongo.commands import COMMANDS, Sent
from gateway.mongo.routing import ROUTING
from gateway.mongo.tests.elections import step_down
from gateway.mongo.tests.secondaries import frozen_secondaries
from gateway.redis.clients import redis_client
from gateway.sync import copy, queue
from gateway.sync.backlog import backlog, failing
from gateway.sync.copy import copy_documents
from gateway.sync.marks import CHANGED
from gateway.sync.sweep import due, sweep_all
from gateway.tests.eventually import eventually
from gateway.tests.races import just_before, paused_process
from ordering.cassandra.rows import day_of, events_of, month_of, order_of_history, order_of_state, rows_of
from ordering.cassandra.sync import SYNCED, sync_order_soon
from ordering.cassandra.tables import (
    ORDER_EVENTS_BY_ID,
    ORDER_HISTORY_BY_REGION,
    ORDER_STATE_BY_ID,
    ORDERS_BY_PERIOD,
    ORDERS_BY_USER,
)
from ordering.documents import OrderDocument
from ordering.events import BY_PAYMENT_SYSTEM
from ordering.ledger.ledger import RefundLine
from ordering.ledger.references import Reference
from ordering.lifecycle.claim import claim_orders
from ordering.lifecycle.geozone import move_to_geozone
from ordering.lifecycle.moves import move_order
from ordering.lifecycle.transitions import Who
from ordering.models import OrderStatus
from ordering.payments.payments import IncomingMoney, receive_payment
from ordering.payments.refunds import Refunding, refund_order
from ordering.tests.shop import buy, buyer
from ordering.tests.staff import ANNA

# What is owed, and what stands in tables of its own.
NOT_COPIED = {"events", "letters", "mail_due", "stock_due", "synced_version"}


@pytest.fixture(autouse=True)
def patient() -> Iterator[None]:
    with override_settings(CASSANDRA_CONNECT_TIMEOUT=20.0, CASSANDRA_REQUEST_TIMEOUT=20.0):
        CONNECTOR.close()
        yield
        CONNECTOR.close()


@pytest.fixture(autouse=True)
def no_buckets_of_earlier_tests(patient: None, cluster: None) -> None:
    TRUSTED.forget()
    write([PARTITION_STATS.delete({"table_name": ORDERS_BY_PERIOD.name})])


def bought(owner: str = CUSTOMER) -> OrderDocument:
    fill(owner, ("PROD-1", 2))
    return buy(owner).order


def stored(database: Database[Document], order: OrderDocument) -> OrderDocument:
    found = database["orders"].find_one({"_id": order["_id"]})
    assert found is not None
    return cast("OrderDocument", found)


def found_rows(table: Table, order: OrderDocument) -> list[dict[str, Any]]:
    """The rows of one order in one table, wherever the order says they are."""
    by_key = {
        "orders_by_user": ("owner = ? AND month = ?", (order["owner"], month_of(order))),
        "order_months_by_user": ("owner = ?", (order["owner"],)),
        "order_state_by_id": ("order_id = ?", (order["_id"],)),
        "order_events_by_id": ("order_id = ?", (order["_id"],)),
        "order_history_by_region": ("region = ? AND day = ?", (order["geozone"], day_of(order))),
        "orders_by_period": ("day = ? AND bucket = ?", (day_of(order), order.get("period_bucket"))),
    }
    where, values = by_key[table.name]
    rows = read(table.select(where, *values))
    return [row for row in rows if row.get("order_id", order["_id"]) == order["_id"]]


def _in_order(row: dict[str, Any]) -> Any:
    return row.get("position", 0)


def assert_in_step(database: Database[Document], order: OrderDocument) -> OrderDocument:
    """Every row that the order makes is there, exactly, and no other of this order."""
    now = stored(database, order)
    assert now["synced_version"] == now["version"]
    assert "unsynced" not in now
    for table in SYNCED.tables:
        expected = [row for of, row in rows_of(now) if of is table]
        found = found_rows(table, now)
        assert sorted(found, key=_in_order) == sorted(expected, key=_in_order)
    return now


def swept() -> int:
    """The orders that a sweep would find and copy."""
    return copy_documents(SYNCED, due(SYNCED, before=datetime.now(UTC) + timedelta(seconds=1)))


def put_in_step(database: Database[Document], *orders: OrderDocument) -> None:
    copy_documents(SYNCED, [stored(database, order) for order in orders])


def pay(order: OrderDocument) -> None:
    receive_payment(order["_id"], IncomingMoney(Decimal("7980.00"), Reference("pay-1"), "webhook", BY_PAYMENT_SYSTEM))


def test_new_order_is_owed_and_the_sweep_brings_it_to_every_table(orders: Database[Document]) -> None:
    order = stored(orders, bought())

    assert (order["version"], order["synced_version"]) == (1, 0)
    assert order["unsynced"] == {"since": order["created_at"], "due": order["created_at"]}
    assert sweep_all(grace=timedelta(seconds=-1)) == 4, "three products and the order"
    assert_in_step(orders, order)


def test_rows_make_the_document_again(orders: Database[Document]) -> None:
    order = bought()
    pay(order)
    one = (RefundLine("PROD-1", 1),)
    refund_order(order["_id"], Refunding(one, "передумал", Reference("ref-1"), None, ANNA))
    swept()

    now = assert_in_step(orders, order)

    (state,) = found_rows(ORDER_STATE_BY_ID, now)
    (history,) = found_rows(ORDERS_BY_USER, now)
    facts = {name: value for name, value in now.items() if name not in NOT_COPIED}
    assert order_of_state(state) == order_of_history(history) == facts
    assert events_of(found_rows(ORDER_EVENTS_BY_ID, now)) == now["events"]


def test_every_move_is_owed_again_and_arrives(orders: Database[Document]) -> None:
    order = bought()
    swept()

    for move in (
        lambda: pay(order),
        lambda: move_order(order["_id"], OrderStatus.PROCESSING, who=Who.STAFF, actor=ANNA),
    ):
        move()
        assert stored(orders, order)["unsynced"].keys() == {"since", "due"}
        assert swept() == 1
        assert_in_step(orders, order)


def test_claimed_order_leaves_no_row_with_the_guest(orders: Database[Document]) -> None:
    order = bought(GUEST)
    put_in_step(orders, order)
    as_guest = stored(orders, order)

    claim_orders(GUEST, CUSTOMER)
    assert swept() == 1

    assert_in_step(orders, order)
    assert found_rows(ORDERS_BY_USER, as_guest) == []


def test_order_that_moved_to_another_geozone_is_counted_there_alone(orders: Database[Document]) -> None:
    order = bought()
    orders["products"].update_many({}, {"$push": {"stock": {"geozone": "spb", "quantity": 9, "reserved": 0}}})
    swept()
    in_moscow = stored(orders, order)

    move_to_geozone(order["_id"], "spb", reason="ближе", actor=ANNA)
    swept()

    in_petersburg = assert_in_step(orders, order)
    assert found_rows(ORDER_HISTORY_BY_REGION, in_moscow) == []

    move_to_geozone(order["_id"], "msk", reason="передумал", actor=ANNA)
    swept()

    assert_in_step(orders, order)
    assert found_rows(ORDER_HISTORY_BY_REGION, in_petersburg) == []


def test_copy_of_an_older_version_that_comes_late_changes_nothing(orders: Database[Document]) -> None:
    order = bought(GUEST)
    read_before = stored(orders, order) | {"period_bucket": 0}
    claim_orders(GUEST, CUSTOMER)
    pay(order)
    swept()
    now = assert_in_step(orders, order)

    write(list(SYNCED.writes(read_before)))

    assert stored(orders, order) == now
    assert_in_step(orders, order)
    assert found_rows(ORDERS_BY_USER, read_before) == []


def test_change_while_it_is_copied_stays_owed(orders: Database[Document]) -> None:
    order = bought()
    read_before = stored(orders, order)

    def change_meanwhile(document: OrderDocument) -> list[Write]:
        pay(document)
        return list(SYNCED.writes(document))

    assert copy_documents(replace(SYNCED, writes=change_meanwhile), [read_before]) == 1

    now = stored(orders, order)
    assert (now["synced_version"], now["version"]) == (1, 2)
    assert now["unsynced"].keys() == {"since", "due"}
    assert swept() == 1
    assert_in_step(orders, order)


def test_many_copying_and_changing_at_once_end_in_step(orders: Database[Document]) -> None:
    sell("PROD-1", Decimal("3990.00"), msk=100)
    bought_now = [bought(buyer(number)) for number in range(6)]

    def copy_all() -> None:
        for _ in range(6):
            copy_documents(SYNCED, [stored(orders, order) for order in bought_now])

    with ThreadPoolExecutor(max_workers=6) as pool:
        running = [pool.submit(copy_all) for _ in range(3)]
        running += [pool.submit(pay, order) for order in bought_now]
        for each in running:
            each.result()

    swept()
    for order in bought_now:
        assert assert_in_step(orders, order)["status"] == "paid"


def test_version_that_an_election_could_take_back_is_not_copied(orders: Database[Document], stack: Stack) -> None:
    order = bought()
    put_in_step(orders, order)
    (shard,) = ROUTING.shards_reached("orders", {"owner": order["owner"]}) or {""}

    with frozen_secondaries(stack, shard):
        # On the primary alone, and gone should it die now.
        unsure = orders.get_collection("orders", write_concern=WriteConcern(w=1))
        unsure.update_one({"owner": order["owner"], "_id": order["_id"]}, [{"$set": {"status": "paid", **CHANGED}}])
        assert stored(orders, order)["version"] == 2
        assert [found["version"] for found in SYNCED.find([SYNCED.key_of(order)])] == [1]
        assert swept() == 0

    eventually(lambda: swept() == 1)
    assert assert_in_step(orders, order)["version"] == 2


def test_primary_that_changes_just_before_the_mark_leaves_nothing_owed(
    orders: Database[Document], stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    order = bought()
    (shard,) = ROUTING.shards_reached("orders", {"owner": order["owner"]}) or {""}
    just_before(monkeypatch, copy, "_mark", lambda: step_down(stack, shard))

    assert copy_documents(SYNCED, [stored(orders, order)]) == 1

    assert "unsynced" not in stored(orders, order)
    assert_in_step(orders, order)


@pytest.mark.parametrize(
    ("number", "step"), [(1, "placing"), (2, "marking")], ids=["before the rows", "after the rows"]
)
def test_process_killed_while_it_copies_leaves_the_order_owed(
    orders: Database[Document], number: int, step: str
) -> None:
    order = bought()
    code = "from datetime import timedelta; from gateway.sync.sweep import sweep_all; sweep_all(grace=timedelta(-1))"

    with paused_process(orders, code, command="update", collection="orders", number=number) as process:
        process.kill()
        process.wait()

    assert stored(orders, order)["synced_version"] == 0
    assert len(found_rows(ORDER_STATE_BY_ID, order)) == (1 if step == "marking" else 0)
    assert swept() == 1
    assert_in_step(orders, order)


def test_order_stays_owed_while_cassandra_is_away_and_is_copied_when_it_is_back(orders: Database[Document]) -> None:
    order = bought()
    before = stored(orders, order)

    with override_settings(CASSANDRA_CONTACT_POINTS=["127.0.0.1:1"], CASSANDRA_CONNECT_TIMEOUT=1.0):
        CONNECTOR.close()
        assert sweep_all(grace=timedelta(seconds=-1)) == 0
        CONNECTOR.close()
    CIRCUIT.reset()

    assert stored(orders, order) == before
    assert swept() == 1
    assert_in_step(orders, order)


def test_order_that_cannot_be_copied_waits_longer_each_time_and_keeps_no_other_waiting(
    orders: Database[Document],
) -> None:
    broken, sound = bought(), bought(buyer(2))
    orders["orders"].update_one({"_id": broken["_id"]}, {"$set": {"total": "many"}})

    assert swept() == 1

    assert_in_step(orders, sound)
    first_pause = stored(orders, broken)["unsynced"]
    assert (first_pause["failures"], first_pause["error"]) == (
        1,
        "AttributeError: 'str' object has no attribute 'to_decimal'",
    )
    assert first_pause["due"] - first_pause["since"] >= timedelta(seconds=10)
    assert [(each.collection, each.id, each.failures) for each in failing()] == [("orders", broken["_id"], 1)]
    assert backlog(SYNCED)[:2] == ("orders", 1)
    assert swept() == 0

    copy_documents(SYNCED, [stored(orders, broken)])
    second_pause = stored(orders, broken)["unsynced"]
    assert second_pause["failures"] == 2
    assert second_pause["due"] - first_pause["due"] > timedelta(seconds=5)

    orders["orders"].update_one({"_id": broken["_id"]}, {"$set": {"total": Decimal128("7980.00")}})
    pay(broken)
    assert copy_documents(SYNCED, [stored(orders, broken)]) == 1
    assert_in_step(orders, broken)
    assert failing() == []


def test_what_is_owed_longest_comes_first_and_what_is_being_copied_is_left_alone(orders: Database[Document]) -> None:
    sell("PROD-1", Decimal("3990.00"), msk=100)
    made = [bought(buyer(number)) for number in range(4)]
    now = datetime.now(UTC)
    for minutes, order in zip((3, 1, 4, 2), made, strict=True):
        moment = now - timedelta(minutes=minutes)
        orders["orders"].update_one({"_id": order["_id"]}, {"$set": {"unsynced": {"since": moment, "due": moment}}})

    owed = due(SYNCED, before=now - timedelta(seconds=90))

    assert [order["_id"] for order in owed] == [made[index]["_id"] for index in (2, 0, 3)]


def test_changes_of_one_order_wait_as_one_and_a_worker_copies_them(
    orders: Database[Document], run_worker: Callable[..., Path]
) -> None:
    order = bought()
    pay(order)
    assert redis_client().smembers("sync:orders") == {json.dumps([CUSTOMER, order["_id"]])}

    run_worker("--pool", "solo")

    eventually(lambda: "unsynced" not in stored(orders, order), within=60)
    assert_in_step(orders, order)
    assert redis_client().scard("sync:orders") == 0


def test_what_is_queued_while_a_task_copies_is_left_to_the_next(
    orders: Database[Document], monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = bought(), bought(GUEST)
    redis_client().delete("sync:orders")
    sync_order_soon(first)

    just_before(monkeypatch, queue, "copy_documents", lambda: sync_order_soon(second))

    assert queue.sync_queued("orders") == 1
    assert redis_client().smembers("sync:orders") == {json.dumps([GUEST, second["_id"]])}
    assert_in_step(orders, first)
    assert "unsynced" in stored(orders, second)


def test_buying_and_copying_reach_one_shard(orders: Database[Document]) -> None:
    order = stored(orders, bought())

    with COMMANDS.counted() as sent:
        copy_documents(SYNCED, SYNCED.find([(order["owner"], order["_id"])]))

    assert sent == {Sent("find", "orders", "sync", 1): 1, Sent("update", "orders", "sync", 1): 2}


def test_counting_a_large_partition_costs_a_few_reads(orders: Database[Document]) -> None:
    day = date(2001, 2, 3)
    made = datetime(2001, 2, 3, tzinfo=UTC)
    rows = [{"day": day, "bucket": 0, "created_at": made, "order_id": f"{number:04}"} for number in range(500)]
    write(ORDERS_BY_PERIOD.upsert(row, timestamp=1) for row in rows)
    asked = "SELECT count FROM system_views.local_read_latency WHERE keyspace_name = ? AND table_name = ?"
    key = (ORDERS_BY_PERIOD.keyspace, ORDERS_BY_PERIOD.name)

    def reads() -> int:
        row = first(Select(asked, key, Consistency.ONE, page_size=1))
        assert row is not None
        return int(row["count"])

    before = reads()
    assert measure(ORDERS_BY_PERIOD, (day, 0)).rows == 500
    assert reads() - before < 10


def test_busy_day_gets_more_buckets_and_what_was_written_stays_where_it_is(orders: Database[Document]) -> None:
    sell("PROD-1", Decimal("3990.00"), msk=100)
    early = [bought(buyer(number)) for number in range(5)]
    put_in_step(orders, *early)
    assert {stored(orders, order)["period_bucket"] for order in early} == {0}
    day = day_of(early[0])
    assert buckets_of(ORDERS_BY_PERIOD, day) == range(1)

    measure(ORDERS_BY_PERIOD, (day, 0))
    TRUSTED.forget()
    with override_settings(CASSANDRA_PARTITION_ROWS=1):
        late = [bought(buyer(number)) for number in range(10, 20)]
        put_in_step(orders, *late)
    for order in early:
        pay(order)
    put_in_step(orders, *early)

    assert {stored(orders, order)["period_bucket"] for order in early} == {0}
    assert len({stored(orders, order)["period_bucket"] for order in late}) > 1
    assert buckets_of(ORDERS_BY_PERIOD, day) == range(8)
    rows = [
        row["order_id"]
        for bucket in buckets_of(ORDERS_BY_PERIOD, day)
        for row in read(ORDERS_BY_PERIOD.select("day = ? AND bucket = ?", day, bucket))
    ]
    assert sorted(rows) == sorted(order["_id"] for order in [*early, *late])
    assert [(size.partition, size.rows) for size in largest([ORDERS_BY_PERIOD], limit=1)] == [(f"{day}/0", 5)]
