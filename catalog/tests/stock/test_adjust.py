"""Stock adjustments: exact under races, never below what is reserved, with a reason that is kept."""

from functools import partial
from typing import Any

import pytest
from pymongo.database import Database

from catalog.documents import ProductDocument
from catalog.products.drafts import StockDraft
from catalog.products.upsert import upsert_product
from catalog.stock.adjust import adjust_stock
from catalog.tests.shop import MARINA, assert_whole, draft, everything, raised
from gateway.domain.errors import DomainError
from gateway.mongo.client import Document
from gateway.mongo.commands import COMMANDS, Sent
from gateway.tests.races import at_once

pytestmark = pytest.mark.usefixtures("two_shards")


def adjust(product_id: str, geozone: str, *, reason: str = "пересчёт", **amounts: Any) -> ProductDocument:
    return adjust_stock(product_id, geozone, actor=MARINA, reason=reason, **amounts).document


@pytest.fixture(autouse=True)
def product(shop: Database[Document]) -> None:
    upsert_product(draft(), actor=MARINA)
    shop["products"].update_one({"_id": "PROD-1", "category": "audio"}, {"$set": {"stock.0.reserved": 4}})


def test_delta_is_added_and_quantity_is_set(shop: Database[Document]) -> None:
    assert adjust("PROD-1", "msk", delta=-5)["stock"] == [{"geozone": "msk", "quantity": 5, "reserved": 4}]
    assert adjust("PROD-1", "msk", quantity=8)["stock"] == [{"geozone": "msk", "quantity": 8, "reserved": 4}]

    (product,) = shop["products"].find()
    assert product["version"] == 3
    assert [entry["changes"] for entry in shop["audit"].find({"action": "stock.adjusted"}).sort("at")] == [
        {"stock.msk": [10, 5]},
        {"stock.msk": [5, 8]},
    ]
    entry = shop["audit"].find_one({"action": "stock.adjusted"})
    assert entry is not None
    assert (entry["actor"], entry["target"], entry["reason"]) == (MARINA.name, "product:PROD-1", "пересчёт")


def test_availability_follows_in_the_same_write(shop: Database[Document]) -> None:
    assert adjust("PROD-1", "msk", quantity=4)["available_in"] == []
    assert adjust("PROD-1", "msk", delta=1)["available_in"] == ["msk"]
    assert adjust("PROD-1", "spb", delta=1)["available_in"] == ["msk", "spb"]
    assert_whole(shop)


@pytest.mark.parametrize(
    ("arguments", "reasons"),
    [
        ({"delta": -7}, [("CONFLICT", ("delta",))]),
        ({"quantity": 3}, [("CONFLICT", ("quantity",))]),
        ({"quantity": -1}, [("INVALID", ("quantity",))]),
        ({"delta": 999_991}, [("INVALID", ("delta",))]),
        ({"delta": 2**70}, [("INVALID", ("delta",))]),
        ({}, [("INVALID", ("delta",))]),
        ({"delta": 1, "quantity": 1}, [("INVALID", ("delta",))]),
        ({"delta": 1, "reason": " "}, [("REQUIRED", ("reason",))]),
        ({"delta": 1, "reason": "x" * 501}, [("INVALID", ("reason",))]),
        ({"delta": 1, "geozone": "mars"}, [("NOT_FOUND", ("geozone",))]),
        ({"delta": 1, "geozone": "$stock"}, [("NOT_FOUND", ("geozone",))]),
        ({"delta": -1, "geozone": "spb"}, [("CONFLICT", ("delta",))]),
        ({"delta": 1, "product_id": "PROD-2"}, [("NOT_FOUND", ("product",))]),
    ],
)
def test_refused_adjustment_says_why_and_nothing_changes(
    shop: Database[Document], arguments: dict[str, Any], reasons: list[tuple[str, tuple[str, ...]]]
) -> None:
    before = everything(shop)

    assert raised(lambda: adjust(**{"product_id": "PROD-1", "geozone": "msk", **arguments})) == reasons

    assert everything(shop) == before


def test_racing_adjustments_lose_nothing(shop: Database[Document]) -> None:
    def deliver(delta: int) -> int:
        for _ in range(10):
            adjust("PROD-1", "msk", delta=delta)
        return 0

    assert at_once(*(partial(deliver, delta) for delta in (1, 2, 3, 4, 5, 6))) == [0] * 6

    (product,) = shop["products"].find()
    assert product["stock"] == [{"geozone": "msk", "quantity": 10 + 210, "reserved": 4}]
    assert product["version"] == 61
    assert shop["audit"].count_documents({"action": "stock.adjusted"}) == 60
    assert_whole(shop)


def test_racing_write_offs_stop_at_what_is_reserved(shop: Database[Document]) -> None:
    results = at_once(*(partial(adjust, "PROD-1", "msk", delta=-1) for _ in range(10)))

    assert [isinstance(result, DomainError) for result in results].count(True) == 4
    (product,) = shop["products"].find()
    assert product["stock"] == [{"geozone": "msk", "quantity": 4, "reserved": 4}]
    assert product["available_in"] == []
    assert shop["audit"].count_documents({"action": "stock.adjusted"}) == 6


def test_adjustment_and_upsert_at_once_lose_nothing(shop: Database[Document]) -> None:
    def deliver() -> None:
        for _ in range(10):
            adjust("PROD-1", "msk", delta=1)

    def edit() -> None:
        for number in range(10):
            upsert_product(draft(name=f"Наушники {number}", stock=(StockDraft("spb", number),)), actor=MARINA)

    at_once(deliver, edit)

    (product,) = shop["products"].find()
    assert [(level["geozone"], level["quantity"]) for level in product["stock"]] == [("msk", 20), ("spb", 9)]
    assert product["name"] == "Наушники 9"
    assert_whole(shop)


def test_adjustment_reaches_the_shard_of_the_product_only() -> None:
    with COMMANDS.counted() as sent:
        adjust("PROD-1", "msk", delta=1)

    assert sent == {
        Sent("find", "product_directory", "", 1): 1,
        Sent("update", "catalog_structure", "", 1): 1,
        Sent("find", "geozones", "", 1): 1,
        Sent("findAndModify", "products", "", 1): 1,
        Sent("find", "products", "", 1): 1,
        Sent("insert", "audit", "", 1): 1,
    }
