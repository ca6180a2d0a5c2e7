"""Discounts are planned and cancelled: what is refused, who did it, and two who plan at once."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from bson import Decimal128
from pymongo.database import Database

from catalog.discounts.plans import MAX_PLANNED, MAX_REMEMBERED, NewDiscount, State, discounts_of, plan_discount
from catalog.discounts.turns import cancel_discount, turn_discounts
from catalog.documents import Discount
from catalog.errors import DiscountOver
from catalog.products.upsert import upsert_product
from catalog.tests.shop import MARINA, assert_whole, draft, everything, raised
from gateway.mongo.client import Document
from gateway.tests.races import at_once

HOUR = timedelta(hours=1)


@pytest.fixture
def product(shop: Database[Document]) -> Document:
    """4990.00, and 3990.00 with the discount it has."""
    return {**upsert_product(draft(), actor=MARINA).document}


def in_hours(starts: float, ends: float, **given: Decimal | int) -> NewDiscount:
    now = datetime.now(UTC)
    return NewDiscount(now + starts * HOUR, now + ends * HOUR, **(given or {"percent": 50}))  # type: ignore[arg-type]


def plan(starts: float, ends: float, **given: Decimal | int) -> Discount:
    return plan_discount("PROD-1", in_hours(starts, ends, **given), actor=MARINA)


def states() -> list[str]:
    return [discount["state"] for discount in discounts_of("PROD-1")]


@pytest.mark.parametrize(
    ("starts", "ends", "given", "reasons"),
    [
        (1, 2, {"percent": 0}, [("INVALID", ("percent",))]),
        (1, 2, {"percent": 100}, [("INVALID", ("percent",))]),
        (1, 2, {"percent": 10, "sale_price": Decimal(10)}, [("INVALID", ("percent",))]),
        (1, 2, {"sale_price": Decimal("4990.00")}, [("INVALID", ("sale_price",))]),
        (1, 2, {"sale_price": Decimal(0)}, [("INVALID", ("sale_price",))]),
        (2, 1, {"percent": 10}, [("INVALID", ("ends_at",))]),
        (-25, 1, {"percent": 10}, [("INVALID", ("starts_at",))]),
        (-2, -1, {"percent": 10}, [("INVALID", ("ends_at",))]),
        (1, 24 * 400, {"percent": 10}, [("INVALID", ("ends_at",))]),
        (2, 1, {"percent": 0}, [("INVALID", ("percent",)), ("INVALID", ("ends_at",))]),
    ],
)
def test_what_makes_no_sense_is_refused_with_every_reason(
    product: Document,
    shop: Database[Document],
    starts: float,
    ends: float,
    given: dict[str, Decimal | int],
    reasons: list[tuple[str, tuple[str]]],
) -> None:
    before = everything(shop)

    assert raised(lambda: plan(starts, ends, **given)) == reasons

    assert everything(shop) == before
    assert discounts_of("PROD-1") == []


def test_product_that_is_not_there_has_no_discounts(shop: Database[Document]) -> None:
    assert raised(lambda: plan(1, 2)) == [("NOT_FOUND", ("product",))]


def test_overlapping_discounts_are_refused_and_neighbours_are_not(product: Document) -> None:
    plan(10, 20)

    for starts, ends in ((9, 11), (19, 21), (12, 13), (5, 30), (10, 20)):
        assert raised(lambda starts=starts, ends=ends: plan(starts, ends)) == [("CONFLICT", ("starts_at",))]  # type: ignore[misc]
    first = discounts_of("PROD-1")[0]
    ends_at = first["ends_at"].replace(tzinfo=UTC)
    plan_discount("PROD-1", NewDiscount(ends_at, ends_at + HOUR, percent=10), actor=MARINA)

    assert states() == ["planned", "planned"]


def test_of_ten_who_plan_for_the_same_time_one_gets_it(product: Document, shop: Database[Document]) -> None:
    results = at_once(*[lambda: plan(1, 2)] * 10)

    assert sorted(type(each).__name__ for each in results) == sorted(["dict", *["Overlap"] * 9])
    assert states() == ["planned"]
    assert shop["audit"].count_documents({"action": "discount.planned"}) == 1


def test_no_more_than_so_many_are_planned(product: Document) -> None:
    for number in range(MAX_PLANNED):
        plan(number + 1, number + 1.5)

    assert raised(lambda: plan(500, 501)) == [("INVALID", ())]


def test_plan_and_cancellation_are_in_the_audit(product: Document, shop: Database[Document]) -> None:
    discount = plan(1, 2, sale_price=Decimal("2990.00"))

    cancelled = cancel_discount("PROD-1", discount["id"], actor=MARINA, reason="передумали")

    assert cancelled["state"] == State.CANCELLED.value
    entries = list(shop["audit"].find({"action": {"$regex": "^discount"}}).sort("at", 1))
    assert [(entry["action"], entry["actor"], entry["reason"]) for entry in entries] == [
        ("discount.planned", MARINA.name, ""),
        ("discount.cancelled", MARINA.name, "передумали"),
    ]
    assert entries[0]["changes"]["discount_price"] == [None, "2990.00"]
    assert shop["products"].find_one({"_id": "PROD-1"})["prices"] == product["prices"]  # type: ignore[index]
    with pytest.raises(DiscountOver):
        cancel_discount("PROD-1", discount["id"], actor=MARINA)
    assert turn_discounts(datetime.now(UTC) + 1.5 * HOUR) == 0


def test_cancelled_while_it_runs_gives_the_price_back(product: Document, shop: Database[Document]) -> None:
    discount = plan(-1, 2)
    assert turn_discounts() == 1
    running = shop["products"].find_one({"_id": "PROD-1"})
    assert running is not None
    assert running["prices"] == {"base": Decimal128("4990.00"), "sale": Decimal128("2495.00")}

    cancel_discount("PROD-1", discount["id"], actor=MARINA)

    stored = shop["products"].find_one({"_id": "PROD-1"})
    assert stored is not None
    assert stored["prices"] == product["prices"]
    assert states() == ["cancelled"]
    assert_whole(shop)


def test_only_the_latest_of_those_that_are_over_are_remembered(product: Document) -> None:
    for _ in range(MAX_REMEMBERED + 3):
        cancel_discount("PROD-1", plan(1, 2)["id"], actor=MARINA)
    plan(3, 4)

    assert states() == [*["cancelled"] * MAX_REMEMBERED, "planned"]
