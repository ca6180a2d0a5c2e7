"""What is decided by a read of several shards is decided as of one moment, whatever moves between them meanwhile."""

import pytest
from pymongo.database import Database

from gateway.mongo.client import Document, client
from gateway.mongo.commands import COMMANDS, Sent
from gateway.mongo.policies import STOCK_CHECK
from gateway.mongo.reads import Evidence, decide, run, snapshot
from gateway.mongo.routing import ROUTING
from gateway.mongo.tests.order_moves import OWNERS, moving_orders
from gateway.mongo.transactions import in_transaction

ORDERS = "orders"
DOCUMENTS = 60


def all_ids() -> Evidence[list[str]]:
    return Evidence(
        collection=ORDERS,
        policy=STOCK_CHECK,
        where={"number": {"$exists": True}},
        fields=("_id",),
        result=lambda documents: sorted(document["_id"] for document in documents),
    )


@pytest.fixture
def ids(database: Database[Document]) -> list[str]:
    """The ids of orders that lie on two shards."""
    ids = [f"order-{number:03}" for number in range(DOCUMENTS)]
    database[ORDERS].insert_many(
        [{"_id": id_, "owner": OWNERS[number % 2], "number": id_, "version": 1} for number, id_ in enumerate(ids)]
    )
    homes = {frozenset(ROUTING.shards_reached(ORDERS, {"owner": owner}) or ()) for owner in OWNERS}
    assert len(homes) == 2
    return ids


def test_documents_on_their_way_between_shards_are_seen_once_each(database: Database[Document], ids: list[str]) -> None:
    with moving_orders(ids):
        seen = [decide(lambda moment: moment.run(all_ids())) for _ in range(100)]

    assert [found for found in seen if found != ids] == []


def test_two_questions_are_answered_as_of_one_moment(database: Database[Document], ids: list[str]) -> None:
    with snapshot() as moment:
        first = moment.run(all_ids())
        database[ORDERS].delete_one({"_id": ids[0]})

        assert moment.run(all_ids()) == first == ids

    assert decide(lambda moment: moment.run(all_ids())) == ids[1:]


def test_what_this_process_wrote_before_is_seen(database: Database[Document], ids: list[str]) -> None:
    for id_ in ids:
        in_transaction(lambda id_=id_: database[ORDERS].delete_one({"_id": id_}))  # type: ignore[misc]
        assert id_ not in decide(lambda moment: moment.run(all_ids()))


def test_evidence_is_counted_under_its_policy_and_cannot_be_run_as_a_read(
    database: Database[Document], ids: list[str]
) -> None:
    with COMMANDS.counted() as sent:
        decide(lambda moment: moment.run(all_ids()))

    assert sent == {Sent("find", ORDERS, "stock.check", len(client().admin.command("listShards")["shards"])): 1}
    with pytest.raises((AttributeError, TypeError)):
        run(all_ids())  # type: ignore[arg-type]
