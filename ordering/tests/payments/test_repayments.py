"""Staff settle what is owed to a buyer: once, whoever asks how often, and the order can be archived afterwards."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from functools import partial
from typing import Any

import pytest
from bson import Decimal128
from pymongo.database import Database

from catalog.tests.shop import raised
from gateway.audit.trail import Actor
from gateway.domain.errors import DomainError
from gateway.mongo.client import Document
from gateway.tests.races import at_once, paused_process
from ordering.archive.archive import archive_orders
from ordering.cassandra.orders import archived_order
from ordering.cassandra.sync import SYNCED
from ordering.documents import OrderDocument
from ordering.events import BY_BUYER
from ordering.ledger.amounts import due_back, paid, refunded
from ordering.ledger.fields import ledger_of
from ordering.ledger.ledger import Entry, Kind, RefundLine
from ordering.ledger.references import Reference
from ordering.lifecycle.moves import move_order
from ordering.lifecycle.transitions import Who
from ordering.mail.delivery import send_due_mails
from ordering.models import OrderStatus
from ordering.payments.refunds import Refunding, refund_order
from ordering.payments.repayments import Settling, settle_refund
from ordering.tests.copies import copy
from ordering.tests.payments_api import all_orders, expired, ordered, pay, stock, stored
from ordering.tests.postbox import Postbox, subject, text
from ordering.tests.staff import ANNA, BORIS, MARINA

TWO = Refunding((RefundLine("PROD-1", 2),), "broken", Reference("ref-1"), put_back={}, actor=MARINA)


def settle(order: OrderDocument, entry: Entry, reference: str = "back-1", actor: Actor = ANNA) -> OrderDocument:
    return settle_refund(order["_id"], Settling(entry.id, Reference(reference), actor))


def owing(orders: Database[Document]) -> tuple[OrderDocument, Entry]:
    """An order that was paid with 1020.00 too much, and the entry that is due."""
    order = ordered()
    pay(order, "9000.00")
    return order, ledger_of(stored(orders, order))[1]


def late(orders: Database[Document]) -> tuple[OrderDocument, Entry]:
    """One that had expired when 10.00 came for it, and the entry that is due."""
    order = expired(ordered())
    pay(order, "10.00")
    return order, ledger_of(stored(orders, order))[1]


def shown(order: OrderDocument) -> list[tuple[str, str, str, str, str]]:
    return [
        (entry.kind.value, entry.state.value, f"{entry.amount:.2f}", entry.reference, entry.actor)
        for entry in ledger_of(order)
    ]


def test_settled_excess_is_owed_no_longer_and_says_who_when_and_how(orders: Database[Document]) -> None:
    order, excess = owing(orders)
    assert (stored(orders, order)["to_refund"], due_back(stored(orders, order))) == (True, Decimal("1020.00"))

    settle(order, excess)

    after = stored(orders, order)
    assert shown(after) == [
        ("payment", "done", "9000.00", "evt-1", "payments"),
        ("excess", "done", "1020.00", "evt-1", "payments"),
        ("repayment", "done", "1020.00", "back-1", "anna"),
    ]
    assert (after["status"], after["to_refund"]) == ("paid", False)
    assert (paid(after), refunded(after), due_back(after)) == (Decimal("7980.00"), Decimal(0), Decimal(0))
    last = after["events"][-1]
    assert (last["type"], last["actor"], last["note"]) == ("repayment", "anna", "back-1")
    assert last["entry"] == after["money"][-1]["id"]


def test_same_reference_settles_once(orders: Database[Document]) -> None:
    order, excess = owing(orders)
    settle(order, excess)
    before = all_orders(orders)

    settle(order, excess)

    assert all_orders(orders) == before


@pytest.mark.parametrize(
    ("entry", "reference", "reason"),
    [
        ("no-such-entry", "back-2", ("NOT_FOUND", ("entry",))),
        ("payment", "back-2", ("CONFLICT", ("entry",))),
        ("excess", "back-2", ("CONFLICT", ("entry",))),
        ("second", "back-1", ("CONFLICT", ("reference",))),
        ("second", "ref-1", ("CONFLICT", ("reference",))),
    ],
    ids=["unknown", "not owed", "settled before", "reference of another entry", "reference of a refund"],
)
def test_wrong_settling_is_refused_and_nothing_changes(
    orders: Database[Document], entry: str, reference: str, reason: tuple[str, tuple[str, ...]]
) -> None:
    order, excess = owing(orders)
    settle(order, excess, "back-1")
    refund_order(order["_id"], TWO)
    pay(order, "5.00", "evt-2")
    ledger = ledger_of(stored(orders, order))
    ids = {"payment": ledger[0].id, "excess": excess.id, "second": ledger[-1].id}
    before = (all_orders(orders), stock(orders))

    settling = Settling(ids.get(entry, entry), Reference(reference), ANNA)
    assert raised(lambda: settle_refund(order["_id"], settling)) == [reason]
    assert (all_orders(orders), stock(orders)) == before


@pytest.mark.parametrize("turn", range(5))
def test_two_agents_who_settle_at_once_pay_once(orders: Database[Document], turn: int) -> None:
    order, excess = owing(orders)

    results = at_once(*[partial(settle, order, excess, f"back-{agent.name}", agent) for agent in (ANNA, BORIS)])

    assert sum(isinstance(result, DomainError) for result in results) == 1
    after = stored(orders, order)
    assert [entry.amount for entry in ledger_of(after) if entry.kind is Kind.REPAYMENT] == [Decimal("1020.00")]
    assert due_back(after) == 0


def test_one_reference_ten_times_at_once_settles_once(orders: Database[Document]) -> None:
    order, excess = owing(orders)

    results = at_once(*[partial(settle, order, excess)] * 10)

    assert [due_back(result) for result in results] == [Decimal(0)] * 10
    assert len(stored(orders, order)["money"]) == 3


def test_killed_before_the_write_has_settled_nothing_and_the_repeat_settles(orders: Database[Document]) -> None:
    order, excess = owing(orders)
    before = all_orders(orders)
    code = (
        "from ordering.ledger.references import Reference; "
        "from ordering.payments.repayments import Settling, settle_refund; "
        "from ordering.tests.staff import ANNA; "
        f"settle_refund({order['_id']!r}, Settling({excess.id!r}, Reference('back-1'), ANNA))"
    )

    with paused_process(orders, code, command="findAndModify", collection="orders") as process:
        process.kill()
        process.wait()
    assert all_orders(orders) == before

    assert due_back(settle(order, excess)) == 0


def test_order_that_owes_an_excess_is_refunded_within_what_it_took(orders: Database[Document]) -> None:
    order, excess = owing(orders)

    after = refund_order(order["_id"], TWO)

    assert (after["status"], paid(after), refunded(after), due_back(after)) == (
        "refunded",
        Decimal("7980.00"),
        Decimal("7980.00"),
        Decimal("1020.00"),
    )
    assert due_back(settle(order, excess)) == 0


def test_parts_of_a_closed_order_are_settled_one_by_one(orders: Database[Document]) -> None:
    order = ordered()
    pay(order, "1000.00", "evt-1")
    pay(order, "2000.00", "evt-2")
    move_order(order["_id"], OrderStatus.CANCELLED, who=Who.BUYER, actor=BY_BUYER)
    claims = [entry for entry in ledger_of(stored(orders, order)) if entry.kind is Kind.EXCESS]

    left = [due_back(settle(order, claim, f"back-{claim.reference}")) for claim in claims]

    assert left == [Decimal("2000.00"), Decimal(0)]


@pytest.mark.usefixtures("patient")
def test_expired_order_with_late_money_is_archived_once_it_is_settled(orders: Database[Document]) -> None:
    order, excess = late(orders)
    now = datetime.now(UTC) + timedelta(days=400)

    def archived() -> bool:
        orders["orders"].update_many({}, {"$set": {"mail_due": []}})
        copy(orders, [order["_id"]])
        archive_orders(now=now)
        return orders["orders"].find_one(SYNCED.address(order)) is None

    assert not archived()
    settle(order, excess)
    shown_before = shown(stored(orders, order))
    assert archived()
    kept = archived_order(order["_id"])
    assert kept is not None
    assert shown(kept) == shown_before


def test_buyer_is_told_that_the_money_has_gone_back(orders: Database[Document], postbox: Postbox) -> None:
    order, excess = owing(orders)
    settle(order, excess)

    send_due_mails(order["_id"])

    letter = postbox.letters[-1]
    assert subject(letter) == f"Заказ {order['number']}: деньги возвращены"
    assert text(letter).split("\n\n")[1] == "Мы вернули вам 1 020,00 ₽."


EARLIER: dict[str, Any] = {
    "payments": [
        {
            "reference": "same",
            "amount": Decimal128("7980.00"),
            "at": datetime(2026, 1, 2, tzinfo=UTC),
            "source": "webhook",
            "to_refund": Decimal128("0"),
        },
        {
            "reference": "same\u00a0",
            "amount": Decimal128("1020.00"),
            "at": datetime(2026, 1, 3, tzinfo=UTC),
            "source": "staff",
            "to_refund": Decimal128("1020.00"),
        },
    ],
    "refunds": [
        {
            "reference": " ref-0 ",
            "amount": Decimal128("3990.00"),
            "at": datetime(2026, 1, 4, tzinfo=UTC),
            "lines": [{"product_id": "PROD-1", "quantity": 1}],
            "restocked": True,
        }
    ],
    "to_refund": True,
    "status": "paid",
}


def of_an_earlier_release(orders: Database[Document]) -> OrderDocument:
    order = ordered()
    orders["orders"].update_one({"_id": order["_id"]}, {"$set": EARLIER, "$unset": {"money": ""}})
    return stored(orders, order)


def test_order_of_an_earlier_release_has_the_same_ledger_at_every_reading(orders: Database[Document]) -> None:
    order = of_an_earlier_release(orders)

    assert shown(order) == [
        ("payment", "done", "7980.00", "same", "payments"),
        ("payment", "done", "1020.00", "same", "staff"),
        ("excess", "due", "1020.00", "same", "system"),
        ("refund", "done", "3990.00", "ref-0", "staff"),
    ]
    assert ledger_of(order) == ledger_of(stored(orders, order))
    assert (paid(order), refunded(order), due_back(order)) == (
        Decimal("7980.00"),
        Decimal("3990.00"),
        Decimal("1020.00"),
    )


def test_order_of_an_earlier_release_is_settled_and_has_a_ledger_from_then_on(orders: Database[Document]) -> None:
    order = of_an_earlier_release(orders)
    excess = ledger_of(order)[2]

    settle(order, excess)
    settle(order, excess)

    after = stored(orders, order)
    assert ("payments" in after, "refunds" in after, after["to_refund"]) == (False, False, False)
    assert shown(after)[2:] == [
        ("excess", "done", "1020.00", "same", "system"),
        ("refund", "done", "3990.00", "ref-0", "staff"),
        ("repayment", "done", "1020.00", "back-1", "anna"),
    ]


def test_references_of_an_earlier_release_are_known_in_their_normal_form(orders: Database[Document]) -> None:
    order = of_an_earlier_release(orders)
    before = all_orders(orders)

    pay(order, "7980.00", "same")
    pay(order, "1020.00", "sa\u200bme ")
    one = (RefundLine("PROD-1", 1),)
    refund_order(order["_id"], TWO._replace(lines=one, reference=Reference("ref-0")))

    assert all_orders(orders) == before
