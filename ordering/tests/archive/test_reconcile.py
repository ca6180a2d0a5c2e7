"""MongoDB and Cassandra compared both ways: what differs is found, named exactly and repaired."""

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime, timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from pymongo.database import Database

from cart.tests.shop import GUEST
from gateway import tasks
from gateway.cassandra.partition_stats import PARTITION_STATS
from gateway.cassandra.table import Table
from gateway.cassandra.writes import write
from gateway.mongo.client import Document
from gateway.mongo.commands import COMMANDS, Sent
from gateway.sync import batches
from gateway.sync.comparison import RowDifference
from gateway.sync.copy import copy_documents
from gateway.sync.marks import CHANGED, timestamp_of
from gateway.sync.repair import Finding
from ordering.archive.reconcile import nightly_days, reconcile_orders
from ordering.cassandra.rows import rows_of
from ordering.cassandra.sync import SYNCED
from ordering.cassandra.tables import (
    ORDER_EVENTS_BY_ID,
    ORDER_HISTORY_BY_REGION,
    ORDER_MONTHS_BY_USER,
    ORDER_STATE_BY_ID,
    ORDERS_BY_PERIOD,
    ORDERS_BY_USER,
)
from ordering.documents import OrderDocument
from ordering.tests.days import a_day, copied_orders, owed_orders, stored

pytestmark = pytest.mark.usefixtures("patient")


def found(day: date, *, repair: bool = False) -> list[Finding]:
    return sorted(reconcile_orders(day, repair=repair, report=lambda _: None))


def row_of(order: OrderDocument, table: Table) -> dict[str, Any]:
    return next(row for of, row in rows_of(order) if of is table)


def delete(order: OrderDocument, table: Table, *, at: datetime | None = None) -> None:
    """As somebody may by hand; above the timestamps of this version, and with `at` far above."""
    row = row_of(order, table)
    key = {column: row[column] for column in table.primary_key}
    write([table.delete(key, timestamp=_microseconds(at) if at else timestamp_of(order, after=True))])


def put(order: OrderDocument, table: Table, *, at: datetime | None = None, **columns: Any) -> None:
    """The order's row with these columns changed; under another key it is a row too many."""
    row = row_of(order, table) | columns
    write([table.upsert(row, timestamp=_microseconds(at) if at else timestamp_of(order, after=True))])


def _microseconds(moment: datetime) -> int:
    return (moment - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)


def test_orders_in_step_do_not_differ_and_are_read_in_batches(
    orders: Database[Document], monkeypatch: pytest.MonkeyPatch
) -> None:
    day = a_day()
    copied_orders(orders, day, 5)
    monkeypatch.setattr(batches, "BATCH", 2)
    reported: list[int] = []

    with COMMANDS.counted() as sent:
        assert list(reconcile_orders(day, repair=False, report=reported.append)) == []

    assert reported == [2, 2, 1]
    # Three batches and the end of them; then the rows' orders, once for each of the two tables.
    assert {command: number for command, number in sent.items() if command.collection == "orders"} == {
        Sent("find", "orders", "sync", 2): 4 + 2
    }


def test_every_kind_of_difference_is_found_and_repaired(orders: Database[Document]) -> None:
    day = a_day()
    tables = [table for table in SYNCED.tables if "order_id" in table.columns]
    made = copied_orders(orders, day, len(tables) + 6, past_owners=[GUEST])
    deleted = list(zip(made, tables, strict=False))
    changed, too_much, formerly, elsewhere, abroad, sound = made[len(tables) :]
    for order, table in deleted:
        delete(order, table)
    put(changed, ORDER_STATE_BY_ID, status="paid", contact=("Пётр", "ivan@example.com", "1"))
    put(too_much, ORDER_EVENTS_BY_ID, event_id="e-2", position=1)
    put(formerly, ORDERS_BY_USER, owner=GUEST)
    put(elsewhere, ORDERS_BY_PERIOD, bucket=1)
    write([PARTITION_STATS.upsert({"table_name": "orders_by_period", "partition_key": f"{day}/1"})])
    put(abroad, ORDER_HISTORY_BY_REGION, region="spb")
    expected = [
        *(RowDifference(table.name, order["_id"], "missing") for order, table in deleted),
        RowDifference("order_state_by_id", changed["_id"], "different", ("status", "contact")),
        RowDifference("order_events_by_id", too_much["_id"], "stale"),
        RowDifference("orders_by_user", formerly["_id"], "stale"),
        RowDifference("orders_by_period", elsewhere["_id"], "stale"),
        RowDifference("order_history_by_region", abroad["_id"], "stale"),
    ]

    assert found(day) == sorted(Finding(each, is_repaired=False) for each in expected)
    assert found(day, repair=True) == sorted(Finding(each, is_repaired=True) for each in expected)
    assert found(day) == []
    assert Counter(order["synced_version"] for order in orders["orders"].find()) == {1: 1, 2: len(made) - 1}
    assert stored(orders, sound) == sound


