"""Refunds and chargebacks that the payment system tells of: each once, in any order, beside what staff do."""

from decimal import Decimal
from functools import partial
from itertools import permutations

import httpx
import pytest
from pymongo.database import Database

from catalog.tests.shop import raised
from gateway.mongo.client import Document
from gateway.tests.races import at_once, paused_process
from ordering.documents import OrderDocument
from ordering.events import BY_BUYER
from ordering.ledger.amounts import due_back, paid, refunded
from ordering.ledger.fields import ledger_of
from ordering.ledger.ledger import Kind, RefundLine, kept
from ordering.ledger.references import Reference
from ordering.lifecycle.moves import move_order
from ordering.lifecycle.transitions import Who
from ordering.mail.delivery import send_due_mails
from ordering.models import OrderStatus
from ordering.payments.refunds import Refunding, refund_order
from ordering.payments.repayments import Settling, settle_refund
from ordering.tests.payments_api import (
    all_orders,
    assert_orders_and_stock_agree,
    body,
    call,
    done,
    event_body,
    expired,
    ordered,
    pay,
    posted,
    stored,
    tell,
)
from ordering.tests.postbox import Postbox, text
from ordering.tests.shop import reserved
from ordering.tests.staff import ANNA, MARINA

ONE = Refunding((RefundLine("PROD-1", 1),), "broken", Reference("re-1"), put_back={}, actor=MARINA)


def paid_order() -> OrderDocument:
    """Two headphones for 7980.00."""
    order = ordered()
    pay(order)
    return order


def figures(orders: Database[Document], order: OrderDocument) -> tuple[str, str, str]:
    """Paid, refunded, due back."""
    after = stored(orders, order)
    return f"{paid(after):.2f}", f"{refunded(after):.2f}", f"{due_back(after):.2f}"


def shown(orders: Database[Document], order: OrderDocument) -> list[tuple[str, str, str]]:
    return [(each["kind"], each["state"], each["reference"]) for each in stored(orders, order)["money"]]


def test_refund_that_staff_made_and_the_payment_system_confirms_is_one(
    orders: Database[Document], web: httpx.Client
) -> None:
    order = paid_order()
    refund_order(order["_id"], ONE)
    before = all_orders(orders)

    assert posted(web, body(order, "refund.succeeded")) == done(order, "paid")
    assert all_orders(orders) == before


def test_refund_that_the_payment_system_tells_of_first_gets_its_lines_from_staff(orders: Database[Document]) -> None:
    order = paid_order()

    assert tell(order, "refund.succeeded") == done(order, "paid")
    assert figures(orders, order) == ("7980.00", "3990.00", "0.00")
    refund_order(order["_id"], ONE._replace(put_back=None))
    refund_order(order["_id"], ONE._replace(put_back=None))

    assert figures(orders, order) == ("7980.00", "3990.00", "0.00")
    assert shown(orders, order) == [("payment", "done", "evt-1"), ("refund", "done", "re-1")]
    assert stored(orders, order)["items"][0]["refunded"] == 1
    assert reserved(orders, "PROD-1") == (9, 0)
    assert_orders_and_stock_agree(orders)


def test_refund_that_fails_is_due_until_staff_settle_it_under_another_reference(orders: Database[Document]) -> None:
    order = paid_order()
    refund_order(order["_id"], ONE)

    assert tell(order, "refund.failed") == done(order, "paid")

    assert figures(orders, order) == ("7980.00", "0.00", "3990.00")
    assert stored(orders, order)["to_refund"] is True
    claim = ledger_of(stored(orders, order))[1].id
    used = Settling(claim, Reference("re-1"), ANNA)
    assert raised(lambda: settle_refund(order["_id"], used)) == [("CONFLICT", ("reference",))]
    settle_refund(order["_id"], Settling(claim, Reference("re-2"), ANNA))
    assert figures(orders, order) == ("7980.00", "3990.00", "0.00")
    # The payment system says it all again, now that it is settled.
    before = all_orders(orders)
    answers = [tell(order, kind) for kind in ("refund.failed", "refund.succeeded")]
    assert [status for status, _ in answers] == [200, 200]
    assert tell(order, "refund.succeeded", "3990.00", "re-2") == done(order, "paid")
    assert all_orders(orders) == before


def test_failed_refund_is_no_reference_for_staff_any_more(orders: Database[Document]) -> None:
    order = paid_order()
    tell(order, "refund.failed")
    before = all_orders(orders)

    assert raised(lambda: refund_order(order["_id"], ONE)) == [("CONFLICT", ("reference",))]
    assert all_orders(orders) == before


