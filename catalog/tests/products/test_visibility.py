"""Why buyers do not see a product, or cannot buy it: each reason by itself, and all of them together."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from bson import Decimal128
from pymongo.database import Database

from catalog.products.cards import card_by_id
from catalog.products.upsert import upsert_product
from catalog.products.visibility import (
    AllReserved,
    Appearance,
    CategoryGone,
    CategoryHidden,
    CopyBehind,
    NoneHere,
    NoPrice,
    OlderShown,
    SoldOut,
    Withdrawn,
    appearance,
    reasons_of,
)
from catalog.structure.category_tree import CategoryTree, whole_tree
from catalog.tests.shop import MARINA, draft
from gateway.mongo.client import Document
from gateway.mongo.commands import COMMANDS
from gateway.mongo.reads import run, run_steps

MOSCOW = {"geozone": "msk", "quantity": 10, "reserved": 0}
PETERSBURG = {"geozone": "spb", "quantity": 3, "reserved": 0}


@pytest.fixture
def product(shop: Database[Document]) -> Document:
    """For sale in both geozones, and in step with Cassandra."""
    upsert_product(draft(), actor=MARINA)
    change(shop, {"stock": [MOSCOW, PETERSBURG]})
    shop["products"].update_one({"_id": "PROD-1"}, {"$unset": {"unsynced": 1}})
    return shop["products"].find_one({"_id": "PROD-1"}) or {}


def change(shop: Database[Document], fields: Document) -> None:
    shop["products"].update_one({"_id": "PROD-1"}, {"$set": fields})


def seen() -> Appearance:
    found = run_steps(appearance("PROD-1"))
    assert found is not None
    return found


def test_product_that_everybody_can_buy_has_no_reason(product: Document) -> None:
    shown = seen()

    assert (shown.is_shown, shown.reasons) == (True, ())
    assert [(level.geozone.name, level.available) for level in shown.levels] == [
        ("Москва", 10),
        ("Санкт-Петербург", 3),
    ]
    assert [node.name for node in shown.path] == ["Звук", "Аудио"]


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"price": Decimal128("0.00")}, NoPrice()),
        ({"stock": []}, SoldOut()),
        ({"stock": [{**MOSCOW, "quantity": 0}]}, SoldOut()),
        ({"stock": [{**MOSCOW, "reserved": 10}]}, AllReserved(10)),
        ({"stock": [MOSCOW]}, NoneHere("spb", 0)),
        ({"stock": [MOSCOW, {**PETERSBURG, "reserved": 3}]}, NoneHere("spb", 3)),
    ],
)
def test_product_that_is_seen_and_cannot_be_bought(
    product: Document, shop: Database[Document], fields: Document, reason: Any
) -> None:
    change(shop, fields)

    shown = seen()

    assert (shown.is_shown, shown.reasons) == (True, (reason,))


def test_withdrawn_product_is_not_shown_and_looks_as_it_would(product: Document, shop: Database[Document]) -> None:
    change(shop, {"withdrawn": True})

    shown = seen()

    assert (shown.is_shown, shown.reasons) == (False, (Withdrawn(),))
    assert shown.product["name"] == "Наушники Тишина"


@pytest.mark.parametrize("hidden", ["audio", "sound"])
def test_hidden_category_is_named_wherever_above_it_is(
    product: Document, shop: Database[Document], hidden: str
) -> None:
    shop["categories"].update_one({"_id": hidden}, {"$set": {"hidden": True}})

    shown = seen()

    assert (shown.is_shown, shown.reasons) == (False, (CategoryHidden(hidden),))


def test_category_that_is_gone_is_told(product: Document, shop: Database[Document]) -> None:
    shop["categories"].delete_one({"_id": "audio"})

    assert seen().reasons == (CategoryGone("audio"),)


def test_copy_that_is_behind_is_told_with_its_error(product: Document, shop: Database[Document]) -> None:
    since = datetime(2026, 11, 18, 12, tzinfo=UTC)
    change(shop, {"unsynced": {"since": since, "due": since, "error": "NoHostAvailable: all away"}})

    (reason,) = seen().reasons

    assert isinstance(reason, CopyBehind)
    assert (reason.since.replace(tzinfo=UTC), reason.error) == (since, "NoHostAvailable: all away")


def test_edit_that_has_not_reached_buyers_is_told_and_sales_are_none(
    product: Document, shop: Database[Document]
) -> None:
    tree: CategoryTree = run(whole_tree())
    card = run_steps(card_by_id("PROD-1"))
    assert card is not None
    edited: Any = {**product, "edited_at": product["edited_at"] + timedelta(seconds=1)}
    withdrawn: Any = {**edited, "withdrawn": True}
    sold: Any = {**product, "version": product["version"] + 1}

    assert reasons_of(edited, card, tree, ["msk", "spb"]) == (OlderShown(),)
    assert reasons_of(withdrawn, card, tree, ["msk", "spb"]) == (Withdrawn(), OlderShown())
    assert reasons_of(edited, None, tree, ["msk", "spb"]) == (OlderShown(),)
    assert reasons_of(sold, card, tree, ["msk", "spb"]) == ()


def test_all_reasons_are_told_at_once_the_worst_first(product: Document, shop: Database[Document]) -> None:
    shop["categories"].update_one({"_id": "sound"}, {"$set": {"hidden": True}})
    change(shop, {"withdrawn": True, "stock": [], "price": Decimal128("0.00")})

    assert seen().reasons == (Withdrawn(), CategoryHidden("sound"), NoPrice(), SoldOut())


def test_product_that_is_not_there_has_no_appearance(shop: Database[Document]) -> None:
    assert run_steps(appearance("PROD-1")) is None


def test_appearance_asks_one_shard_and_a_handful_of_commands(product: Document) -> None:
    with COMMANDS.counted() as sent:
        seen()

    assert sorted((name.collection, name.policy, name.shards) for name in sent.elements()) == [
        ("categories", "catalog.list", 1),
        ("geozones", "catalog.list", 1),
        ("product_directory", "catalog.card", 1),
        ("product_directory", "staff.list", 1),
        ("products", "catalog.card", 1),
        ("products", "staff.list", 1),
    ]