def test_month_of_an_owner_is_found_missing_and_repaired(orders: Database[Document]) -> None:
    day = a_day()
    (order,) = copied_orders(orders, day, 1, owner=f"u:{day}")
    delete(order, ORDER_MONTHS_BY_USER)
    lost = RowDifference("order_months_by_user", order["_id"], "missing")

    assert found(day, repair=True) == [Finding(lost, is_repaired=True)]
    assert found(day) == []


def test_what_was_done_by_hand_under_the_time_of_the_clock_is_repaired_too(orders: Database[Document]) -> None:
    day = a_day()
    lost, spoilt, abroad = copied_orders(orders, day, 3)
    delete(lost, ORDER_STATE_BY_ID, at=datetime.now(UTC))
    put(spoilt, ORDER_EVENTS_BY_ID, event_id="e-2", position=1, at=datetime.now(UTC))
    put(abroad, ORDER_HISTORY_BY_REGION, region="spb", at=datetime.now(UTC))

    assert [finding.is_repaired for finding in found(day, repair=True)] == [True, True, True]
    assert found(day) == []
    # And the order lives on: its next version arrives.
    orders["orders"].update_one({"_id": lost["_id"]}, [{"$set": {"status": "cancelled", **CHANGED}}])
    assert copy_documents(SYNCED, [stored(orders, lost)]) == 1
    assert found(day) == []


def test_order_that_is_owed_and_does_not_say_so_is_marked_and_copied(orders: Database[Document]) -> None:
    day = a_day()
    old, by_hand, waiting = owed_orders(orders, day, 3)
    for order in (old, by_hand):
        orders["orders"].update_one({"_id": order["_id"]}, {"$unset": {"unsynced": ""}})
    orders["orders"].update_one(
        {"_id": by_hand["_id"]}, {"$unset": {"period_bucket": ""}, "$set": {"synced_version": 1}}
    )
    expected = sorted(RowDifference("orders", order["_id"], "unmarked") for order in (old, by_hand))

    assert found(day) == [Finding(each, is_repaired=False) for each in expected]
    assert found(day, repair=True) == [Finding(each, is_repaired=True) for each in expected]
    assert found(day) == []
    assert stored(orders, waiting) == waiting


def test_order_that_mongodb_lost_is_restored_whole(orders: Database[Document]) -> None:
    day = a_day()
    lost, kept = copied_orders(orders, day, 2, client_key=None)
    orders["orders"].delete_one({"_id": lost["_id"]})
    orders["order_numbers"].delete_one({"_id": lost["number"]})
    only_copied = RowDifference("orders_by_period", lost["_id"], "only_copied")

    assert found(day) == [Finding(only_copied, is_repaired=False)]
    assert orders["orders"].count_documents({}) == 1
    assert found(day, repair=True) == [Finding(only_copied, is_repaired=True)]

    assert stored(orders, lost) == lost
    assert stored(orders, kept) == kept
    assert orders["order_numbers"].count_documents({"_id": lost["number"]}) == 1
    assert found(day) == []


def _lose_an_event(order: OrderDocument) -> None:
    delete(order, ORDER_EVENTS_BY_ID)


def _lose_the_state(order: OrderDocument) -> None:
    delete(order, ORDER_STATE_BY_ID)


