"""Refunds by amount, cancellations of paid orders, what goes back on the shelf, and how much a person may refund."""

from decimal import Decimal
from functools import partial

import pytest
from pymongo.database import Database

from catalog.tests.shop import raised
from gateway.audit.trail import Actor
from gateway.domain.errors import DomainError
from gateway.mongo.client import Document
from gateway.tests.races import at_once, paused_process
from ordering.documents import OrderDocument
from ordering.ledger.amounts import due_back, refunded
from ordering.ledger.fields import ledger_of
from ordering.ledger.ledger import RefundLine
from ordering.ledger.references import Reference
from ordering.lifecycle.moves import advance_order
from ordering.models import OrderStatus
from ordering.payments.cancellation import Cancelling, cancel_paid
from ordering.payments.refunds import AmountRefunding, PutBack, Refunding, refund_amount, refund_order
from ordering.tests.payments_api import all_orders, assert_orders_and_stock_agree, ordered, pay, stock, stored, tell
from ordering.tests.shop import reserved
from ordering.tests.staff import ANNA, BORIS, told, trail

CANCEL = """
from ordering.ledger.references import Reference
from ordering.payments.cancellation import Cancelling, cancel_paid
from ordering.tests.staff import ANNA
cancel_paid({order_id!r}, Cancelling("не дождался", Reference("c-1"), None, ANNA))
"""


def give(order: OrderDocument, amount: str, reference: str = "g-1", actor: Actor = ANNA) -> OrderDocument:
    return refund_amount(order["_id"], AmountRefunding(Decimal(amount), "за доставку", Reference(reference), actor))


def cancel(
    order: OrderDocument, reference: str = "c-1", put_back: PutBack | None = None, actor: Actor = ANNA
) -> OrderDocument:
    return cancel_paid(order["_id"], Cancelling("не дождался", Reference(reference), put_back, actor))


def both_paid() -> OrderDocument:
    """Two headphones for 7980.00 and a telephone for 49990.00."""
    return pay(ordered(("PROD-1", 2), ("PROD-2", 1)), "57970.00")


def test_amount_goes_back_once_and_no_goods(orders: Database[Document]) -> None:
    order = pay(ordered())

    give(order, "490.50")
    after = give(order, "490.50")

    assert (refunded(after), after["status"], after["items"]) == (Decimal("490.50"), "paid", order["items"])
    assert (after["events"][-1]["type"], after["events"][-1]["note"]) == ("refund", "за доставку")
    changes = {"refunded": ["0", "490.50"], "reference": [None, "g-1"]}
    assert told(orders) == [("order.refunded", "anna", changes, "за доставку")]
    assert raised(lambda: give(order, "490.51")) == [("CONFLICT", ("reference",))]


def test_amount_is_never_above_what_is_left_and_neither_are_lines_after_it(orders: Database[Document]) -> None:
    order = pay(ordered())
    give(order, "5000.00")
    before = all_orders(orders)
    one = Refunding((RefundLine("PROD-1", 1),), "сломан", Reference("r-1"), None, ANNA)

    assert raised(lambda: give(order, "2980.01", "g-2")) == [("CONFLICT", ("amount",))]
    assert raised(lambda: refund_order(order["_id"], one)) == [("CONFLICT", ("lines",))]
    assert raised(lambda: give(order, "0", "g-3")) == [("INVALID", ("amount",))]
    assert all_orders(orders) == before


def test_last_goods_give_back_what_is_left_after_a_courtesy(orders: Database[Document]) -> None:
    order = pay(ordered())
    give(order, "500.00")
    two = Refunding((RefundLine("PROD-1", 2),), "вернул", Reference("r-1"), None, ANNA)

    after = refund_order(order["_id"], two)

    assert (after["status"], refunded(after), due_back(after)) == ("refunded", Decimal("7980.00"), Decimal(0))
    assert ledger_of(after)[-1].amount == Decimal("7480.00")


def test_amount_that_did_not_arrive_is_owed(orders: Database[Document]) -> None:
    order = pay(ordered())
    give(order, "500.00")

    tell(order, "refund.failed", "500.00", "g-1")

    assert due_back(stored(orders, order)) == Decimal("500.00")


def test_amounts_refunded_at_once_are_together_no_more_than_was_paid(orders: Database[Document]) -> None:
    order = pay(ordered())

    results = at_once(*[partial(give, order, "3000.00", f"g-{each}") for each in range(4)])

    assert sum(isinstance(result, DomainError) for result in results) == 2
    assert refunded(stored(orders, order)) == Decimal("6000.00")
    assert len(trail(orders)) == 2


