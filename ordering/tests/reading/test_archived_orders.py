"""Orders that only Cassandra has, or that only MongoDB has: what their buyers, strangers and support see of them."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from django.test import override_settings
from pymongo.database import Database

from gateway.cassandra.reads import read
from gateway.cassandra.writes import write
from gateway.mongo.client import Document
from gateway.mongo.outage import MONGODB, MongoUnavailable
from gateway.sync.marks import timestamp_of
from ordering.cassandra.tables import ORDER_STATE_BY_ID
from ordering.documents import OrderDocument
from ordering.graphql.access import NOT_NOW
from ordering.lifecycle.claim import claim_orders
from ordering.tests.api import ADVANCE, CANCEL, ORDER, PAY, REFUND, refusals
from ordering.tests.copies import NO_CASSANDRA, archive, copy, days_ago, placed, some_customer, void
from ordering.tests.questions import LOOKUP, Answer, Ask, found, public

READ = f"query ($id: ID!) {{ a: order(id: $id) {{ ...O }} }} {ORDER}"
NODES = "query ($ids: [ID!]!) { a: nodes(ids: $ids) { id } }"
HISTORY = f"query ($first: Int) {{ viewer {{ orders(first: $first) {{ nodes {{ ...O }} }} }} }} {ORDER}"


@pytest.fixture
def mongodb_away() -> Iterator[Callable[[], None]]:
    with override_settings(MONGODB_CIRCUIT_SECONDS=600.0):
        yield lambda: void(MONGODB.note_loss("as the test wants it"))
        MONGODB.reset()


def state(order_id: str) -> list[dict[str, Any]]:
    return read(ORDER_STATE_BY_ID.select("order_id = ?", order_id))


def test_order_and_its_timeline_are_the_same_from_both_stores(
    ask: Ask, owner: str, orders: Database[Document], like: OrderDocument
) -> None:
    (order_id,) = placed(orders, like, *days_ago(400), owner=owner)
    id_ = public(owner, order_id)

    def seen() -> list[Answer]:
        return [ask("customer", READ, id=id_), ask("support", READ, id=id_), ask("customer", HISTORY)]

    before = seen()
    assert [each["status"] for each in before[0].data["timeline"]] == ["NEW", "PAID", "SHIPPED", "DELIVERED"]
    assert [each["actor"] for each in before[0].data["timeline"]] == ["buyer", "payments", "staff", "staff"]
    assert before[1].data["timeline"][-1]["actor"] == "support@example.com"
    assert [each["note"] for each in before[0].data["timeline"]] == ["", "", "", ""]
    assert [each["note"] for each in before[1].data["timeline"]] == ["", "pay-1", "покупатель скандалит", ""]
    assert [
        [(each["kind"], each["state"], each["reference"]) for each in answer.data["money"]["entries"]]
        for answer in before[:2]
    ] == [
        [("PAYMENT", "DONE", ""), ("EXCESS", "DONE", ""), ("REPAYMENT", "DONE", "")],
        [("PAYMENT", "DONE", "pay-1"), ("EXCESS", "DONE", "pay-1"), ("REPAYMENT", "DONE", "back-1")],
    ]
    copy(orders, [order_id])
    assert seen() == before
    archive(orders, [order_id])
    assert orders["orders"].find_one({"_id": order_id}) is None
    assert seen() == before
    assert [(each.errors, each.degraded) for each in before] == [([], False)] * 3


def test_archived_order_of_somebody_else_is_not_there(
    ask: Ask, owner: str, orders: Database[Document], like: OrderDocument
) -> None:
    (own,) = placed(orders, like, *days_ago(400), owner=owner)
    (others,) = placed(orders, like, *days_ago(400), owner=some_customer())
    archive(orders, [own, others])
    ids = [public(owner, others), public(owner, own), public(owner, "no-such")]

    assert ask("customer", READ, id=ids[0]) == Answer(None, [], degraded=False)
    assert ask(None, READ, id=ids[1]) == Answer(None, [], degraded=False)
    shown = [each and each["id"] for each in ask("customer", NODES, ids=ids).data]
    assert shown == [None, public(owner, own), None]
    assert [bool(each) for each in ask("support", NODES, ids=ids).data] == [True, True, False]


def test_copy_that_names_a_former_owner_shows_nothing(
    ask: Ask, owner: str, orders: Database[Document], like: OrderDocument
) -> None:
    (order_id,) = placed(orders, like, *days_ago(3), owner=owner)
    copy(orders, [order_id])
    claim_orders(owner, some_customer())
    id_ = public(owner, order_id)

    assert ask("customer", READ, id=id_).data is None
    (row,) = state(order_id)
    archived = {"order_id": order_id, "archived_at": datetime.now(UTC)}
    write([ORDER_STATE_BY_ID.upsert(archived, timestamp=timestamp_of(row, after=True))])
    assert ask("customer", READ, id=id_).data is None
    assert ask("support", READ, id=id_).data["id"] != id_


def test_order_that_mongodb_has_lost_is_not_shown_by_its_copy(
    ask: Ask, owner: str, orders: Database[Document], like: OrderDocument
) -> None:
    (order_id,) = placed(orders, like, *days_ago(3), owner=owner)
    copy(orders, [order_id])
    orders["orders"].delete_one({"_id": order_id})

    assert ask("customer", READ, id=public(owner, order_id)).data is None
    assert ask("support", READ, id=public(owner, order_id)).data is None


def test_archived_order_cannot_be_changed(
    ask: Ask, owner: str, orders: Database[Document], like: OrderDocument
) -> None:
    (order_id,) = placed(orders, like, *days_ago(400), owner=owner)
    archive(orders, [order_id])
    before = state(order_id)
    id_ = public(owner, order_id)
    lines = [{"productId": "PROD-1", "quantity": 1}]
    refused = [
        ask("customer", CANCEL, order=id_),
        ask("support", CANCEL, order=id_),
        ask("support", ADVANCE, order=id_, to="SHIPPED"),
        ask("support", PAY, order=id_, amount="10.00", reference="r-1"),
        ask("support", REFUND, order=id_, lines=lines, reason="брак", reference="r-2"),
    ]

    for answer in refused:
        assert refusals(answer.data) == [("ILLEGAL_TRANSITION", ["order"])]
        assert answer.data["userErrors"][0]["message"] == "Заказ в архиве, изменить его нельзя."
        assert (answer.data["order"]["id"], answer.data["order"]["status"]) == (id_, "DELIVERED")
    assert state(order_id) == before
    assert orders["orders"].find_one({"_id": order_id}) is None


def test_who_may_not_see_an_archived_order_is_not_told_of_it(
    ask: Ask, orders: Database[Document], like: OrderDocument
) -> None:
    other = some_customer()
    (order_id,) = placed(orders, like, *days_ago(400), owner=other)
    archive(orders, [order_id])

    answer = ask("customer", CANCEL, order=public(other, order_id))

    assert (answer.data["order"], refusals(answer.data)) == (None, [("NOT_FOUND", ["order"])])


def test_without_cassandra_an_archived_order_is_unknown(
    ask: Ask, owner: str, orders: Database[Document], like: OrderDocument
) -> None:
    (order_id,) = placed(orders, like, *days_ago(400), owner=owner)
    archive(orders, [order_id])
    id_ = public(owner, order_id)

    with NO_CASSANDRA:
        assert ask("customer", READ, id=id_) == Answer(None, [], degraded=False)
        assert refusals(ask("customer", CANCEL, order=id_).data) == [("NOT_FOUND", ["order"])]


# One of the stores is away.


def test_while_cassandra_is_away_mongodb_answers_and_says_that_archived_orders_may_be_missing(
    ask: Ask, owner: str, orders: Database[Document], ivan: OrderDocument, cassandra_away: Callable[[], None]
) -> None:
    all_ids = placed(orders, ivan, *days_ago(0, 10, 400), owner=owner)
    copy(orders, all_ids)
    archive(orders, all_ids[2:])
    cassandra_away()
    expected = [public(owner, each) for each in all_ids[:2]]

    def history(**variables: Any) -> tuple[list[str], bool]:
        answer = ask("customer", HISTORY, **variables)
        return [order["id"] for order in answer.data["viewer"]["orders"]["nodes"]], answer.degraded

    lookup = ask("support", LOOKUP, text=ivan["contact"]["email"])
    assert history() == (expected, True)
    assert history(first=1) == (expected[:1], False)
    assert (found(lookup), lookup.degraded) == (expected, True)
    assert ask("customer", READ, id=expected[0]).degraded is False
    assert ask("customer", READ, id=public(owner, all_ids[2])) == Answer(None, [], degraded=True)


def test_while_mongodb_is_away_a_buyer_sees_what_has_been_copied(
    ask: Ask, owner: str, orders: Database[Document], like: OrderDocument, mongodb_away: Callable[[], None]
) -> None:
    all_ids = placed(orders, like, *days_ago(0, 10, 400), owner=owner)
    (others,) = placed(orders, like, *days_ago(10), owner=some_customer())
    copy(orders, [*all_ids[1:], others])
    archive(orders, all_ids[2:])
    expected = [public(owner, each) for each in all_ids]
    before = [ask("customer", READ, id=each).data for each in expected[1:]]
    mongodb_away()

    history = ask("customer", HISTORY)
    copied = [ask("customer", READ, id=each) for each in expected[1:]]
    nodes = ask("customer", NODES, ids=expected[1:])

    # The product of a line is the catalog's to show, and has not been copied here.
    without = [{**order, "lines": [{**line, "product": None} for line in order["lines"]]} for order in before]
    assert (history.data["viewer"]["orders"]["nodes"], history.errors, history.degraded) == (without, [], True)
    assert copied == [Answer(order, [], degraded=True) for order in without]
    assert [order["id"] for order in nodes.data] == expected[1:]
    for login, unknown in (("customer", expected[0]), ("customer", public(owner, others)), ("support", expected[1])):
        answer = ask(login, READ, id=unknown)
        (error,) = answer.errors
        assert answer.data is None
        assert isinstance(error, MongoUnavailable)
        assert error.text == NOT_NOW
    (error,) = ask("support", LOOKUP, text="ivan@example.com").errors
    assert isinstance(error, MongoUnavailable)


def test_with_both_stores_away_there_is_no_answer(
    ask: Ask,
    owner: str,
    orders: Database[Document],
    like: OrderDocument,
    mongodb_away: Callable[[], None],
    cassandra_away: Callable[[], None],
) -> None:
    (order_id,) = placed(orders, like, *days_ago(10), owner=owner)
    copy(orders, [order_id])
    mongodb_away()
    cassandra_away()

    for answer in (ask("customer", HISTORY), ask("customer", READ, id=public(owner, order_id))):
        (error,) = answer.errors
        assert isinstance(error, MongoUnavailable)
