"""Taking back: what nobody has changed since, the rest told with both values."""

from collections.abc import Callable
from decimal import Decimal
from functools import partial
from typing import Any

import pytest
from pymongo.database import Database

from catalog.changes.batch import Wanted, change_product
from catalog.changes.undo import take_back
from catalog.errors import NotUndone
from catalog.products.cards import ProductKey
from catalog.products.upsert import upsert_product
from catalog.stock.adjust import adjust_stock
from catalog.structure.categories import edit_category
from catalog.tests.shop import MARINA, assert_whole, draft
from gateway.mongo.client import Document
from gateway.tests.races import at_once, paused_process

pytestmark = pytest.mark.usefixtures("two_shards")

KEY = ProductKey("audio", "PROD-1")

change = partial(change_product, KEY, actor=MARINA)
adjust = partial(adjust_stock, "PROD-1", "msk", actor=MARINA, reason="пересчёт")


@pytest.fixture
def product(shop: Database[Document]) -> Callable[[], Any]:
    upsert_product(draft(), actor=MARINA)
    shop["audit"].delete_many({})
    return lambda: shop["products"].find_one({"_id": "PROD-1"})


def latest(shop: Database[Document]) -> Any:
    return shop["audit"].find_one({}, sort=[("at", -1), ("_id", -1)])


def test_change_is_taken_back_and_taken_back_again(shop: Database[Document], product: Callable[[], Any]) -> None:
    change(Wanted({"base_price": "5990.00", "sale_price": None, "attributes.Цвет": "белый", "name": "Тишина 2"}))

    back = take_back(latest(shop)["_id"], actor=MARINA)

    assert back.conflicts == {}
    assert product()["name"] == "Наушники Тишина"
    assert (str(product()["prices"]["base"]), str(product()["prices"]["sale"])) == ("4990.00", "3990.00")
    assert product()["attributes"] == {"Цвет": "чёрный"}
    assert_whole(shop)

    take_back(latest(shop)["_id"], actor=MARINA)

    assert (product()["name"], product()["attributes"]) == ("Тишина 2", {"Цвет": "белый"})


def test_what_a_colleague_changed_since_stays_and_is_told(shop: Database[Document], product: Callable[[], Any]) -> None:
    change(Wanted({"sale_price": "2990.00", "attributes.Цвет": "белый"}))
    entry = latest(shop)
    change(Wanted({"sale_price": "3500.00", "attributes.Вес": "100 г"}))

    back = take_back(entry["_id"], actor=MARINA)

    assert back.conflicts == {"sale_price": ("2990.00", "3500.00")}
    assert back.changes == {"attributes.Цвет": ("белый", "чёрный")}
    assert str(product()["price"]) == "3500.00"
    assert product()["attributes"] == {"Цвет": "чёрный", "Вес": "100 г"}


def test_stock_is_taken_back_as_pieces_and_what_was_sold_stays_sold(
    shop: Database[Document], product: Callable[[], Any]
) -> None:
    adjust(quantity=50)
    entry = latest(shop)
    shop["products"].update_one({"_id": "PROD-1"}, {"$inc": {"stock.0.quantity": -3}})

    take_back(entry["_id"], actor=MARINA)

    assert product()["stock"] == [{"geozone": "msk", "quantity": 7, "reserved": 0}]


def test_stock_that_somebody_counted_since_is_left_alone(shop: Database[Document], product: Callable[[], Any]) -> None:
    adjust(quantity=50)
    entry = latest(shop)
    adjust(quantity=60)

    back = take_back(entry["_id"], actor=MARINA)

    assert (back.changes, back.conflicts) == ({}, {"stock.msk": (50, 60)})
    assert product()["stock"][0]["quantity"] == 60


def test_stock_is_never_taken_back_below_what_is_reserved(shop: Database[Document], product: Callable[[], Any]) -> None:
    adjust(delta=5)
    entry = latest(shop)
    shop["products"].update_one({"_id": "PROD-1"}, {"$set": {"stock.0.reserved": 12}})

    back = take_back(entry["_id"], actor=MARINA)

    assert [type(refusal).__name__ for refusal in back.refusals] == ["BelowReserved"]
    assert product()["stock"] == [{"geozone": "msk", "quantity": 15, "reserved": 12}]


def test_two_who_take_back_the_same_pieces_take_them_once(shop: Database[Document], product: Callable[[], Any]) -> None:
    adjust(delta=5)
    entry = latest(shop)

    outcomes = at_once(*(partial(take_back, entry["_id"], actor=MARINA) for _ in range(4)))

    assert product()["stock"][0]["quantity"] == 10
    assert sorted(len(outcome.changes) for outcome in outcomes) == [0, 0, 0, 1]


def test_killed_in_the_middle_nothing_comes_back_and_the_next_takes_all(
    shop: Database[Document], product: Callable[[], Any]
) -> None:
    change(Wanted({"base_price": "5990.00", "name": "Тишина 2"}))
    entry, before = latest(shop), product()
    code = (
        "from bson import ObjectId; from catalog.changes.undo import take_back; from catalog.tests.shop import MARINA;"
        f"take_back(ObjectId('{entry['_id']}'), actor=MARINA)"
    )
    with paused_process(shop, code, command="commitTransaction"):
        assert (product(), latest(shop)) == (before, entry)

    take_back(entry["_id"], actor=MARINA)

    assert (product()["name"], str(product()["prices"]["base"])) == ("Наушники Тишина", "4990.00")
    assert shop["audit"].count_documents({"target": "product:PROD-1"}) == 2


def test_move_is_taken_back_wherever_the_product_is_now(shop: Database[Document], product: Callable[[], Any]) -> None:
    change(Wanted({"category": "video"}))

    take_back(latest(shop)["_id"], actor=MARINA)

    assert product()["category"] == "audio"
    assert_whole(shop)


def test_product_that_was_made_is_withdrawn(shop: Database[Document]) -> None:
    upsert_product(draft(base_price=Decimal(5000)), actor=MARINA)

    take_back(latest(shop)["_id"], actor=MARINA)

    made = shop["products"].find_one({"_id": "PROD-1"})
    assert made is not None
    assert made["withdrawn"] is True


def test_what_is_no_change_of_a_product_is_refused(shop: Database[Document], product: Callable[[], Any]) -> None:
    edit_category("audio", name="Звучание", position=1, actor=MARINA)

    with pytest.raises(NotUndone):
        take_back(latest(shop)["_id"], actor=MARINA)
