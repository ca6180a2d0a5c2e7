"""A table that was lost is filled again from MongoDB, while orders go on changing."""

from concurrent.futures import ThreadPoolExecutor
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from pymongo.database import Database

from gateway.cassandra.driver.session import CONNECTOR
from gateway.cassandra.table import Table
from gateway.mongo.client import Document
from gateway.sync import batches
from gateway.sync import rebuild as rebuilding
from gateway.sync.copy import copy_documents
from gateway.sync.marks import CHANGED
from gateway.sync.rebuild import rebuild
from ordering.archive.archive import archive_orders
from ordering.archive.reconcile import reconcile_orders
from ordering.cassandra.sync import SYNCED
from ordering.cassandra.tables import ORDER_EVENTS_BY_ID, ORDERS_BY_PERIOD, ORDERS_BY_USER
from ordering.tests.days import a_day, copied_orders, owed_orders, stored

pytestmark = pytest.mark.usefixtures("patient")


def lose(table: Table) -> None:
    CONNECTOR.connection().session.execute(f"TRUNCATE {table.full_name}", timeout=60)


@pytest.mark.parametrize("table", [ORDERS_BY_USER, ORDERS_BY_PERIOD], ids=lambda table: table.name)
def test_lost_table_is_filled_again_while_orders_change(orders: Database[Document], table: Table) -> None:
    day = a_day()
    made = copied_orders(orders, day, 6)
    lose(table)

    def sell() -> None:
        for order in made:
            orders["orders"].update_one({"_id": order["_id"]}, [{"$set": {"status": "paid", **CHANGED}}])
            copy_documents(SYNCED, [stored(orders, order)])

    with ThreadPoolExecutor(1) as pool:
        selling = pool.submit(sell)
        assert sum(batch.documents for batch in rebuild(SYNCED, table)) == 6
        selling.result()

    assert list(reconcile_orders(day, repair=False, report=lambda _: None)) == []


def test_rebuild_goes_on_where_it_ended_and_writes_one_table_only(
    orders: Database[Document], monkeypatch: pytest.MonkeyPatch
) -> None:
    day = a_day()
    made = sorted(owed_orders(orders, day, 5), key=lambda order: order["_id"])
    monkeypatch.setattr(batches, "BATCH", 2)

    first = next(rebuild(SYNCED, ORDER_EVENTS_BY_ID))
    rest = list(rebuild(SYNCED, ORDER_EVENTS_BY_ID, after=first.last))

    assert first == (2, 2, made[1]["_id"])
    assert rest == [(2, 2, made[3]["_id"]), (1, 1, made[4]["_id"])]
    # Placed, so that whoever copies them puts them there; still owed, since the other tables have nothing of them.
    after = list(orders["orders"].find())
    assert {(order["period_bucket"], order["synced_version"], "unsynced" in order) for order in after} == {(0, 0, True)}


def test_processes_side_by_side_write_what_one_would_and_tell_of_it_in_order(
    orders: Database[Document], monkeypatch: pytest.MonkeyPatch
) -> None:
    day = a_day()
    made = sorted(copied_orders(orders, day, 7), key=lambda order: order["_id"])
    lose(ORDERS_BY_USER)
    monkeypatch.setattr(batches, "BATCH", 2)
    monkeypatch.setattr(rebuilding, "ALONE", 3)

    done = list(rebuild(SYNCED, ORDERS_BY_USER, processes=2))

    assert done == [(2, 2, made[1]["_id"]), (2, 2, made[3]["_id"]), (2, 2, made[5]["_id"]), (1, 1, made[6]["_id"])]
    assert list(reconcile_orders(day, repair=False, report=lambda _: None)) == []


def test_command_says_what_it_wrote_and_what_it_cannot_bring_back(orders: Database[Document]) -> None:
    copied_orders(orders, a_day(), 1, status="delivered", reserved_until=None)
    archive_orders()
    copied_orders(orders, a_day(), 2)

    output = StringIO()
    call_command("rebuild", "orders_by_user", stdout=output)

    said = output.getvalue().splitlines()
    assert said[0].startswith("2 writes for 2 orders in ")
    assert said[1:] == [
        "Archived orders are not in MongoDB any more: rows of theirs that were lost are not made again."
    ]


def test_command_names_the_tables_there_are() -> None:
    with pytest.raises(CommandError, match=r"orders is not made from documents\. These are: .*order_events_by_id, "):
        call_command("rebuild", "orders")