def _be_behind_the_events(order: OrderDocument) -> None:
    later = order["created_at"] + timedelta(seconds=1)
    put(order, ORDER_EVENTS_BY_ID, event_id="e-2", event_time=later, position=1)


@pytest.mark.parametrize("spoil", [_lose_an_event, _lose_the_state, _be_behind_the_events])
def test_order_that_is_not_whole_is_left_and_reported(
    orders: Database[Document], spoil: Callable[[OrderDocument], None]
) -> None:
    day = a_day()
    (lost,) = copied_orders(orders, day, 1)
    spoil(lost)
    orders["orders"].delete_one({"_id": lost["_id"]})

    left = [Finding(RowDifference("orders_by_period", lost["_id"], "only_copied"), is_repaired=False)]
    assert found(day, repair=True) == left
    assert found(day) == left
    assert orders["orders"].count_documents({}) == 0


def test_lost_order_whose_number_another_has_is_left(orders: Database[Document]) -> None:
    day = a_day()
    lost, other = copied_orders(orders, day, 2)
    orders["orders"].delete_one({"_id": lost["_id"]})
    orders["orders"].update_one({"_id": other["_id"]}, [{"$set": {"keys": [f"number:{lost['number']}"], **CHANGED}}])
    assert copy_documents(SYNCED, [stored(orders, other)]) == 1

    assert [finding.is_repaired for finding in found(day, repair=True)] == [False]
    assert orders["orders"].count_documents({}) == 1


def test_what_is_sold_and_changed_meanwhile_does_not_differ(orders: Database[Document]) -> None:
    day = a_day()
    made = copied_orders(orders, day, 5)

    def sell() -> None:
        for order in made * 3:
            orders["orders"].update_one({"_id": order["_id"]}, [{"$set": {"status": "paid", **CHANGED}}])
            copy_documents(SYNCED, [stored(orders, order)])
        for _ in range(3):
            copy_documents(SYNCED, owed_orders(orders, day, 1))

    with ThreadPoolExecutor(1) as pool:
        selling = pool.submit(sell)
        while not selling.done():
            assert found(day) == []
        selling.result()

    assert found(day) == []
    assert Counter(order["version"] for order in orders["orders"].find()) == {4: 5, 1: 3}


def test_command_reports_repairs_and_says_so_by_its_exit_status(orders: Database[Document]) -> None:
    day = a_day()
    lost, _ = copied_orders(orders, day, 2)
    delete(lost, ORDERS_BY_USER)
    command = ("reconcile", "--from", str(day), "--to", str(day), "--collection", "orders")

    output = StringIO()
    with pytest.raises(CommandError, match="what is left differs still") as error:
        call_command(*command, stdout=output)
    assert error.value.returncode == 1
    line = f"{day}  orders_by_user            {lost['_id']}  {{:<8}}  missing\n"
    assert output.getvalue() == line.format("left") + "1 differences, 0 repaired, 1 left.\n"

    output = StringIO()
    call_command(*command, "--repair", stdout=output)
    assert output.getvalue() == line.format("repaired") + "1 differences, 1 repaired, 0 left.\n"

    output = StringIO()
    call_command(*command, stdout=output)
    assert output.getvalue() == "Nothing differs.\n"


def test_night_repairs_what_differs_in_both_stores(orders: Database[Document]) -> None:
    four_weeks_ago = datetime.now(UTC).date() - timedelta(days=28)
    spoilt, lost = copied_orders(orders, four_weeks_ago, 2)
    delete(spoilt, ORDERS_BY_USER)
    orders["orders"].delete_one({"_id": lost["_id"]})

    tasks.reconcile()

    assert stored(orders, lost) == lost
    assert found(four_weeks_ago) == []


def test_command_refuses_days_in_the_wrong_order() -> None:
    with pytest.raises(CommandError, match="--from 2026-03-02 is after --to 2026-03-01"):
        call_command("reconcile", "--from", "2026-03-02", "--to", "2026-03-01")


def test_each_night_compares_the_last_days_and_those_whose_turn_it_is() -> None:
    today = date(2026, 11, 18)

    days = nightly_days(today)

    ages = [(today - day).days for day in days]
    assert ages == [*range(392, 0, -28), 3, 2, 1, 0]
