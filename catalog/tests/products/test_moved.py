"""A product that moved to another category answers to its old global id, wherever ids are taken."""

from typing import Any

import pytest
from pymongo.database import Database

from catalog.products.upsert import upsert_product
from catalog.structure.category_tree import CATEGORIES
from catalog.tests.listing.questions import ask
from catalog.tests.shop import MARINA, draft
from gateway.graphql.relay.ids import global_id
from gateway.mongo.client import Document
from gateway.mongo.commands import COMMANDS, Sent

pytestmark = pytest.mark.usefixtures("two_shards", "moved", "known_tree")

OLD = global_id("Product", "audio", "PROD-1")
NOW = global_id("Product", "video", "PROD-1")
STAYED = global_id("Product", "audio", "PROD-2")
UNKNOWN = global_id("Product", "audio", "PROD-404")
WITHDRAWN = global_id("Product", "audio", "PROD-3")

ASK = {
    "product": "query ($id: ID!) { product(id: $id) { id } }",
    "node": "query ($id: ID!) { node(id: $id) { id } }",
}
NODES = "query ($ids: [ID!]!) { nodes(ids: $ids) { id } }"
STOCK = "query ($id: ID!) { stock(product: $id) { geozone available } }"


@pytest.fixture
def moved(shop: Database[Document]) -> None:
    """PROD-1 was sold as audio and is video now."""
    upsert_product(draft(), actor=MARINA)
    upsert_product(draft(category="video"), actor=MARINA)
    upsert_product(draft(product_id="PROD-2"), actor=MARINA)
    upsert_product(draft(product_id="PROD-3", withdrawn=True), actor=MARINA)


def commands_of(query: str, **variables: Any) -> tuple[Any, Any]:
    with COMMANDS.counted() as sent:
        data = ask(query, **variables).data
    return data, dict(sent)


@pytest.mark.parametrize("field", ASK)
def test_old_id_is_answered_with_the_id_of_now(field: str) -> None:
    found, sent = commands_of(ASK[field], id=OLD)

    assert found == {field: {"id": NOW}}
    assert sent == {
        Sent("find", "products", "catalog.card", 1): 2,
        Sent("find", "product_directory", "catalog.card", 1): 1,
    }


@pytest.mark.parametrize("field", ASK)
def test_id_of_now_costs_no_look_up(field: str) -> None:
    assert commands_of(ASK[field], id=NOW) == (
        {field: {"id": NOW}},
        {Sent("find", "products", "catalog.card", 1): 1},
    )


def test_nodes_ask_the_directory_once_for_all_that_are_missing() -> None:
    found, sent = commands_of(NODES, ids=[STAYED, OLD, UNKNOWN, WITHDRAWN, NOW, OLD])

    assert [node and node["id"] for node in found["nodes"]] == [STAYED, NOW, None, None, NOW, NOW]
    # PROD-1 is found by its id of now, so that the directory is asked for the two that buyers do not see.
    assert sent == {
        Sent("find", "products", "catalog.card", 2): 1,
        Sent("find", "product_directory", "catalog.card", 2): 1,
    }


def test_stock_under_the_old_id_is_that_of_now() -> None:
    levels = {"stock": [{"geozone": "msk", "available": 10}]}

    assert commands_of(STOCK, id=NOW) == (levels, {Sent("find", "products", "stock.display", 1): 1})
    assert commands_of(STOCK, id=OLD) == (
        levels,
        {
            Sent("find", "products", "stock.display", 1): 2,
            Sent("find", "product_directory", "stock.display", 1): 1,
        },
    )


def test_withdrawn_product_costs_one_look_up_and_is_not_there() -> None:
    assert commands_of(ASK["product"], id=WITHDRAWN) == (
        {"product": None},
        {
            Sent("find", "products", "catalog.card", 1): 1,
            Sent("find", "product_directory", "catalog.card", 1): 1,
        },
    )


def test_category_of_now_decides_whether_it_is_shown(shop: Database[Document]) -> None:
    shop["categories"].update_one({"_id": "audio"}, {"$set": {"hidden": True}})
    CATEGORIES.forget()
    assert ask(ASK["product"], id=OLD).data == {"product": {"id": NOW}}
    assert ask(STOCK, id=OLD).data == {"stock": [{"geozone": "msk", "available": 10}]}

    shop["categories"].update_one({"_id": "video"}, {"$set": {"hidden": True}})
    CATEGORIES.forget()

    assert ask(ASK["product"], id=OLD).data == {"product": None}
    assert ask(STOCK, id=OLD).messages == [("NOT_FOUND", "Такого товара нет.")]
