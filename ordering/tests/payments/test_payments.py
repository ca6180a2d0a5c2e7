"""Money that came: in parts, exactly, too much, too late, twice."""

from decimal import Decimal

import pytest
from pymongo.database import Database

from cart.tests.shop import CUSTOMER, sell
from catalog.tests.shop import raised
from gateway.mongo.client import Document
from gateway.mongo.commands import COMMANDS, Sent
from ordering.events import BY_BUYER
from ordering.lifecycle.moves import move_order
from ordering.lifecycle.transitions import Who
from ordering.models import OrderStatus
from ordering.payments.payments import receive_payment
from ordering.tests.payments_api import (
    all_orders,
    assert_orders_and_stock_agree,
    expired,
    money,
    ordered,
    pay,
    received,
    stock,
    stored,
)
from ordering.tests.shop import buyer, reserved
from ordering.tests.staff import MARINA


def test_exact_payment_makes_the_order_paid_and_owes_nothing(orders: Database[Document]) -> None:
    order = ordered(("PROD-1", 2), ("PROD-2", 1))

    pay(order, "57970.00")

    after = stored(orders, order)
    assert (after["status"], after["reserved_until"], after["to_refund"]) == ("paid", None, False)
    assert received(after) == [("evt-1", "57970.00", "0.00")]
    assert (reserved(orders, "PROD-1"), reserved(orders, "PROD-2")) == ((8, 0), (1, 0))
    assert_orders_and_stock_agree(orders)


def test_part_leaves_the_order_new_with_its_stock_held(orders: Database[Document]) -> None:
    order = ordered()

    pay(order, "7979.99")

    after = stored(orders, order)
    assert order["reserved_until"] is not None
    assert (after["status"], after["reserved_until"]) == ("new", order["reserved_until"].replace(tzinfo=None))
    assert received(after) == [("evt-1", "7979.99", "0.00")]
    assert [(event["type"], event["status"]) for event in after["events"]][1:] == [("payment", "new")]
    assert reserved(orders, "PROD-1") == (10, 2)


def test_last_part_makes_the_order_paid(orders: Database[Document]) -> None:
    order = ordered()

    pay(order, "7979.99", "evt-1")
    pay(order, "0.01", "evt-2")

    assert stored(orders, order)["status"] == "paid"
    assert reserved(orders, "PROD-1") == (8, 0)


def test_what_is_too_much_is_marked_to_be_refunded(orders: Database[Document]) -> None:
    order = ordered()

    pay(order, "5000.00", "evt-1")
    pay(order, "5000.00", "evt-2")
    pay(order, "10.00", "evt-3")

    after = stored(orders, order)
    assert (after["status"], after["to_refund"]) == ("paid", True)
    assert received(after) == [
        ("evt-1", "5000.00", "0.00"),
        ("evt-2", "5000.00", "2020.00"),
        ("evt-3", "10.00", "10.00"),
    ]
    assert reserved(orders, "PROD-1") == (8, 0)


def test_same_reference_is_recorded_once(orders: Database[Document]) -> None:
    order = ordered()
    pay(order, "10.00")
    before = all_orders(orders)

    assert pay(order, "10.0")["version"] == 2
    assert all_orders(orders) == before


def test_same_reference_with_another_amount_is_refused_and_nothing_changes(orders: Database[Document]) -> None:
    order = ordered()
    pay(order, "10.00")
    before = (all_orders(orders), stock(orders))

    assert raised(lambda: pay(order, "20.00")) == [("CONFLICT", ("reference",))]
    assert (all_orders(orders), stock(orders)) == before


def test_same_reference_may_pay_another_order(orders: Database[Document]) -> None:
    first, second = ordered(), ordered(("PROD-1", 1), owner=buyer(1))

    pay(first, "7980.00")
    pay(second, "3990.00")

    assert [stored(orders, order)["status"] for order in (first, second)] == ["paid", "paid"]


@pytest.mark.parametrize(
    ("amount", "reference", "reason"),
    [
        ("0", "evt-1", ("INVALID", ("amount",))),
        ("-1.00", "evt-1", ("INVALID", ("amount",))),
        ("0.001", "evt-1", ("INVALID", ("amount",))),
        ("NaN", "evt-1", ("INVALID", ("amount",))),
        ("Infinity", "evt-1", ("INVALID", ("amount",))),
        ("1E+12", "evt-1", ("INVALID", ("amount",))),
        ("1.00", "", ("REQUIRED", ("reference",))),
        ("1.00", " ", ("REQUIRED", ("reference",))),
        ("1.00", "r" * 101, ("INVALID", ("reference",))),
    ],
)
def test_bad_money_is_refused_and_nothing_changes(
    orders: Database[Document], amount: str, reference: str, reason: tuple[str, tuple[str, ...]]
) -> None:
    order = ordered()
    before = (all_orders(orders), stock(orders))

    assert raised(lambda: pay(order, amount, reference)) == [reason]
    assert (all_orders(orders), stock(orders)) == before


def test_unknown_order_is_refused(orders: Database[Document]) -> None:
    assert raised(lambda: receive_payment("no such order", money())) == [("NOT_FOUND", ("order",))]


