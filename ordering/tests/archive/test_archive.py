"""Old orders leave MongoDB after Cassandra was seen to have them whole; killed anywhere, nothing is lost."""

import os
import signal
from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from pymongo.database import Database

from gateway.cassandra.reads import read
from gateway.cassandra.writes import write
from gateway.mongo.client import Document
from gateway.sync.copy import copy_documents
from gateway.sync.marks import CHANGED, timestamp_of
from gateway.tests.races import just_before, paused_process
from ordering import tasks
from ordering.archive import archive
from ordering.archive.archive import Archived, archive_orders
from ordering.archive.reconcile import reconcile_orders
from ordering.cassandra.rows import events_of, order_of_state, writes_of
from ordering.cassandra.sync import SYNCED
from ordering.cassandra.tables import ARCHIVED_ORDERS_BY_KEY, ORDER_EVENTS_BY_ID, ORDER_STATE_BY_ID
from ordering.documents import OrderDocument
from ordering.tests.days import a_day, copied_orders, stored

pytestmark = pytest.mark.usefixtures("patient")

ARCHIVE = "from ordering.archive.archive import archive_orders; archive_orders()"


def done(orders: Database[Document], number: int, day: date | None = None, **changes: Any) -> list[OrderDocument]:
    """Old orders that nobody waits for any more."""
    return copied_orders(orders, day or a_day(), number, **{"status": "delivered", "reserved_until": None} | changes)


def archived_at(order: OrderDocument) -> Any:
    (row,) = read(ORDER_STATE_BY_ID.select("order_id = ?", order["_id"]))
    return row["archived_at"]


def in_cassandra(order: OrderDocument) -> OrderDocument:
    """The order made again from its rows."""
    (row,) = read(ORDER_STATE_BY_ID.select("order_id = ?", order["_id"]))
    events = read(ORDER_EVENTS_BY_ID.select("order_id = ?", order["_id"]))
    return {**order_of_state(row), "events": events_of(events)}


def facts(order: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: value
        for name, value in order.items()
        if name not in {"stock_due", "mail_due", "letters", "synced_version"}
    }


def found_by(key: str, year: int) -> list[str]:
    return [row["order_id"] for row in read(ARCHIVED_ORDERS_BY_KEY.select("key = ? AND year = ?", key, year))]


def test_old_order_leaves_mongodb_and_all_of_it_is_in_cassandra(orders: Database[Document]) -> None:
    day = a_day()
    made = done(orders, 2, day)

    assert archive_orders() == Archived(left=2)

    assert orders["orders"].count_documents({}) == 0
    assert [in_cassandra(order) for order in made] == [facts(order) for order in made]
    for order in made:
        assert archived_at(order) is not None
        assert [found_by(key, day.year).count(order["_id"]) for key in order["keys"]] == [1] * len(order["keys"])
        assert found_by(f"number:{order['number']}", day.year) == [order["_id"]]
    assert archive_orders() == Archived()
    # It is where it belongs: nothing to report, nothing to restore.
    assert list(reconcile_orders(day, repair=True, report=lambda _: None)) == []
    assert orders["orders"].count_documents({}) == 0


def test_only_what_is_old_final_and_owes_nothing_leaves(orders: Database[Document]) -> None:
    day = a_day()
    now = datetime.now(UTC)
    owed = [{"id": "1", "at": now}]
    unfinished = (
        {"status": "new"},
        {"status": "shipped"},
        {"to_refund": True},
        {"stock_due": owed},
        {"mail_due": owed},
    )
    for changes in unfinished:
        done(orders, 1, day, **changes)
    done(orders, 1, now.date() - timedelta(days=363))
    (waiting,) = done(orders, 1, day)
    orders["orders"].update_one({"_id": waiting["_id"]}, [{"$set": CHANGED}])
    before = list(orders["orders"].find(sort=[("_id", 1)]))
    assert len(before) == 7

    assert archive_orders() == Archived()

    assert list(orders["orders"].find(sort=[("_id", 1)])) == before
    for status in ("cancelled", "expired", "refunded"):
        done(orders, 1, day, status=status)
    assert archive_orders() == Archived(left=3)


