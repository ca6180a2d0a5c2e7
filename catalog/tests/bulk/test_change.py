"""Operations on a product's values: what each wants, exactly. No store is needed."""

from decimal import Decimal
from typing import Any, cast

import pytest
from bson import Decimal128

from catalog.bulk.cautions import Caution, cautions_of
from catalog.bulk.change import BulkChange, checked_change
from catalog.bulk.operations import (
    OPERATIONS,
    AddStock,
    Discount,
    EndDiscount,
    Move,
    Operation,
    Prices,
    Round,
    SetAttribute,
    SetPrice,
    SetStock,
    ShiftByAmount,
    ShiftByPercent,
    Withdraw,
)
from catalog.bulk.rounding import Direction, Ending
from catalog.changes.batch import Wanted, preview
from catalog.documents import ProductDocument
from catalog.errors import UnknownOperation
from catalog.tests.shop import raised

TEN_PERCENT_OFF = ShiftByPercent(Decimal(-10))
EVERY_OPERATION: tuple[Operation, ...] = (
    ShiftByPercent(Decimal("-12.5"), Prices.SALE),
    ShiftByAmount(Decimal("-100.50"), Prices.BASE),
    SetPrice(Decimal(990), Prices.SALE),
    Discount(Decimal(15)),
    EndDiscount(),
    Round(Ending.NINETY_NINE, Direction.UP, Prices.SALE),
    Withdraw(withdrawn=False),
    SetAttribute("Цвет", None),
    Move("video"),
    SetStock("msk", 5),
    AddStock("spb", -3),
)


def product(base: str = "4990.00", sale: str | None = "3990.00", **fields: Any) -> ProductDocument:
    document = {
        "_id": "PROD-1",
        "category": "audio",
        "name": "Наушники Тишина",
        "description": "",
        "prices": {"base": Decimal128(base), "sale": None if sale is None else Decimal128(sale)},
        "stock": [{"geozone": "msk", "quantity": 10, "reserved": 2}],
        "attributes": {"Цвет": "чёрный"},
        "images": [],
        "withdrawn": False,
        **fields,
    }
    return cast("ProductDocument", document)


@pytest.mark.parametrize(
    ("operation", "wanted"),
    [
        (TEN_PERCENT_OFF, {"base_price": "4491.00", "sale_price": "3591.00"}),
        (ShiftByPercent(Decimal("7.5"), Prices.BASE), {"base_price": "5364.25"}),
        (ShiftByPercent(Decimal("33.33"), Prices.SALE), {"sale_price": "5319.87"}),
        (ShiftByAmount(Decimal("-100.50")), {"base_price": "4889.50", "sale_price": "3889.50"}),
        (ShiftByAmount(Decimal(10), Prices.SALE), {"sale_price": "4000.00"}),
        (SetPrice(Decimal("5990.5")), {"base_price": "5990.50"}),
        (SetPrice(Decimal(2990), Prices.SALE), {"sale_price": "2990.00"}),
        (Discount(Decimal(15)), {"sale_price": "4241.50"}),
        (EndDiscount(), {"sale_price": None}),
        (Round(Ending.NINETY_NINE), {"base_price": "4999.00", "sale_price": "3999.00"}),
        (Round(Ending.NINE, Direction.DOWN, Prices.BASE), {"base_price": "4989.00"}),
        (Withdraw(), {"withdrawn": True}),
        (Withdraw(withdrawn=False), {"withdrawn": False}),
        (SetAttribute("Цвет", "красный"), {"attributes.Цвет": "красный"}),
        (SetAttribute("Цвет", None), {"attributes.Цвет": None}),
        (Move("video"), {"category": "video"}),
        (SetStock("msk", 5), {"stock.msk": 5}),
    ],
)
def test_what_an_operation_wants(operation: Operation, wanted: dict[str, Any]) -> None:
    assert BulkChange((operation,)).wanted(product()) == Wanted(values=wanted)


def test_pieces_are_added_to_what_there_will_be() -> None:
    assert BulkChange((AddStock("msk", -3),)).wanted(product()) == Wanted(deltas={"msk": -3})
    assert BulkChange((AddStock("msk", -3),)).after(product())["stock.msk"] == 7
    assert BulkChange((AddStock("spb", 4),)).after(product())["stock.spb"] == 4


def test_kopecks_are_rounded_half_up() -> None:
    half_a_kopeck = product(base="0.05", sale=None)

    assert BulkChange((TEN_PERCENT_OFF,)).wanted(half_a_kopeck).values == {"base_price": "0.05"}
    assert BulkChange((ShiftByPercent(Decimal(10)),)).wanted(half_a_kopeck).values == {"base_price": "0.06"}


def test_a_sale_price_that_is_not_there_is_not_moved() -> None:
    plain = product(sale=None)

    assert BulkChange((TEN_PERCENT_OFF,)).wanted(plain).values == {"base_price": "4491.00"}
    assert BulkChange((ShiftByPercent(Decimal(-10), Prices.SALE),)).wanted(plain).values == {}


