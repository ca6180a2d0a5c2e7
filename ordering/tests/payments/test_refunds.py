"""Money back by line: never above what was paid, once per reference, with or without the goods."""

from decimal import Decimal
from functools import partial
from typing import Any

import pytest
from bson import Decimal128
from pymongo.database import Database

from catalog.tests.shop import raised
from gateway.domain.errors import DomainError
from gateway.mongo.client import Document
from gateway.tests.races import at_once
from ordering.documents import OrderDocument
from ordering.events import BY_BUYER
from ordering.ledger.amounts import paid, refunded
from ordering.ledger.ledger import RefundLine
from ordering.ledger.references import Reference
from ordering.lifecycle.moves import move_order
from ordering.lifecycle.transitions import Who
from ordering.models import OrderStatus
from ordering.payments.refunds import Refunding, refund_order
from ordering.tests.payments_api import all_orders, assert_orders_and_stock_agree, expired, ordered, pay, stock, stored
from ordering.tests.shop import reserved
from ordering.tests.staff import MARINA

BROKEN = Refunding((RefundLine("PROD-1", 1),), "broken", Reference("ref-1"), put_back={}, actor=MARINA)


def refund(order: OrderDocument, *lines: tuple[str, int], **changes: Any) -> OrderDocument:
    wanted = tuple(RefundLine(*line) for line in lines) or BROKEN.lines
    return refund_order(order["_id"], BROKEN._replace(lines=wanted, **changes))


def paid_order() -> OrderDocument:
    """Two headphones at 3990.00 and a television at 49990.00."""
    order = ordered(("PROD-1", 2), ("PROD-2", 1))
    pay(order, "57970.00")
    return order


def test_line_is_refunded_at_its_price_and_the_order_goes_on(orders: Database[Document]) -> None:
    order = paid_order()

    refund(order)

    after = stored(orders, order)
    assert (after["status"], paid(after), refunded(after)) == ("paid", Decimal("57970.00"), Decimal("3990.00"))
    assert [(item["product_id"], item["refunded"]) for item in after["items"]] == [("PROD-1", 1), ("PROD-2", 0)]
    assert [(each["reference"], each["lines"], each["restocked"]) for each in after["money"][1:]] == [
        ("ref-1", [{"product_id": "PROD-1", "quantity": 1}], False)
    ]
    last = after["events"][-1]
    assert (last["type"], last["status"], last["actor"], last["note"]) == ("refund", "paid", "marina", "broken")
    assert (reserved(orders, "PROD-1"), reserved(orders, "PROD-2")) == ((8, 0), (1, 0))
    assert_orders_and_stock_agree(orders)


def test_returned_goods_go_back_on_sale_when_said_so(orders: Database[Document]) -> None:
    order = paid_order()

    refund(order, ("PROD-1", 2), ("PROD-2", 1), put_back=None)

    assert (reserved(orders, "PROD-1"), reserved(orders, "PROD-2")) == ((10, 0), (2, 0))
    assert_orders_and_stock_agree(orders)


def test_order_is_refunded_once_nothing_of_it_is_left(orders: Database[Document]) -> None:
    order = paid_order()

    statuses = [
        refund(order, ("PROD-1", 1), reference="ref-1")["status"],
        refund(order, ("PROD-2", 1), reference="ref-2")["status"],
        refund(order, ("PROD-1", 1), reference="ref-3")["status"],
    ]

    assert statuses == ["paid", "paid", "refunded"]
    after = stored(orders, order)
    assert refunded(after) == paid(after) == Decimal("57970.00")
    before = all_orders(orders)
    assert raised(lambda: refund(order, reference="ref-4")) == [("ILLEGAL_TRANSITION", ("to",))]
    assert all_orders(orders) == before


def test_what_was_paid_too_much_is_not_refunded_by_line(orders: Database[Document]) -> None:
    order = ordered()
    pay(order, "9000.00")

    refund(order, ("PROD-1", 2))

    after = stored(orders, order)
    assert (after["status"], refunded(after), after["to_refund"]) == ("refunded", Decimal("7980.00"), True)


def test_never_above_what_was_paid(orders: Database[Document]) -> None:
    order = paid_order()
    # As after a correction by hand: less was taken than the lines cost.
    orders["orders"].update_one({}, {"$set": {"money.0.amount": Decimal128("5000.00")}})
    refund(order, ("PROD-1", 1))
    before = (all_orders(orders), stock(orders))

    assert raised(lambda: refund(order, ("PROD-1", 1), reference="ref-2")) == [("CONFLICT", ("lines",))]
    assert (all_orders(orders), stock(orders)) == before


