"""Discounts begin and end once, with two beats and two workers, with kills in the middle, with editors in between."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from bson import Decimal128
from pymongo.database import Database

from catalog.discounts.plans import NewDiscount, discounts_of, plan_discount
from catalog.discounts.turns import cancel_discount, turn_discounts
from catalog.products.upsert import upsert_product
from catalog.tests.discounts.test_plans import HOUR, plan, product, states
from catalog.tests.shop import MARINA, assert_whole, draft
from gateway.mongo.client import Document
from gateway.mongo.commands import COMMANDS
from gateway.tests.eventually import eventually
from gateway.tests.races import at_once, paused_process

__all__ = ["product"]

IN_BETWEEN, AFTERWARDS = 1.5 * HOUR, 3 * HOUR


def sale(shop: Database[Document]) -> str | None:
    stored = shop["products"].find_one({"_id": "PROD-1"})
    assert stored is not None
    assert_whole(shop)
    return None if stored["prices"]["sale"] is None else str(stored["prices"]["sale"])


def told(shop: Database[Document]) -> list[tuple[str, list[str | None] | None, str]]:
    """What the schedule has done, by the audit: action, sale price before and after, reason."""
    entries = shop["audit"].find({"actor": "discounts"}).sort([("at", 1), ("_id", 1)])
    return [(entry["action"], entry["changes"].get("sale_price"), entry["reason"]) for entry in entries]


BEGUN = ("product.changed", ["3990.00", "2495.00"], "скидка по расписанию: начало")
ENDED = ("product.changed", ["2495.00", "3990.00"], "скидка по расписанию: конец")


def test_discount_begins_and_ends_and_restores_the_price(product: Document, shop: Database[Document]) -> None:
    plan(1, 2)
    now = datetime.now(UTC)

    assert (turn_discounts(now), sale(shop)) == (0, "3990.00")
    assert (turn_discounts(now + IN_BETWEEN), sale(shop), states()) == (1, "2495.00", ["running"])
    assert (turn_discounts(now + IN_BETWEEN), sale(shop)) == (0, "2495.00")
    assert (turn_discounts(now + AFTERWARDS), sale(shop), states()) == (1, "3990.00", ["ended"])
    assert turn_discounts(now + AFTERWARDS) == 0
    assert told(shop) == [BEGUN, ENDED]


def test_ten_who_turn_at_once_do_it_once(product: Document, shop: Database[Document]) -> None:
    plan(1, 2)
    now = datetime.now(UTC)

    begun = at_once(*[lambda: turn_discounts(now + IN_BETWEEN)] * 10)
    ended = at_once(*[lambda: turn_discounts(now + AFTERWARDS)] * 10)

    assert (sum(begun), sum(ended)) == (1, 1)
    assert told(shop) == [BEGUN, ENDED]
    assert sale(shop) == "3990.00"


def test_two_beats_and_two_workers_begin_and_end_it_once(
    product: Document, shop: Database[Document], run_worker: Callable[..., Path], tmp_path: Path
) -> None:
    often = {"DJANGO_SETTINGS_MODULE": "catalog.tests.discounts.often_settings"}
    plan(-1, 2)
    for number in range(2):
        run_worker("--beat", "--schedule", str(tmp_path / f"beat-{number}"), "--pool", "solo", **often)

    eventually(states, ["running"], within=60)
    over = datetime.now(UTC)
    shop["discount_plans"].update_one({"_id": "PROD-1"}, {"$set": {"discounts.0.ends_at": over, "due": over}})
    eventually(states, ["ended"], within=30)
    # The shards commit one after the other.
    eventually(lambda: told(shop), [BEGUN, ENDED])
    eventually(lambda: sale(shop), "3990.00")


@pytest.mark.parametrize("command", ["update", "commitTransaction"])
@pytest.mark.parametrize(("after", "begun"), [(IN_BETWEEN, False), (AFTERWARDS, True)], ids=["beginning", "end"])
def test_killed_in_the_middle_it_is_done_once_by_the_next(
    product: Document, shop: Database[Document], command: str, after: timedelta, begun: bool
) -> None:
    plan(1, 2)
    now = datetime.now(UTC)
    if begun:
        turn_discounts(now + IN_BETWEEN)
    before = (sale(shop), states())
    moment = (now + after).isoformat()
    code = (
        "from datetime import datetime; from catalog.discounts.turns import turn_discounts;"
        f"turn_discounts(datetime.fromisoformat({moment!r}))"
    )
    with paused_process(shop, code, command=command, collection="products" if command == "update" else None):
        assert (sale(shop), states()) == before

    assert turn_discounts(now + after) == 1

    assert told(shop) == ([BEGUN, ENDED] if begun else [BEGUN])
    assert sale(shop) == ("3990.00" if begun else "2495.00")


def test_cancellation_killed_in_the_middle_leaves_it_running(product: Document, shop: Database[Document]) -> None:
    discount = plan(-1, 2)
    turn_discounts()
    code = (
        "from catalog.discounts.turns import cancel_discount; from catalog.tests.shop import MARINA;"
        f"cancel_discount('PROD-1', {discount['id']!r}, actor=MARINA)"
    )
    with paused_process(shop, code, command="commitTransaction"):
        assert (sale(shop), states()) == ("2495.00", ["running"])

    cancel_discount("PROD-1", discount["id"], actor=MARINA)

    assert (sale(shop), states()) == ("3990.00", ["cancelled"])
    assert shop["audit"].count_documents({"action": "discount.cancelled"}) == 1


def test_price_that_somebody_changed_meanwhile_is_left_and_told(product: Document, shop: Database[Document]) -> None:
    plan(1, 2)
    now = datetime.now(UTC)
    turn_discounts(now + IN_BETWEEN)
    upsert_product(draft(sale_price=Decimal("1990.00")), actor=MARINA)

    assert turn_discounts(now + AFTERWARDS) == 1

    assert sale(shop) == "1990.00"
    assert told(shop)[1:] == [
        (
            "discount.left",
            ["2495.00", "1990.00"],
            "скидка кончилась, но цену за это время изменили: она оставлена",
        )
    ]
    assert [each.get("price_was_left") for each in discounts_of("PROD-1")] == [True]


def test_base_price_that_fell_meanwhile_leaves_no_sale_above_it(product: Document, shop: Database[Document]) -> None:
    plan(1, 2)
    now = datetime.now(UTC)
    turn_discounts(now + IN_BETWEEN)
    upsert_product(draft(base_price=Decimal("3000.00"), sale_price=Decimal("2495.00")), actor=MARINA)

    turn_discounts(now + AFTERWARDS)

    assert sale(shop) is None


def test_price_that_no_longer_fits_leaves_the_product_alone(product: Document, shop: Database[Document]) -> None:
    plan(1, 2, sale_price=Decimal("2990.00"))
    upsert_product(draft(base_price=Decimal("2500.00"), sale_price=None), actor=MARINA)

    assert turn_discounts(datetime.now(UTC) + IN_BETWEEN) == 1

    assert (sale(shop), states()) == (None, ["missed"])
    assert discounts_of("PROD-1")[0]["missed_because"] == "price"
    assert told(shop) == [("discount.left", None, "скидка не началась: цена больше не подходит")]


def test_discount_that_nobody_began_in_time_is_missed(product: Document, shop: Database[Document]) -> None:
    plan(1, 2)

    assert turn_discounts(datetime.now(UTC) + AFTERWARDS) == 1

    assert (sale(shop), states()) == ("3990.00", ["missed"])
    assert discounts_of("PROD-1")[0]["missed_because"] == "late"


def test_neighbours_follow_each_other_in_one_turn(product: Document, shop: Database[Document]) -> None:
    first = plan(1, 2)
    plan_discount(
        "PROD-1", NewDiscount(first["ends_at"], first["ends_at"] + 9 * HOUR, sale_price=Decimal("100.00")), actor=MARINA
    )
    now = datetime.now(UTC)
    turn_discounts(now + IN_BETWEEN)

    assert turn_discounts(now + AFTERWARDS) == 2

    assert (sale(shop), states()) == ("100.00", ["ended", "running"])
    turn_discounts(now + 12 * HOUR)
    assert sale(shop) == "3990.00"


def test_product_that_moves_keeps_its_discount(product: Document, shop: Database[Document]) -> None:
    plan(1, 2)
    now = datetime.now(UTC)
    turn_discounts(now + IN_BETWEEN)
    upsert_product(draft(category="video", sale_price=Decimal("2495.00")), actor=MARINA)

    turn_discounts(now + AFTERWARDS)

    stored = shop["products"].find_one({"_id": "PROD-1"})
    assert stored is not None
    assert (stored["category"], stored["prices"]["sale"]) == ("video", Decimal128("3990.00"))


def test_one_who_cancels_and_one_who_ends_do_it_once(product: Document, shop: Database[Document]) -> None:
    discount = plan(-1, 2)
    turn_discounts()
    later = datetime.now(UTC) + AFTERWARDS

    at_once(
        lambda: cancel_discount("PROD-1", discount["id"], actor=MARINA),
        lambda: turn_discounts(later),
    )

    assert sale(shop) == "3990.00"
    assert shop["audit"].count_documents({"changes.sale_price": ["2495.00", "3990.00"]}) == 1


def test_sweep_that_finds_nothing_asks_once(product: Document) -> None:
    plan(1, 2)

    with COMMANDS.counted() as sent:
        turn_discounts()

    assert [(name.collection, name.command, count) for name, count in sent.items()] == [("discount_plans", "find", 1)]
