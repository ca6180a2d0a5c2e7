"""Money for an order that has left MongoDB: recorded in the order, which lives until it is settled."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from functools import partial
from typing import cast

import pytest
from bson import Decimal128
from pymongo.database import Database

from gateway.cassandra.writes import write
from gateway.mongo.client import Document
from gateway.sync.marks import timestamp_of
from gateway.tests.races import at_once
from ordering.archive.archive import archive_orders
from ordering.cassandra.lookup import archived_id
from ordering.cassandra.orders import archived_order
from ordering.cassandra.tables import ORDER_STATE_BY_ID
from ordering.documents import OrderDocument
from ordering.ledger.amounts import due_back
from ordering.ledger.fields import ledger_of
from ordering.ledger.ledger import Kind, Origin, State, new_entry
from ordering.ledger.references import Reference
from ordering.numbers import claim_number
from ordering.payments.repayments import Settling, settle_refund
from ordering.tests.copies import archive, copy, days_ago, placed
from ordering.tests.payments_api import as_stored, call, done, event_body, stored
from ordering.tests.questions import Ask, public
from ordering.tests.staff import ANNA

PAID = new_entry(
    Kind.PAYMENT,
    State.DONE,
    Decimal("3990.00"),
    "evt-0",
    Origin(datetime(2026, 1, 2, tzinfo=UTC), "payments", "webhook"),
)
MONEY = "query ($id: ID!) { a: order(id: $id) { status money { dueBack { amount } entries { kind state } } } }"


@pytest.fixture
def archived(orders: Database[Document], owner: str, like: OrderDocument) -> OrderDocument:
    """A delivered order of 3990.00, paid by evt-0, that only Cassandra has."""
    like = {**like, "updated_at": like["events"][-1]["at"], "money": as_stored(PAID)}
    (order_id,) = placed(orders, like, *days_ago(400), owner=owner)
    number = claim_number()
    orders["orders"].update_one({"_id": order_id}, {"$set": {"number": number, "keys": [f"number:{number}"]}})
    order = stored(orders, {"_id": order_id})
    archive(orders, [order_id])
    orders["orders"].delete_many({})
    return order


def living(orders: Database[Document]) -> list[OrderDocument]:
    return cast("list[OrderDocument]", list(orders["orders"].find()))


@pytest.mark.parametrize("name", ["number", "_id"])
def test_payment_for_an_archived_order_is_recorded_and_due_back(
    orders: Database[Document], archived: OrderDocument, ask: Ask, owner: str, name: str
) -> None:
    body = event_body(archived, order=dict(archived)[name], amount="3990.00")

    assert [call(body), call(body)] == [done(archived, "delivered")] * 2

    (order,) = living(orders)
    assert (order["_id"], order["to_refund"], due_back(order)) == (archived["_id"], True, Decimal("3990.00"))
    assert len(order["money"]) == 3
    shown = ask("support", MONEY, id=public(owner, archived["_id"])).data
    assert (shown["status"], shown["money"]["dueBack"]["amount"]) == ("DELIVERED", "3990.00")
    assert [event["type"] for event in order["events"]][-1] == "payment"


def test_order_goes_back_to_the_archive_once_it_is_settled(orders: Database[Document], archived: OrderDocument) -> None:
    call(event_body(archived, amount="3990.00"))
    (order,) = living(orders)
    settle_refund(order["_id"], Settling(ledger_of(order)[-1].id, Reference("back-1"), ANNA))
    orders["orders"].update_many({}, {"$set": {"mail_due": []}})
    copy(orders, [order["_id"]])

    archive_orders(now=datetime.now(UTC) + timedelta(days=1))

    assert living(orders) == []
    kept = archived_order(order["_id"])
    assert kept is not None
    assert [entry.kind.value for entry in ledger_of(kept)] == ["payment", "payment", "excess", "repayment"]
    assert archived_id(order["number"]) == order["_id"]


def test_event_that_an_archived_order_has_already_changes_nothing(
    orders: Database[Document], archived: OrderDocument
) -> None:
    assert call(event_body(archived, id="evt-0", amount="3990.00")) == done(archived, "delivered")
    assert call(event_body(archived, id="evt-0", amount="1.00"))[0] == 409
    assert living(orders) == []


def test_chargeback_of_an_archived_order_is_recorded(orders: Database[Document], archived: OrderDocument) -> None:
    body = event_body(archived, type="chargeback.created", reference="cb-1", amount="3990.00")

    assert call(body) == done(archived, "delivered")

    (order,) = living(orders)
    assert [entry.kind for entry in ledger_of(order)] == [Kind.PAYMENT, Kind.CHARGEBACK]


def test_many_deliveries_at_once_bring_it_back_once(orders: Database[Document], archived: OrderDocument) -> None:
    answers = at_once(*[partial(call, event_body(archived, id=f"evt-{each}", amount="1.00")) for each in (1, 1, 2, 2)])

    assert answers == [done(archived, "delivered")] * 4
    (order,) = living(orders)
    assert due_back(order) == Decimal("2.00")


def test_archived_order_that_is_not_whole_leaves_the_money_with_staff(
    orders: Database[Document], archived: OrderDocument
) -> None:
    broken = {"order_id": archived["_id"], "total": None}
    write([ORDER_STATE_BY_ID.upsert(broken, timestamp=timestamp_of({**archived, "version": 9}))])

    answers = [call(event_body(archived, amount="3990.00")) for _ in range(2)]

    assert answers == [(200, {"result": "unmatched", "order": archived["number"]})] * 2
    assert living(orders) == []
    (stray,) = orders["stray_money"].find()
    assert (stray["order"], stray["reason"], stray["amount"]) == (archived["number"], "archived", Decimal128("3990.00"))


def test_while_nobody_can_tell_whether_it_is_archived_the_sender_comes_again(
    orders: Database[Document], archived: OrderDocument, cassandra_away: Callable[[], None]
) -> None:
    cassandra_away()

    status, answer = call(event_body(archived, amount="3990.00"))

    assert (status, answer["error"]["code"]) == (503, "BUSY")
    assert (living(orders), list(orders["stray_money"].find())) == ([], [])