@pytest.mark.parametrize("sequence", list(permutations(["refund.succeeded", "refund.failed"])), ids="-".join)
def test_what_failed_stays_failed_in_whatever_order_it_is_told(
    orders: Database[Document], sequence: tuple[str, ...]
) -> None:
    order = paid_order()

    answers = [tell(order, kind)[0] for kind in (*sequence, *sequence)]

    assert answers == [200] * 4
    assert figures(orders, order) == ("7980.00", "0.00", "0.00")


def test_refund_of_a_closed_order_settles_what_is_due(orders: Database[Document]) -> None:
    order = expired(ordered())
    pay(order, "10.00")

    assert tell(order, "refund.succeeded", "10.00") == done(order, "expired")

    assert figures(orders, order) == ("0.00", "0.00", "0.00")
    assert stored(orders, order)["to_refund"] is False
    tell(order, "refund.failed", "10.00")
    assert figures(orders, order) == ("0.00", "0.00", "10.00")


@pytest.mark.parametrize(
    ("kind", "amount"), [("refund.succeeded", "7980.01"), ("chargeback.created", "7980.01")], ids=str
)
def test_more_than_came_is_to_be_told_again_later(orders: Database[Document], kind: str, amount: str) -> None:
    order = paid_order()
    before = all_orders(orders)

    status, answer = tell(order, kind, amount)

    assert (status, answer["error"]["code"]) == (503, "EARLY")
    assert all_orders(orders) == before


def test_refund_told_before_its_payment_is_recorded_when_told_again(orders: Database[Document]) -> None:
    order = ordered()
    refund = body(order, "refund.succeeded", "7980.00")

    assert call(refund)[0] == 503
    assert call(event_body(order))[0] == 200
    assert call(refund) == done(order, "paid")

    assert figures(orders, order) == ("7980.00", "7980.00", "0.00")


def test_chargeback_takes_the_money_and_its_reversal_brings_it_back(
    orders: Database[Document], web: httpx.Client
) -> None:
    order = paid_order()

    assert posted(web, body(order, "chargeback.created", "7980.00", "cb-1")) == done(order, "paid")
    assert figures(orders, order) == ("7980.00", "7980.00", "0.00")
    before = all_orders(orders)
    assert raised(lambda: refund_order(order["_id"], ONE)) == [("CONFLICT", ("lines",))]
    assert all_orders(orders) == before
    assert posted(web, body(order, "chargeback.reversed", "7980.00", "cb-1")) == done(order, "paid")

    assert figures(orders, order) == ("7980.00", "0.00", "0.00")
    assert shown(orders, order)[1:] == [("chargeback", "failed", "cb-1")]
    last = [(event["type"], event["actor"], event["note"]) for event in stored(orders, order)["events"][-2:]]
    assert last == [("chargeback", "payments", "cb-1"), ("chargeback_reversed", "payments", "cb-1")]


def test_chargeback_of_late_money_leaves_nothing_due(orders: Database[Document]) -> None:
    order = expired(ordered())
    pay(order, "10.00")

    tell(order, "chargeback.created", "10.00", "cb-1")
    assert figures(orders, order) == ("0.00", "0.00", "0.00")
    tell(order, "chargeback.reversed", "10.00", "cb-1")

    assert figures(orders, order) == ("0.00", "0.00", "10.00")


def test_money_that_a_bank_gives_back_to_a_closed_order_is_due_back(orders: Database[Document]) -> None:
    order = ordered()
    pay(order, "1000.00")
    tell(order, "chargeback.created", "1000.00", "cb-1")
    move_order(order["_id"], OrderStatus.CANCELLED, who=Who.BUYER, actor=BY_BUYER)
    assert figures(orders, order)[2] == "0.00"

    tell(order, "chargeback.reversed", "1000.00", "cb-1")

    assert figures(orders, order)[2] == "1000.00"


def test_part_that_a_bank_took_pays_for_nothing_until_it_comes_back(orders: Database[Document]) -> None:
    order = ordered()
    pay(order, "3990.00", "evt-1")
    tell(order, "chargeback.created", "3990.00", "cb-1")

    assert pay(order, "3990.00", "evt-2")["status"] == "new"
    assert tell(order, "chargeback.reversed", "3990.00", "cb-1") == done(order, "paid")

    assert reserved(orders, "PROD-1") == (8, 0)
    assert_orders_and_stock_agree(orders)


