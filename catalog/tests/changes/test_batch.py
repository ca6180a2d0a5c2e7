"""Many products changed together: each by itself, all in one write, checkouts untouched."""

from decimal import Decimal
from functools import partial
from typing import Any

import pytest
from pymongo.database import Database

from catalog.changes.batch import Outcome, Wanted, change_product, change_products
from catalog.documents import ProductDocument
from catalog.products.cards import ProductKey
from catalog.products.drafts import StockDraft
from catalog.products.upsert import upsert_product
from catalog.stock.adjust import adjust_stock
from catalog.tests.shop import MARINA, assert_whole, draft, everything
from gateway.mongo.client import Document
from gateway.mongo.commands import COMMANDS, Sent
from gateway.tests.races import at_once

pytestmark = pytest.mark.usefixtures("two_shards")

change = partial(change_products, actor=MARINA)


@pytest.fixture
def three(shop: Database[Document]) -> list[ProductKey]:
    for number in (1, 2, 3):
        price = Decimal(1000 * number)
        upsert_product(
            draft(product_id=f"PROD-{number}", base_price=price, sale_price=None, stock=(StockDraft("msk", 10),)),
            actor=MARINA,
        )
    shop["audit"].delete_many({})
    return [ProductKey("audio", f"PROD-{number}") for number in (1, 2, 3)]


def dearer(product: ProductDocument) -> Wanted:
    base = product["prices"]["base"].to_decimal()
    return Wanted({"base_price": str(base + 1)})


def told(outcome: Outcome) -> tuple[str, Any, Any, list[str]]:
    codes = [type(refusal).__name__ for refusal in outcome.refusals]
    return outcome.key.id, outcome.changes, outcome.conflicts, codes


def test_each_product_is_changed_and_stands_in_the_audit(shop: Database[Document], three: list[ProductKey]) -> None:
    outcomes = change(three, dearer, reason="инфляция")

    assert [told(outcome) for outcome in outcomes] == [
        ("PROD-1", {"base_price": ("1000.00", "1001.00")}, {}, []),
        ("PROD-2", {"base_price": ("2000.00", "2001.00")}, {}, []),
        ("PROD-3", {"base_price": ("3000.00", "3001.00")}, {}, []),
    ]
    entries = list(shop["audit"].find({}, {"_id": 0, "target": 1, "changes": 1, "reason": 1}).sort("target", 1))
    assert entries[0] == {
        "target": "product:PROD-1",
        "changes": {"base_price": ["1000.00", "1001.00"]},
        "reason": "инфляция",
    }
    assert len(entries) == 3
    assert_whole(shop)


def test_a_batch_is_three_commands_and_reaches_the_shard_of_its_category(three: list[ProductKey]) -> None:
    with COMMANDS.counted() as sent:
        change(three, dearer)

    assert sent == {
        Sent("find", "products", "", 1): 1,
        Sent("update", "products", "", 1): 1,
        Sent("insert", "audit", "", 1): 1,
    }


def test_one_that_is_refused_holds_up_no_other(shop: Database[Document], three: list[ProductKey]) -> None:
    def to_nothing(product: ProductDocument) -> Wanted:
        return Wanted({"base_price": "0.00"}) if product["_id"] == "PROD-2" else dearer(product)

    outcomes = change([*three, ProductKey("audio", "PROD-9")], to_nothing)

    assert [told(outcome)[3] for outcome in outcomes] == [[], ["BadPrice"], [], ["UnknownProduct"]]
    prices = {each["_id"]: str(each["price"]) for each in shop["products"].find()}
    assert prices == {"PROD-1": "1001.00", "PROD-2": "2000.00", "PROD-3": "3001.00"}


def test_value_that_was_changed_since_it_was_seen_is_left_alone_and_told(
    shop: Database[Document], three: list[ProductKey]
) -> None:
    wanted = Wanted({"base_price": "900.00", "withdrawn": True}, seen={"base_price": "999.00", "withdrawn": False})

    outcome = change_product(three[0], wanted, actor=MARINA)

    assert told(outcome) == ("PROD-1", {"withdrawn": (False, True)}, {"base_price": ("999.00", "1000.00")}, [])


def test_nothing_to_change_leaves_no_trace(shop: Database[Document], three: list[ProductKey]) -> None:
    before = everything(shop)

    outcomes = change(three, lambda product: Wanted({"name": product["name"]}))

    assert [outcome.changes for outcome in outcomes] == [{}, {}, {}]
    assert everything(shop) == before


def test_attribute_is_set_and_taken_away(shop: Database[Document], three: list[ProductKey]) -> None:
    outcome = change_product(three[0], Wanted({"attributes.Вес": "1.5 кг", "attributes.Цвет": None}), actor=MARINA)

    assert outcome.changes == {"attributes.Вес": (None, "1.5 кг"), "attributes.Цвет": ("чёрный", None)}
    product = shop["products"].find_one({"_id": "PROD-1"})
    assert product is not None
    assert (product["attributes"], product["facets"]) == ({"Вес": "1.5 кг"}, ["Вес=1.5 кг"])


def test_products_move_to_another_category_with_their_reservations(
    shop: Database[Document], three: list[ProductKey]
) -> None:
    shop["products"].update_one({"_id": "PROD-1"}, {"$set": {"stock.0.reserved": 4}})

    outcomes = change(three, lambda _: Wanted({"category": "video"}))

    assert [outcome.key.category for outcome in outcomes] == ["video"] * 3
    moved = shop["products"].find_one({"_id": "PROD-1"})
    assert moved is not None
    assert moved["stock"] == [{"geozone": "msk", "quantity": 10, "reserved": 4}]
    assert_whole(shop)


@pytest.mark.parametrize(
    ("wanted", "refusal"),
    [
        (Wanted({"category": "sound"}), "NotALeaf"),
        (Wanted({"category": "nowhere"}), "UnknownCategory"),
        (Wanted({"stock.nowhere": 5}), "UnknownGeozone"),
        (Wanted({"sale_price": "1000.00"}), "SaleNotBelowBase"),
        (Wanted({"name": ""}), "Missing"),
        (Wanted(deltas={"msk": -8}), "BelowReserved"),
    ],
)
def test_what_the_form_refuses_is_refused_here(
    shop: Database[Document], three: list[ProductKey], wanted: Wanted, refusal: str
) -> None:
    shop["products"].update_one({"_id": "PROD-1"}, {"$set": {"stock.0.reserved": 4}})
    before = everything(shop)

    outcome = change_product(three[0], wanted, actor=MARINA)

    assert told(outcome) == ("PROD-1", {}, {}, [refusal])
    assert everything(shop) == before


def test_pieces_are_added_to_what_is_there_while_others_add_too(
    shop: Database[Document], three: list[ProductKey]
) -> None:
    at_once(
        *(partial(change, three, lambda _: Wanted(deltas={"msk": 5})) for _ in range(3)),
        *(partial(adjust_stock, "PROD-1", "msk", delta=1, actor=MARINA, reason="приход") for _ in range(3)),
    )

    quantities = {each["_id"]: each["stock"][0]["quantity"] for each in shop["products"].find()}
    assert quantities == {"PROD-1": 28, "PROD-2": 25, "PROD-3": 25}
    assert shop["audit"].count_documents({}) == 12
