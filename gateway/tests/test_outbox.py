"""What documents owe: owed in one write, held by one at a time, struck off by its holder, found again after a crash."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from pymongo.database import Database

from gateway.domain.uuid7 import moment_of, uuid7
from gateway.mongo.client import Document
from gateway.outbox import NOW, Depth, Outbox, Owed, depth_of
from gateway.sync.marks import CHANGED, DUE, postponed
from gateway.tests.races import at_once
from ordering.mail.delivery import MAIL_DEBTS
from ordering.stock.debts import STOCK_DEBTS

Box = Outbox[Any, Any]


@pytest.fixture(params=[STOCK_DEBTS, MAIL_DEBTS], ids=lambda outbox: outbox.field)
def outbox(request: pytest.FixtureRequest, database: Database[Document]) -> Box:
    """Those of the orders: each with its own lease and patience, on the index that production walks."""
    found: Box = request.param
    return found


def owe(database: Database[Document], outbox: Box, *, number: int = 1, ago: timedelta = timedelta(0)) -> list[str]:
    """So many orders that owe one thing each since so long; their ids."""
    orders = [{"_id": f"order-{each:03}", "owner": f"u:{each}", outbox.field: []} for each in range(number)]
    database["orders"].insert_many(orders)
    for order in orders:
        address = {"owner": order["owner"], "_id": order["_id"]}
        debt = {"id": str(uuid7()), "change": "release", "at": NOW}
        database["orders"].update_one(address, [{"$set": outbox.owe(debt)}])
    let_time_pass(database, outbox, ago)
    return [str(order["_id"]) for order in orders]


def let_time_pass(database: Database[Document], outbox: Box, time: timedelta) -> None:
    """As if every debt had been written or taken that much earlier."""
    for order in database["orders"].find({f"{outbox.field}.0": {"$exists": True}}):
        earlier = [{**debt, "at": debt["at"] - time} for debt in order[outbox.field]]
        database["orders"].update_one({"_id": order["_id"]}, {"$set": {outbox.field: earlier}})


def debts(database: Database[Document], outbox: Box) -> list[Document]:
    return [debt for order in database["orders"].find(sort=[("_id", 1)]) for debt in order[outbox.field]]


def swept(outbox: Box) -> list[Owed[Any, Any]]:
    return [taken for owed in outbox.overdue(limit=100) if (taken := outbox.take(owed))]


def test_overdue_debt_is_held_by_one_sweeper_and_struck_off(database: Database[Document], outbox: Box) -> None:
    owe(database, outbox, ago=timedelta(minutes=2))
    (owed,) = outbox.overdue(limit=10)

    taken = outbox.take(owed)

    assert taken is not None
    assert [taken.debt] == debts(database, outbox) == taken.document[outbox.field]
    assert taken.debt["at"] > owed.debt["at"]
    assert (outbox.take(owed), swept(outbox)) == (None, [])
    outbox.strike_off(taken)
    assert debts(database, outbox) == []


def test_debt_of_this_moment_is_left_to_its_writer(database: Database[Document], outbox: Box) -> None:
    owe(database, outbox)

    assert outbox.overdue(limit=10) == []
    assert len(outbox.overdue(limit=10, now=datetime.now(UTC) + timedelta(minutes=2))) == 1


def test_only_the_overdue_debts_of_a_document_are_swept(database: Database[Document], outbox: Box) -> None:
    owe(database, outbox, ago=timedelta(minutes=2))
    fresh = {"id": str(uuid7()), "at": NOW}
    database["orders"].update_one({"owner": "u:0", "_id": "order-000"}, [{"$set": outbox.owe(fresh)}])

    taken = swept(outbox)

    assert [owed.debt["id"] for owed in taken] == [debts(database, outbox)[0]["id"]]
    outbox.strike_off(taken[0])
    assert [debt["id"] for debt in debts(database, outbox)] == [fresh["id"]]


def test_debt_whose_holder_died_is_overdue_again(database: Database[Document], outbox: Box) -> None:
    owe(database, outbox, ago=timedelta(minutes=2))
    assert len(swept(outbox)) == 1
    assert swept(outbox) == []

    let_time_pass(database, outbox, timedelta(minutes=3))

    (second,) = swept(outbox)
    outbox.strike_off(second)
    assert debts(database, outbox) == []


def test_sweepers_at_once_hold_each_debt_once(database: Database[Document], outbox: Box) -> None:
    ids = owe(database, outbox, number=20, ago=timedelta(minutes=2))

    found = at_once(*[lambda: swept(outbox)] * 4)

    assert sorted(owed.document["_id"] for taken in found for owed in taken) == ids
    for owed in (owed for taken in found for owed in taken):
        outbox.strike_off(owed)
    assert debts(database, outbox) == []


def test_holder_whose_lease_was_taken_over_strikes_nothing_off(database: Database[Document], outbox: Box) -> None:
    owe(database, outbox, ago=timedelta(minutes=2))
    (slow,) = swept(outbox)
    let_time_pass(database, outbox, timedelta(minutes=3))
    (quick,) = swept(outbox)

    outbox.strike_off(slow)
    outbox.postpone(slow, datetime.now(UTC) + timedelta(hours=1))
    assert debts(database, outbox) == [quick.debt]

    outbox.strike_off(quick)
    assert debts(database, outbox) == []


def test_debt_of_a_document_that_was_given_another_owner_is_struck_off(
    database: Database[Document], outbox: Box
) -> None:
    owe(database, outbox, ago=timedelta(minutes=2))
    (taken,) = swept(outbox)
    database["orders"].delete_one({"owner": "u:0", "_id": "order-000"})
    database["orders"].insert_one({**taken.document, "owner": "u:another"})

    outbox.strike_off(taken)

    assert debts(database, outbox) == []


def test_postponed_debt_is_free_from_then_on(database: Database[Document]) -> None:
    outbox: Box = MAIL_DEBTS
    owe(database, outbox, ago=timedelta(minutes=2))
    (taken,) = swept(outbox)

    outbox.postpone(taken, datetime.now(UTC) + timedelta(minutes=30))

    (waiting,) = debts(database, outbox)
    assert waiting["tries"] == 0
    assert outbox.take(Owed(taken.document, waiting)) is None
    let_time_pass(database, outbox, timedelta(minutes=32))
    assert len(swept(outbox)) == 1


def test_the_oldest_come_first_and_no_more_than_asked(database: Database[Document], outbox: Box) -> None:
    ids = owe(database, outbox, number=5, ago=timedelta(minutes=2))
    for minutes, order_id in enumerate(reversed(ids)):
        earlier = datetime.now(UTC) - timedelta(minutes=10 - minutes)
        database["orders"].update_one({"_id": order_id}, {"$set": {f"{outbox.field}.0.at": earlier}})

    assert [owed.document["_id"] for owed in outbox.overdue(limit=3)] == ids[:1:-1]


def test_depth_counts_documents_and_knows_the_age_of_what_is_due_first(
    database: Database[Document], outbox: Box
) -> None:
    assert outbox.depth() == Depth(0, None)
    owe(database, outbox, number=3, ago=timedelta(minutes=2))

    depth = outbox.depth()
    assert depth.documents == 3
    # By the ids, which a lease does not change, not by the time that the test made pass.
    assert depth.oldest_seconds is not None
    assert 0 <= depth.oldest_seconds < 60
    assert len(swept(outbox)) == 3
    assert outbox.depth().documents == 3

    day_ago = f"{(uuid7().int >> 80) - 24 * 3600 * 1000:012x}"
    old_id = f"{day_ago[:8]}-{day_ago[8:]}-7000-8000-000000000000"
    first = {f"{outbox.field}.0.id": old_id, f"{outbox.field}.0.at": datetime.now(UTC) - timedelta(minutes=1)}
    database["orders"].update_one({"_id": "order-001"}, {"$set": first})
    age = outbox.depth().oldest_seconds
    assert age is not None
    assert timedelta(hours=24) <= timedelta(seconds=age) < timedelta(hours=24, minutes=1)


def test_depth_of_what_cassandra_is_owed(database: Database[Document]) -> None:
    def since(document: Document) -> datetime:
        moment: datetime = document["unsynced"]["since"]
        return moment.replace(tzinfo=UTC)

    orders = database["orders"]
    assert depth_of(orders, DUE, since) == Depth(0, None)
    orders.insert_many([{"_id": f"order-{each}", "owner": "u:1", "version": 1} for each in range(3)])
    orders.update_many({"owner": "u:1", "_id": {"$ne": "order-0"}}, [{"$set": CHANGED}])
    failing = {"owner": "u:1", "_id": "order-1"}
    orders.update_one(failing, {"$set": {"unsynced.since": datetime(2026, 1, 1, tzinfo=UTC)}})
    # What fails is put off: the other one is due first, and tells how they fare.
    orders.update_one(failing, postponed(ValueError("says the test")))

    depth = depth_of(orders, DUE, since)

    assert depth.documents == 2
    assert depth.oldest_seconds is not None
    assert depth.oldest_seconds < 60


def test_id_tells_when_it_was_made() -> None:
    before = datetime.now(UTC) - timedelta(milliseconds=1)
    moment = moment_of(str(uuid7()))

    assert moment is not None
    assert before <= moment <= datetime.now(UTC)
    assert moment_of("debt-1") is None
    assert moment_of("9e107d9d-372b-4b31-8b1b-7d8a3c2f1a00") is None