@pytest.mark.parametrize(
    ("lines", "changes", "reasons"),
    [
        ([("PROD-1", 3)], {}, [("QUANTITY_LIMIT", ("lines", 0, "quantity"))]),
        ([("PROD-1", 0)], {}, [("QUANTITY_LIMIT", ("lines", 0, "quantity"))]),
        ([("PROD-2", 1), ("PROD-1", -1)], {}, [("QUANTITY_LIMIT", ("lines", 1, "quantity"))]),
        ([("PROD-3", 1)], {}, [("NOT_FOUND", ("lines", 0, "product_id"))]),
        ([("PROD-1", 1), ("PROD-1", 1)], {}, [("INVALID", ("lines", 1, "product_id"))]),
        ([("PROD-1", 1)], {"lines": ()}, [("INVALID", ("lines",))]),
        ([("PROD-1", 1)], {"reason": " "}, [("REQUIRED", ("reason",))]),
        ([("PROD-1", 1)], {"reason": "\u200b \u00a0"}, [("REQUIRED", ("reason",))]),
        ([("PROD-1", 1)], {"reason": "r" * 501}, [("INVALID", ("reason",))]),
    ],
)
def test_bad_refund_is_refused_and_nothing_changes(
    orders: Database[Document],
    lines: list[tuple[str, int]],
    changes: dict[str, Any],
    reasons: list[tuple[str, tuple[str | int, ...]]],
) -> None:
    order = paid_order()
    before = (all_orders(orders), stock(orders))
    wanted = {"lines": tuple(RefundLine(*line) for line in lines), **changes}

    assert raised(lambda: refund_order(order["_id"], BROKEN._replace(**wanted))) == reasons
    assert (all_orders(orders), stock(orders)) == before


@pytest.mark.parametrize("status", ["new", "cancelled", "expired"])
def test_order_that_was_not_paid_is_not_refunded(orders: Database[Document], status: str) -> None:
    order = ordered()
    if status == "cancelled":
        move_order(order["_id"], OrderStatus.CANCELLED, who=Who.BUYER, actor=BY_BUYER)
    if status == "expired":
        expired(order)
    before = (all_orders(orders), stock(orders))

    assert raised(lambda: refund(order)) == [("ILLEGAL_TRANSITION", ("to",))]
    assert (all_orders(orders), stock(orders)) == before


@pytest.mark.parametrize("steps", [1, 2, 3])
def test_order_is_refunded_at_any_step_after_paying(orders: Database[Document], steps: int) -> None:
    order = paid_order()
    for step in ("processing", "shipped", "delivered")[:steps]:
        move_order(order["_id"], OrderStatus(step), who=Who.STAFF, actor=MARINA)

    assert refund(order, ("PROD-1", 2), ("PROD-2", 1))["status"] == "refunded"


def test_same_reference_refunds_once(orders: Database[Document]) -> None:
    order = paid_order()
    refund(order, put_back=None)
    before = (all_orders(orders), stock(orders))

    refund(order, put_back=None)

    assert (all_orders(orders), stock(orders)) == before


def test_same_reference_with_other_lines_is_refused_and_nothing_changes(orders: Database[Document]) -> None:
    order = paid_order()
    refund(order)
    before = (all_orders(orders), stock(orders))

    assert raised(lambda: refund(order, ("PROD-2", 1))) == [("CONFLICT", ("reference",))]
    assert (all_orders(orders), stock(orders)) == before


def test_one_reference_ten_times_at_once_refunds_once(orders: Database[Document]) -> None:
    order = paid_order()

    at_once(*[partial(refund, order, put_back=None)] * 10)

    after = stored(orders, order)
    assert (refunded(after), len(after["money"])) == (Decimal("3990.00"), 2)
    assert reserved(orders, "PROD-1") == (9, 0)
    assert_orders_and_stock_agree(orders)


def test_many_refunds_at_once_give_back_no_more_than_there_was(orders: Database[Document]) -> None:
    order = paid_order()

    results = at_once(*[partial(refund, order, reference=f"ref-{each}", put_back=None) for each in range(6)])

    refusals = [result for result in results if isinstance(result, DomainError)]
    assert len(refusals) == 4
    after = stored(orders, order)
    assert (refunded(after), after["items"][0]["refunded"]) == (Decimal("7980.00"), 2)
    assert reserved(orders, "PROD-1") == (10, 0)
    assert_orders_and_stock_agree(orders)


def test_unknown_order_is_refused(orders: Database[Document]) -> None:
    assert raised(lambda: refund_order("no such order", BROKEN)) == [("NOT_FOUND", ("order",))]