def test_operations_follow_one_another_and_rounding_comes_last() -> None:
    change = checked_change([Round(Ending.NINETY_NINE), TEN_PERCENT_OFF, Withdraw(withdrawn=False), Move("video")])

    assert change.wanted(product()) == Wanted(
        values={"base_price": "4499.00", "sale_price": "3599.00", "withdrawn": False, "category": "video"}
    )


def test_a_price_of_nothing_is_not_hidden_by_rounding() -> None:
    change = checked_change([ShiftByAmount(Decimal(-5000)), Round(Ending.NINETY_NINE)])

    assert change.wanted(product()).values == {"base_price": "-10.00", "sale_price": "-1010.00"}
    assert cautions_of(product(), change) == [Caution.TO_ZERO, Caution.ROUNDING_IDLE]
    assert [error.path for error in preview(product(), change.wanted(product())).refusals] == [
        ("base_price",),
        ("sale_price",),
    ]


def test_a_change_is_the_same_after_it_was_kept_in_a_job() -> None:
    assert {operation.code for operation in EVERY_OPERATION} == set(OPERATIONS)

    kept = BulkChange(EVERY_OPERATION).to_document()

    assert BulkChange.from_document(kept) == BulkChange(EVERY_OPERATION)
    assert kept[0] == {"code": "price.percent", "percent": "-12.5", "prices": "sale"}


@pytest.mark.parametrize(
    "document",
    [
        {},
        {"code": "price.gift"},
        {"code": "price.percent"},
        {"code": "price.percent", "percent": "x", "prices": "both"},
    ],
)
def test_what_is_no_operation_is_refused(document: dict[str, str]) -> None:
    with pytest.raises(UnknownOperation):
        BulkChange.from_document([document])


@pytest.mark.parametrize(
    ("operations", "errors"),
    [
        ([], [("REQUIRED", ())]),
        ([ShiftByPercent(Decimal(-100))], [("INVALID", ("percent",))]),
        ([ShiftByPercent(Decimal(0))], [("INVALID", ("percent",))]),
        ([ShiftByPercent(Decimal("NaN"))], [("INVALID", ("percent",))]),
        ([ShiftByPercent(Decimal("1.005"))], [("INVALID", ("percent",))]),
        ([ShiftByPercent(Decimal("1e30"))], [("INVALID", ("percent",))]),
        ([ShiftByAmount(Decimal(0))], [("INVALID", ("amount",))]),
        ([SetPrice(Decimal(0))], [("INVALID", ("amount",))]),
        ([SetPrice(Decimal(5), Prices.BOTH)], [("INVALID", ("prices",))]),
        ([Discount(Decimal(100))], [("INVALID", ("percent",))]),
        ([SetAttribute("", "x")], [("REQUIRED", ("name",))]),
        ([SetAttribute("a.b", "")], [("INVALID", ("name",)), ("REQUIRED", ("value",))]),
        ([Move("")], [("REQUIRED", ("category",))]),
        ([SetStock("", -1)], [("REQUIRED", ("geozone",)), ("INVALID", ("quantity",))]),
        ([AddStock("msk", 0)], [("INVALID", ("pieces",))]),
        ([TEN_PERCENT_OFF, Discount(Decimal(5))], [("INVALID", ())]),
        ([AddStock("msk", 1), SetStock("msk", 1)], [("INVALID", ())]),
    ],
)
def test_what_is_wrong_with_a_change(operations: list[Operation], errors: list[Any]) -> None:
    assert raised(lambda: checked_change(operations)) == errors


def test_two_geozones_and_two_attributes_are_one_change() -> None:
    operations = [AddStock("msk", 1), SetStock("spb", 1), SetAttribute("Цвет", "белый"), SetAttribute("Вес", None)]

    assert checked_change(operations).operations == tuple(operations)


@pytest.mark.parametrize(
    ("document", "operations", "expected"),
    [
        (product(), [TEN_PERCENT_OFF], []),
        (product(), [Discount(Decimal(50))], []),
        (product(), [Discount(Decimal("50.01"))], [Caution.DEEP_DISCOUNT]),
        (product(), [Discount(Decimal(5))], [Caution.DISCOUNT_RAISES]),
        (product(), [ShiftByAmount(Decimal(-3990), Prices.SALE)], [Caution.TO_ZERO]),
        (product(), [SetPrice(Decimal(3990))], [Caution.SALE_NOT_BELOW_BASE]),
        (product(), [SetPrice(Decimal(49900))], [Caution.DEEP_DISCOUNT, Caution.BIG_STEP]),
        (product("4999.00", None), [Round(Ending.NINETY_NINE)], [Caution.ROUNDING_IDLE]),
        (product("4998.00", None), [Round(Ending.NINETY_NINE)], []),
        (product(cost=Decimal128("3600.00")), [TEN_PERCENT_OFF], [Caution.BELOW_COST]),
        (product(cost=Decimal128("3591.00")), [TEN_PERCENT_OFF], []),
        (product(cost=Decimal128("9000.00")), [Withdraw()], []),
    ],
)
def test_what_a_person_is_warned_of(
    document: ProductDocument, operations: list[Operation], expected: list[Caution]
) -> None:
    assert cautions_of(document, checked_change(operations)) == expected
