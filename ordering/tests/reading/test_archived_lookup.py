"""Support looks up orders of which some have left MongoDB: one list by time, each order once."""

import pytest
from pymongo.database import Database

from gateway.graphql.relay.ids import global_id
from gateway.mongo.client import Document
from ordering.archive.keys import complete_archived_keys
from ordering.documents import OrderDocument
from ordering.reading import lookup as merged_lookup
from ordering.tests.copies import AfterTheFirst, archive, days_ago, placed, some_customer
from ordering.tests.questions import LOOKUP, Ask, found, public


def test_archived_orders_are_found_by_all_that_support_knows_beside_those_in_mongodb(
    ask: Ask, orders: Database[Document], ivan: OrderDocument
) -> None:
    owner = some_customer()
    # The oldest has never ended, and stays.
    all_ids = placed(orders, ivan, *days_ago(1, 200, 420, 800, 1500), owner=owner)
    archive(orders, [all_ids[1], all_ids[2], all_ids[3]])
    contact = ivan["contact"]
    word = contact["name"].split("-")[-1]
    expected = [public(owner, each) for each in all_ids]

    for text in (
        contact["email"].upper(),
        contact["phone"],
        contact["phone"].replace("+7 ", "8"),
        word,
        f"анна {word} елкина",
        owner.partition(":")[2],
        global_id("User", owner.partition(":")[2]),
    ):
        assert (text, found(ask("support", LOOKUP, text=text))) == (text, expected)
    assert found(ask("support", LOOKUP, text=f"{word} Никто")) == []


def test_archived_order_is_found_by_its_number(ask: Ask, orders: Database[Document], like: OrderDocument) -> None:
    owner = some_customer()
    number = like["number"]
    orders["orders"].delete_many({"number": number})
    (order_id,) = placed(orders, like, *days_ago(900), owner=owner, number=number)
    archive(orders, [order_id])

    answer = ask("support", LOOKUP, text=number.replace("-", " "))

    assert answer.data["nodes"] == [{"id": public(owner, order_id), "number": number, "status": "DELIVERED"}]
    assert answer.degraded is False


@pytest.mark.parametrize("by", ["email", "words"])
def test_lookup_pages_across_both_stores_each_order_once(
    ask: Ask, orders: Database[Document], ivan: OrderDocument, by: str
) -> None:
    owner = some_customer()
    all_ids = placed(orders, ivan, *days_ago(0, 300, 400, 400, 410, 800, 1200), owner=owner)
    archive(orders, [*all_ids[2:4], *all_ids[5:]])
    # Written down as archived, but still there: whoever archived it died on the way.
    (standing,) = orders["orders"].find({"_id": all_ids[4]})
    archive(orders, [all_ids[4]])
    orders["orders"].insert_one(standing)
    # Another with the same long word, which is not sought.
    stranger = {**ivan, "contact": {**ivan["contact"], "name": ivan["contact"]["name"].replace("Анна", "Инна")}}
    archive(orders, placed(orders, stranger, *days_ago(405), owner=some_customer()))
    text = ivan["contact"]["email"] if by == "email" else ivan["contact"]["name"]
    strangers = 1 if by == "email" else 0

    pages: list[list[str]] = []
    after = None
    while True:
        answer = ask("support", LOOKUP, text=text, first=2, after=after)
        pages.append(found(answer))
        assert answer.data["pageInfo"]["hasPreviousPage"] is (after is not None)
        after = answer.data["pageInfo"]["endCursor"]
        if not answer.data["pageInfo"]["hasNextPage"]:
            break

    shown = [each for page in pages for each in page]
    expected = [public(owner, each) for each in all_ids]
    assert [each for each in shown if each in expected] == expected
    assert [len(page) for page in pages] == ([2, 2, 2, 2] if strangers else [2, 2, 2, 1])
    assert len(set(shown)) == len(expected) + strangers


def test_order_that_is_archived_between_the_two_reads_is_found_once(
    ask: Ask, orders: Database[Document], ivan: OrderDocument, after_the_first: AfterTheFirst
) -> None:
    owner = some_customer()
    (order_id,) = placed(orders, ivan, *days_ago(400), owner=owner)

    after_the_first(merged_lookup, ("run_async", "archived_positions"), lambda: archive(orders, [order_id]))

    assert found(ask("support", LOOKUP, text=ivan["contact"]["email"])) == [public(owner, order_id)]
    assert orders["orders"].find_one({"_id": order_id}) is None


def test_archived_order_of_an_earlier_release_is_found_once_its_keys_are_complete(
    ask: Ask, orders: Database[Document], ivan: OrderDocument
) -> None:
    owner = some_customer()
    (order_id,) = placed(orders, ivan, *days_ago(400), owner=owner)
    few = [f"email:{ivan['contact']['email']}"]
    orders["orders"].update_one({"_id": order_id}, {"$set": {"keys": few}})
    archive(orders, [order_id])
    text = f"{ivan['contact']['phone'][-4:]} {ivan['contact']['name'].split('-')[-1]}"
    assert found(ask("support", LOOKUP, text=text)) == []

    assert complete_archived_keys() >= 1

    assert found(ask("support", LOOKUP, text=text)) == [public(owner, order_id)]