def test_event_of_one_reference_with_another_amount_is_a_conflict(orders: Database[Document]) -> None:
    order = paid_order()
    refund_order(order["_id"], ONE)
    tell(order, "chargeback.created", "5.00", "cb-1")
    before = all_orders(orders)

    answers = [
        tell(order, "refund.succeeded", "1.00"),
        tell(order, "refund.failed", "1.00"),
        tell(order, "chargeback.created", "1.00", "cb-1"),
        tell(order, "chargeback.reversed", "1.00", "cb-1"),
    ]

    assert [(status, answer["error"]["code"]) for status, answer in answers] == [(409, "CONFLICT")] * 4
    assert all_orders(orders) == before


def test_references_of_events_have_the_form_of_those_of_staff(orders: Database[Document]) -> None:
    order = paid_order()
    refund_order(order["_id"], ONE)
    before = all_orders(orders)

    assert [tell(order, "refund.succeeded", "3990.00", each)[0] for each in ("re-1 ", "re\u200b-1", "re-1\u00a0")] == [
        200
    ] * 3
    assert all_orders(orders) == before


def test_event_without_a_reference_is_refused(orders: Database[Document]) -> None:
    order = paid_order()
    before = all_orders(orders)

    refused = call(event_body(order, type="refund.succeeded"))

    message = "reference: a text of 1 to 100 characters"
    assert refused == (400, {"error": {"code": "INVALID", "message": message}})
    assert all_orders(orders) == before


@pytest.mark.parametrize("turn", range(3))
def test_refund_by_staff_and_chargeback_at_once_take_no_more_than_came(
    orders: Database[Document], web: httpx.Client, turn: int
) -> None:
    order = paid_order()
    two = ONE._replace(lines=(RefundLine("PROD-1", 2),), reference=Reference("re-2"))
    chargeback = body(order, "chargeback.created", "7980.00", "cb-1")

    refund, (status, _) = at_once(partial(refund_order, order["_id"], two), partial(posted, web, chargeback))

    assert status == 200
    after = stored(orders, order)
    if isinstance(refund, dict):
        # The bank took what the shop had given back already: a loss, and nothing is owed on top.
        assert (kept(ledger_of(after)), due_back(after)) == (Decimal("-7980.00"), Decimal(0))
    else:
        assert (kept(ledger_of(after)), due_back(after)) == (Decimal(0), Decimal(0))


def test_ten_deliveries_of_each_event_at_once_are_one_entry_each(orders: Database[Document], web: httpx.Client) -> None:
    order = paid_order()
    bodies = [body(order, "refund.succeeded", "1.00", "x-1"), body(order, "chargeback.created", "2.00", "c-1")]

    answers = at_once(*[partial(posted, web, each) for each in bodies * 5])

    # Whoever lost its turns ten times is told to come again.
    again = [posted(web, each) for each in bodies]
    assert {status for status, _ in answers} <= {200, 503}
    assert again == [done(order, "paid")] * 2
    assert sorted(shown(orders, order)) == [
        ("chargeback", "done", "c-1"),
        ("payment", "done", "evt-1"),
        ("refund", "done", "x-1"),
    ]


def test_killed_before_the_write_has_recorded_nothing_and_the_repeat_records_it(orders: Database[Document]) -> None:
    order = paid_order()
    before = all_orders(orders)
    code = (
        "from ordering.tests.payments_api import tell; "
        f"tell({{'number': {order['number']!r}}}, 'chargeback.created', '7980.00', 'cb-1')"
    )

    with paused_process(orders, code, command="findAndModify", collection="orders") as process:
        process.kill()
        process.wait()
    assert all_orders(orders) == before

    tell(order, "chargeback.created", "7980.00", "cb-1")
    assert [entry.kind for entry in ledger_of(stored(orders, order))] == [Kind.PAYMENT, Kind.CHARGEBACK]


def test_buyer_is_told_the_whole_of_a_payout_that_was_partly_owed(orders: Database[Document], postbox: Postbox) -> None:
    order = ordered()
    pay(order, "9000.00")

    tell(order, "refund.succeeded", "2000.00")
    send_due_mails(order["_id"])

    assert figures(orders, order) == ("7980.00", "980.00", "0.00")
    assert text(postbox.letters[-1]).split("\n\n")[1] == "Мы вернули вам 2 000,00 ₽."