def test_paid_order_is_cancelled_and_only_what_is_whole_goes_back_on_the_shelf(orders: Database[Document]) -> None:
    order = both_paid()
    advance_order(order["_id"], OrderStatus.PROCESSING, actor=ANNA)

    cancel(order, put_back={"PROD-1": 1})
    after = cancel(order, put_back={"PROD-1": 1})

    assert (after["status"], refunded(after)) == ("refunded", Decimal("57970.00"))
    assert [item["refunded"] for item in after["items"]] == [2, 1]
    assert (reserved(orders, "PROD-1"), reserved(orders, "PROD-2")) == ((9, 0), (1, 0))
    action, actor, changes, reason = told(orders)[-1]
    assert (action, actor, reason) == ("order.cancelled", "anna", "не дождался")
    assert changes["status"] == ["processing", "refunded"]
    assert changes["refunded_pieces"] == [{}, {"PROD-1": 2, "PROD-2": 1}]
    assert_orders_and_stock_agree(orders)


def test_cancellation_gives_back_what_is_left_of_the_money(orders: Database[Document]) -> None:
    order = pay(ordered())
    give(order, "980.00")
    tell(order, "chargeback.created", "6000.00", "cb-1")

    after = cancel(order)

    assert (after["status"], ledger_of(after)[-1].amount) == ("refunded", Decimal("1000.00"))
    assert reserved(orders, "PROD-1") == (10, 0)


def test_order_that_is_sent_or_unpaid_is_not_cancelled_so(orders: Database[Document]) -> None:
    sent, unpaid = pay(ordered()), ordered()
    for status in (OrderStatus.PROCESSING, OrderStatus.SHIPPED):
        advance_order(sent["_id"], status, actor=ANNA)
    before = (all_orders(orders), stock(orders))

    assert raised(lambda: cancel(sent)) == [("ILLEGAL_TRANSITION", ("order",))]
    assert raised(lambda: cancel(unpaid)) == [("ILLEGAL_TRANSITION", ("to",))]
    assert (all_orders(orders), stock(orders)) == before


def test_of_two_who_cancel_or_refund_at_once_the_money_goes_back_once(orders: Database[Document]) -> None:
    order = pay(ordered())
    two = Refunding((RefundLine("PROD-1", 2),), "сломан", Reference("r-1"), None, BORIS)

    results = at_once(partial(cancel, order), partial(refund_order, order["_id"], two))

    assert sum(isinstance(result, DomainError) for result in results) == 1
    assert refunded(stored(orders, order)) == Decimal("7980.00")
    assert reserved(orders, "PROD-1") == (10, 0)
    assert len(trail(orders)) == 1


@pytest.mark.parametrize("collection", ["orders", "audit"])
def test_killed_while_it_cancels_has_cancelled_nothing_and_the_repeat_does(
    orders: Database[Document], collection: str
) -> None:
    order = pay(ordered())
    before = (all_orders(orders), stock(orders))
    command = "insert" if collection == "audit" else "findAndModify"

    code = CANCEL.format(order_id=order["_id"])
    with paused_process(orders, code, command=command, collection=collection) as process:
        process.kill()
        process.wait()
    assert (all_orders(orders), stock(orders), trail(orders)) == (*before, [])

    assert cancel(order)["status"] == "refunded"
    assert reserved(orders, "PROD-1") == (10, 0)
    assert_orders_and_stock_agree(orders)


@pytest.mark.parametrize("put_back", [{"PROD-1": 2}, {"PROD-2": 1}, {"PROD-1": -1}])
def test_more_than_is_refunded_does_not_go_on_the_shelf(orders: Database[Document], put_back: PutBack) -> None:
    order = pay(ordered())
    before = (all_orders(orders), stock(orders))
    one = Refunding((RefundLine("PROD-1", 1),), "сломан", Reference("r-1"), put_back, ANNA)

    assert raised(lambda: refund_order(order["_id"], one)) == [("QUANTITY_LIMIT", ("put_back", next(iter(put_back))))]
    assert (all_orders(orders), stock(orders)) == before


def test_what_one_person_refunds_of_an_order_is_limited_in_all(orders: Database[Document]) -> None:
    order = both_paid()
    limit = Decimal(5000)
    one = Refunding((RefundLine("PROD-1", 1),), "сломан", Reference("r-1"), None, ANNA)
    courtesy = AmountRefunding(Decimal("1010.01"), "извинения", Reference("g-1"), ANNA)
    everything = Cancelling("не дождался", Reference("c-1"), None, BORIS)

    refund_order(order["_id"], one, limit=limit)
    assert raised(lambda: refund_amount(order["_id"], courtesy, limit=limit)) == [("FORBIDDEN", ("amount",))]
    refund_amount(order["_id"], courtesy._replace(amount=Decimal("1010.00")), limit=limit)
    assert raised(lambda: cancel_paid(order["_id"], everything, limit=limit)) == [("FORBIDDEN", ("amount",))]
    assert cancel_paid(order["_id"], everything)["status"] == "refunded"