def test_order_that_differs_stays_is_repaired_and_leaves_the_next_time(orders: Database[Document]) -> None:
    lost, sound, too_much = done(orders, 3)
    key = {"order_id": lost["_id"]}
    write([ORDER_EVENTS_BY_ID.delete(key, timestamp=timestamp_of(lost, after=True))])
    event = {"event_time": too_much["created_at"], "event_id": "e-2", "position": 1}
    write([ORDER_EVENTS_BY_ID.upsert({"order_id": too_much["_id"], **event}, timestamp=timestamp_of(too_much))])

    assert archive_orders() == Archived(left=1, differing=2)

    assert {order["_id"] for order in orders["orders"].find()} == {lost["_id"], too_much["_id"]}
    assert in_cassandra(sound) == facts(sound)
    # They live: nobody may take them for archived.
    assert (archived_at(lost), archived_at(too_much)) == (None, None)
    assert archive_orders() == Archived(left=2)
    assert in_cassandra(lost)["events"] == lost["events"]
    assert in_cassandra(too_much)["events"] == too_much["events"]


def test_order_that_was_never_copied_is_copied_and_leaves_the_next_time(orders: Database[Document]) -> None:
    (order,) = done(orders, 1)
    orders["orders"].update_one({"_id": order["_id"]}, {"$inc": {"version": 1}})

    assert archive_orders() == Archived(differing=1)
    assert copy_documents(SYNCED, [stored(orders, order)]) == 1
    assert archive_orders() == Archived(left=1)


def test_change_at_the_same_moment_wins(orders: Database[Document], monkeypatch: pytest.MonkeyPatch) -> None:
    (order,) = done(orders, 1)

    def change() -> None:
        orders["orders"].update_one({"_id": order["_id"]}, [{"$set": {"status": "refunded", **CHANGED}}])

    just_before(monkeypatch, archive, "_delete", change)

    assert archive_orders() == Archived(changed=1)

    monkeypatch.undo()
    assert stored(orders, order)["status"] == "refunded"
    assert copy_documents(SYNCED, [stored(orders, order)]) == 1
    assert archived_at(order) is None
    assert archive_orders() == Archived(left=1)
    assert in_cassandra(order)["status"] == "refunded"


def test_late_copy_of_the_archived_version_does_not_bring_it_back(orders: Database[Document]) -> None:
    (order,) = done(orders, 1)
    archive_orders()

    write(writes_of(order))

    assert archived_at(order) is not None


def test_two_runs_at_once_archive_each_order_once(orders: Database[Document], monkeypatch: pytest.MonkeyPatch) -> None:
    made = done(orders, 3)
    other: list[Archived] = []

    just_before(monkeypatch, archive, "_delete", lambda: other.append(archive_orders()))

    assert archive_orders() == Archived(changed=3)
    assert other == [Archived(left=3)]
    assert [in_cassandra(order) for order in made] == [facts(order) for order in made]


@pytest.mark.parametrize(
    ("when", "there"),
    [
        pytest.param("sent", 3, id="after the writes, before the delete"),
        pytest.param("answered", 1, id="after the delete of a part"),
    ],
)
def test_killed_anywhere_the_next_run_does_the_rest(orders: Database[Document], when: Any, there: int) -> None:
    made = done(orders, 3)
    patience = {"CASSANDRA_CONNECT_TIMEOUT": "30", "CASSANDRA_REQUEST_TIMEOUT": "30"}
    code = f"from gateway.sync import batches; batches.BATCH = 2; {ARCHIVE}"

    with paused_process(orders, code, command="delete", collection="orders", when=when, variables=patience) as process:
        os.kill(process.pid, signal.SIGKILL)
        process.wait()

    assert orders["orders"].count_documents({}) == there
    assert archive_orders() == Archived(left=there)
    assert [in_cassandra(order) for order in made] == [facts(order) for order in made]
    assert all(archived_at(order) for order in made)


def test_night_archives(orders: Database[Document]) -> None:
    done(orders, 1)

    tasks.archive()

    assert orders["orders"].count_documents({}) == 0


def test_command_says_what_it_would_do_and_does_it(orders: Database[Document]) -> None:
    made = done(orders, 3)

    output = StringIO()
    call_command("archive_orders", "--dry-run", stdout=output)
    assert output.getvalue() == "3 orders older than 365 days would be archived\n"
    assert orders["orders"].count_documents({}) == 3

    output = StringIO()
    call_command("archive_orders", "--limit", "2", stdout=output)
    assert output.getvalue() == "2 orders archived, 0 differ and are copied again, 0 have changed\n"
    assert [order["_id"] for order in orders["orders"].find()] == [made[2]["_id"]]
