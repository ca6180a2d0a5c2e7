"""What was bought lately lifts a product by buckets; nobody's edit, nobody's version."""

from datetime import UTC, datetime, timedelta

import pytest
from django.conf import settings
from pymongo.database import Database

from cart.tests.carts import EVERYWHERE
from cart.tests.shop import CUSTOMER, sell_many
from catalog.products.popularity import bucket_of, keep_bought
from catalog.products.upsert import upsert_product
from catalog.tests.shop import MARINA, draft
from gateway.mongo.client import Document
from gateway.mongo.commands import COMMANDS
from gateway.tests.races import at_once
from ordering import tasks
from ordering.sales import bought
from ordering.sales.bought import count_bought
from ordering.tests.bulk import one_bought

NOW = datetime(2031, 5, 20, 14, 30, tzinfo=UTC)


@pytest.fixture
def shop_with_orders(orders: Database[Document]) -> Database[Document]:
    """One order as the checkout makes it, which the others are like."""
    made = one_bought(CUSTOMER)
    orders["orders"].update_one({"_id": made["_id"]}, {"$set": {"created_at": NOW - timedelta(days=400)}})
    return orders


def ordered(shop: Database[Document], number: int, product_id: str, *, days_ago: float = 1, **changes: object) -> None:
    """So many orders of the product, on every member: the count asks any of them."""
    like = shop["orders"].find_one({"client_key": None})
    assert like is not None
    start = shop["orders"].count_documents({})
    line = {**like["items"][0], "product_id": product_id, "quantity": 3, "refunded": changes.pop("refunded", 0)}
    stored = {**like, "status": "paid", "created_at": NOW - timedelta(days=days_ago), **changes}
    everywhere = shop.get_collection("orders", write_concern=EVERYWHERE)
    everywhere.insert_many([{**stored, "_id": f"order-{start + each}", "items": [line]} for each in range(number)])


def buckets(shop: Database[Document]) -> dict[str, int]:
    return {each["_id"]: each["bought"] for each in shop["products"].find({"bought": {"$exists": True}})}


def test_bucket_is_four_times_the_one_before() -> None:
    edges = (0, 1, 3, 4, 15, 16, 63, 64, 255, 256, 10**9)

    assert [bucket_of(orders) for orders in edges] == [0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]


def test_paid_orders_of_the_last_month_count_each_once(shop_with_orders: Database[Document]) -> None:
    ordered(shop_with_orders, 4, "PROD-1", days_ago=29)
    ordered(shop_with_orders, 12, "PROD-1", status="delivered")
    ordered(shop_with_orders, 2, "PROD-2", days_ago=0)
    ordered(shop_with_orders, 90, "PROD-2", status="new")
    ordered(shop_with_orders, 90, "PROD-2", status="cancelled")
    ordered(shop_with_orders, 90, "PROD-2", days_ago=31)
    ordered(shop_with_orders, 90, "PROD-3", refunded=3)
    ordered(shop_with_orders, 90, "GONE-1")

    moved = count_bought(NOW)

    assert (moved, buckets(shop_with_orders)) == (2, {"PROD-1": 3, "PROD-2": 1})


def test_what_is_no_longer_bought_goes_back_and_a_second_run_moves_nothing(
    shop_with_orders: Database[Document],
) -> None:
    ordered(shop_with_orders, 5, "PROD-1")
    ordered(shop_with_orders, 5, "PROD-2", days_ago=20)

    assert [count_bought(NOW), count_bought(NOW), count_bought(NOW + timedelta(days=15))] == [2, 0, 1]

    assert buckets(shop_with_orders) == {"PROD-1": 2, "PROD-2": 0}


def test_nothing_else_of_the_product_changes_and_nobody_is_told(shop_with_orders: Database[Document]) -> None:
    def without_bucket() -> tuple[object, ...]:
        product = shop_with_orders["products"].find_one({"_id": "PROD-1"}, {"bought": 0, "standing": 0})
        return product, shop_with_orders["audit"].count_documents({})

    before = without_bucket()

    keep_bought({"PROD-1": 100})

    assert without_bucket() == before
    assert buckets(shop_with_orders) == {"PROD-1": 4}


def test_edit_and_move_to_another_category_leave_the_bucket_alone(shop_with_orders: Database[Document]) -> None:
    keep_bought({"PROD-1": 100})

    upsert_product(draft(product_id="PROD-1", name="Другое имя", category="video"), actor=MARINA)

    found = shop_with_orders["products"].find_one({"_id": "PROD-1"}, ["category", "name", "bought"])
    assert found == {"_id": "PROD-1", "category": "video", "name": "Другое имя", "bought": 4}
    assert keep_bought({}) == 1


def test_two_runs_and_an_editor_at_once_lose_nothing(shop_with_orders: Database[Document]) -> None:
    answers = at_once(
        lambda: keep_bought({"PROD-1": 5}),
        lambda: keep_bought({"PROD-1": 5}),
        lambda: upsert_product(draft(product_id="PROD-1", name="Другое имя", category="audio"), actor=MARINA),
    )

    assert not [each for each in answers if isinstance(each, Exception)]
    found = shop_with_orders["products"].find_one({"_id": "PROD-1"}, ["name", "bought"])
    assert found == {"_id": "PROD-1", "name": "Другое имя", "bought": 2}


def test_only_the_most_bought_are_remembered(
    shop_with_orders: Database[Document], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bought, "MAX_PRODUCTS", 1)
    ordered(shop_with_orders, 2, "PROD-1")
    ordered(shop_with_orders, 5, "PROD-2")

    count_bought(NOW)

    assert buckets(shop_with_orders) == {"PROD-2": 2}


def test_commands_are_as_many_as_batches(shop_with_orders: Database[Document], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("catalog.products.popularity.BATCH", 4)
    ids = sell_many(shop_with_orders, 10)

    with COMMANDS.counted() as sent:
        moved = keep_bought(dict.fromkeys(ids, 1))

    asked = {(kind.command, kind.collection): times for kind, times in sent.items()}
    assert (moved, asked) == (
        10,
        {("find", "products"): 1, ("find", "product_directory"): 3, ("update", "products"): 3},
    )


def test_beat_counts_it(shop_with_orders: Database[Document]) -> None:
    ordered(shop_with_orders, 1, "PROD-1", created_at=datetime.now(UTC))

    assert settings.CELERY_BEAT_SCHEDULE["count-bought"]["task"] == tasks.count_bought.name
    tasks.count_bought()

    assert buckets(shop_with_orders) == {"PROD-1": 1}