def test_payment_of_a_cancelled_order_goes_back_and_takes_no_stock(orders: Database[Document]) -> None:
    order = ordered()
    move_order(order["_id"], OrderStatus.CANCELLED, who=Who.BUYER, actor=BY_BUYER)

    pay(order)

    after = stored(orders, order)
    assert (after["status"], after["to_refund"]) == ("cancelled", True)
    assert received(after) == [("evt-1", "7980.00", "7980.00")]
    assert reserved(orders, "PROD-1") == (10, 0)
    assert_orders_and_stock_agree(orders)


@pytest.mark.parametrize("status", ["processing", "shipped", "delivered"])
def test_second_payment_of_an_order_that_goes_its_way_goes_back(orders: Database[Document], status: str) -> None:
    order = ordered()
    pay(order)
    for step in ("processing", "shipped", "delivered"):
        move_order(order["_id"], OrderStatus(step), who=Who.STAFF, actor=MARINA)
        if step == status:
            break

    pay(order, "7980.00", "evt-2")

    after = stored(orders, order)
    assert (after["status"], received(after)[1]) == (status, ("evt-2", "7980.00", "7980.00"))
    assert reserved(orders, "PROD-1") == (8, 0)


def test_late_payment_takes_the_stock_again(orders: Database[Document]) -> None:
    order = expired(ordered(("PROD-1", 2), ("PROD-2", 1)))
    assert (reserved(orders, "PROD-1"), reserved(orders, "PROD-2")) == ((10, 0), (2, 0))

    pay(order, "57970.00")

    after = stored(orders, order)
    assert (after["status"], after["to_refund"]) == ("paid", False)
    assert received(after) == [("evt-1", "57970.00", "0.00")]
    assert (reserved(orders, "PROD-1"), reserved(orders, "PROD-2")) == ((8, 0), (1, 0))
    assert_orders_and_stock_agree(orders)


def test_late_payment_takes_the_stock_at_the_old_price_and_of_a_withdrawn_product(orders: Database[Document]) -> None:
    order = expired(ordered())
    sell("PROD-1", Decimal("5000.00"), withdrawn=True)

    assert pay(order)["status"] == "paid"
    assert reserved(orders, "PROD-1") == (8, 0)


def test_late_payment_without_stock_is_to_be_refunded_and_holds_nothing(orders: Database[Document]) -> None:
    order = expired(ordered(("PROD-1", 2), ("PROD-2", 1)))
    other = ordered(("PROD-2", 2), owner=buyer(1))

    pay(order, "57970.00")

    after = stored(orders, order)
    assert (after["status"], after["to_refund"]) == ("expired", True)
    assert received(after) == [("evt-1", "57970.00", "57970.00")]
    assert [(event["type"], event["status"]) for event in after["events"]][2:] == [("payment", "expired")]
    assert (reserved(orders, "PROD-1"), reserved(orders, "PROD-2")) == ((10, 0), (2, 2))
    assert stored(orders, other)["status"] == "new"
    assert_orders_and_stock_agree(orders)


def test_late_part_takes_no_stock_and_goes_back(orders: Database[Document]) -> None:
    order = expired(ordered())

    pay(order, "7979.99")

    after = stored(orders, order)
    assert (after["status"], received(after)) == ("expired", [("evt-1", "7979.99", "7979.99")])
    assert reserved(orders, "PROD-1") == (10, 0)


@pytest.mark.parametrize("closing", ["expired", "cancelled"])
def test_parts_paid_before_closing_go_back_and_do_not_count_afterwards(
    orders: Database[Document], closing: str
) -> None:
    order = ordered()
    pay(order, "5000.00", "evt-1")
    if closing == "expired":
        expired(order)
    else:
        move_order(order["_id"], OrderStatus.CANCELLED, who=Who.STAFF, actor=MARINA)

    pay(order, "2980.00", "evt-2")

    after = stored(orders, order)
    assert (after["status"], after["to_refund"]) == (closing, True)
    assert received(after) == [
        ("evt-1", "5000.00", "5000.00"),
        ("evt-2", "2980.00", "2980.00"),
    ]
    assert reserved(orders, "PROD-1") == (10, 0)


def test_payment_recorded_by_staff_says_who(orders: Database[Document]) -> None:
    order = ordered()

    receive_payment(order["_id"], money(reference="cash desk 7")._replace(source="staff", actor=MARINA))

    after = stored(orders, order)
    assert (after["money"][0]["source"], after["events"][-1]["actor"]) == ("staff", "marina")


def test_note_that_looks_like_a_variable_of_the_server_is_kept_as_it_is(orders: Database[Document]) -> None:
    order = ordered()

    pay(order, "1.00", "$$NOW")
    pay(order, "1.00", "$status")

    assert [event["note"] for event in stored(orders, order)["events"]] == ["", "$$NOW", "$status"]


def test_payment_reaches_the_buyers_shard_and_the_products_and_no_transaction(orders: Database[Document]) -> None:
    order = ordered()

    with COMMANDS.counted() as sent:
        receive_payment(order["_id"], money(), owner=CUSTOMER)

    assert dict(sent) == {
        Sent("find", "orders", "orders.history_fresh", 1): 1,
        Sent("findAndModify", "orders", "", 1): 1,
        Sent("update", "products", "stock.check", 1): 1,
        Sent("update", "orders", "", 1): 1,
    }
