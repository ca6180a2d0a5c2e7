"""Cancelling, paying, sending and refunding, as real clients of a real server see it."""

from typing import Any

import httpx
import pytest
from pymongo.database import Database

from cart.tests.buyer import Buyer
from cart.tests.shop import CUSTOMER
from gateway.accounts.tests.demo import make_demo_accounts
from gateway.graphql.relay.ids import global_id
from gateway.mongo.client import Document
from ordering.lifecycle.claim import claim_orders
from ordering.tests.api import ADVANCE, CANCEL, PAY, REFUND, everything, refusals
from ordering.tests.people import EMAIL, filled, person
from ordering.tests.shop import reserved


def test_buyer_cancels_an_unpaid_order(guest: Buyer, order: str, orders: Database[Document]) -> None:
    cancelled = guest.send(CANCEL, order=order, reason="передумал")

    assert cancelled["userErrors"] == []
    shown = cancelled["order"]
    assert (shown["status"], shown["canCancel"], shown["reservedUntil"]) == ("CANCELLED", False, None)
    assert [(each["type"], each["status"], each["actor"], each["note"]) for each in shown["timeline"]] == [
        ("CREATED", "NEW", "buyer", ""),
        ("MOVED", "CANCELLED", "buyer", "передумал"),
    ]
    assert reserved(orders, "PROD-1") == (10, 0)


def test_second_cancellation_is_refused_and_shows_the_order_as_it_stands(
    guest: Buyer, order: str, orders: Database[Document]
) -> None:
    guest.send(CANCEL, order=order)
    before = everything(orders)

    refused = guest.send(CANCEL, order=order)

    assert refusals(refused) == [("ILLEGAL_TRANSITION", ["order"])]
    assert refused["order"]["status"] == "CANCELLED"
    assert everything(orders) == before


def test_support_cancels_under_their_own_name(support: Buyer, order: str, orders: Database[Document]) -> None:
    cancelled = support.send(CANCEL, order=order, reason="звонок")

    assert cancelled["order"]["timeline"][-1]["actor"] == EMAIL.format("support")
    assert reserved(orders, "PROD-1") == (10, 0)


@pytest.mark.parametrize("login", ["customer", "merchandiser"])
def test_order_of_somebody_else_cannot_be_cancelled_and_is_not_shown(
    web: httpx.Client, order: str, orders: Database[Document], login: str
) -> None:
    make_demo_accounts()
    before = everything(orders)

    for other in (person(web, login), Buyer(web), filled(Buyer(web), ("PROD-1", 1))):
        refused = other.send(CANCEL, order=order)
        assert (refused["order"], refusals(refused)) == (None, [("NOT_FOUND", ["order"])])

    assert everything(orders)["orders"] == before["orders"]
    assert everything(orders)["products"] == before["products"]


@pytest.mark.parametrize("id_", ["nonsense", global_id("Cart", CUSTOMER, "1"), global_id("Order", CUSTOMER, "1")])
def test_unknown_ids_are_not_found(support: Buyer, id_: str) -> None:
    answers = [
        support.send(CANCEL, order=id_),
        support.send(ADVANCE, order=id_, to="SHIPPED"),
        support.send(PAY, order=id_, amount="1", reference="r"),
        support.send(REFUND, order=id_, lines=[{"productId": "PROD-1", "quantity": 1}], reason="r", reference="r"),
    ]

    assert [(answer["order"], refusals(answer)) for answer in answers] == [(None, [("NOT_FOUND", ["order"])])] * 4


def test_old_id_of_a_claimed_order_still_works_for_its_new_owner(
    web: httpx.Client, order: str, orders: Database[Document]
) -> None:
    make_demo_accounts()
    customer = filled(person(web, "customer"), ("PROD-1", 1))
    (owner,) = orders["carts"].distinct("owner", {"user_id": {"$ne": None}})
    (guest_owner,) = orders["orders"].distinct("owner")
    claim_orders(guest_owner, owner)

    cancelled = customer.send(CANCEL, order=order)

    assert cancelled["userErrors"] == []
    assert [each["type"] for each in cancelled["order"]["timeline"]] == ["CREATED", "CLAIMED", "MOVED"]


def test_support_records_the_payment_and_sends_the_order_on_its_way(
    support: Buyer, order: str, orders: Database[Document]
) -> None:
    paid = support.send(PAY, order=order, amount="7980.00", reference="касса-17")
    again = support.send(PAY, order=order, amount="7980.00", reference="касса-17")

    assert paid["userErrors"] == []
    assert again == paid
    assert (paid["order"]["status"], paid["order"]["amountPaid"]) == ("PAID", {"amount": "7980.00"})
    assert (paid["order"]["reservedUntil"], paid["order"]["canCancel"]) == (None, False)
    for to in ("PROCESSING", "SHIPPED", "DELIVERED"):
        moved = support.send(ADVANCE, order=order, to=to, note=f"шаг {to}")
        assert (moved["order"]["status"], moved["userErrors"]) == (to, [])
    assert [(each["status"], each["actor"]) for each in moved["order"]["timeline"]] == [
        ("NEW", "buyer"),
        *((status, EMAIL.format("support")) for status in ("PAID", "PROCESSING", "SHIPPED", "DELIVERED")),
    ]
    assert reserved(orders, "PROD-1") == (8, 0)


@pytest.mark.parametrize("to", ["NEW", "PAID", "SHIPPED", "CANCELLED", "EXPIRED", "REFUNDED"])
def test_illegal_advance_is_refused_with_the_order_and_nothing_changes(
    support: Buyer, order: str, orders: Database[Document], to: str
) -> None:
    before = everything(orders)

    refused = support.send(ADVANCE, order=order, to=to)

    assert refusals(refused) == [("ILLEGAL_TRANSITION", ["to"])]
    assert (refused["order"]["id"], refused["order"]["status"]) == (order, "NEW")
    assert everything(orders) == before


@pytest.mark.parametrize(
    ("amount", "reference", "code", "field"),
    [
        ("0", "r", "INVALID", ["amount"]),
        ("-5", "r", "INVALID", ["amount"]),
        ("1.001", "r", "INVALID", ["amount"]),
        ("10", "", "REQUIRED", ["reference"]),
        ("10", "r" * 101, "INVALID", ["reference"]),
        ("10", "used", "CONFLICT", ["reference"]),
    ],
)
def test_bad_payment_is_refused_and_nothing_changes(
    support: Buyer, order: str, orders: Database[Document], amount: str, reference: str, code: str, field: list[str]
) -> None:
    support.send(PAY, order=order, amount="5", reference="used")
    before = everything(orders)

    refused = support.send(PAY, order=order, amount=amount, reference=reference)

    assert refusals(refused) == [(code, field)]
    assert everything(orders) == before


def test_refund_by_line_ends_in_a_refunded_order(support: Buyer, order: str, orders: Database[Document]) -> None:
    support.send(PAY, order=order, amount="7980.00", reference="p")
    one: dict[str, Any] = {"order": order, "lines": [{"productId": "PROD-1", "quantity": 1}], "reason": "брак"}

    first = support.send(REFUND, **one, reference="r-1")
    repeated = support.send(REFUND, **one, reference="r-1")
    last = support.send(REFUND, **one, reference="r-2", restock=False)

    assert first["userErrors"] == []
    assert repeated == first
    assert (first["order"]["status"], first["order"]["amountRefunded"]) == ("PAID", {"amount": "3990.00"})
    assert (last["order"]["status"], last["order"]["amountRefunded"]) == ("REFUNDED", {"amount": "7980.00"})
    assert [(each["type"], each["note"]) for each in last["order"]["timeline"]][2:] == [("REFUND", "брак")] * 2
    assert reserved(orders, "PROD-1") == (9, 0)


@pytest.mark.parametrize(
    ("changes", "code", "field"),
    [
        ({"lines": []}, "INVALID", ["lines"]),
        ({"lines": [{"productId": "PROD-2", "quantity": 1}]}, "NOT_FOUND", ["lines", "0", "productId"]),
        ({"lines": [{"productId": "PROD-1", "quantity": 3}]}, "QUANTITY_LIMIT", ["lines", "0", "quantity"]),
        ({"lines": [{"productId": "PROD-1", "quantity": 1}] * 2}, "INVALID", ["lines", "1", "productId"]),
        ({"reason": " "}, "REQUIRED", ["reason"]),
        ({"reference": ""}, "REQUIRED", ["reference"]),
    ],
)
def test_bad_refund_is_refused_and_nothing_changes(
    support: Buyer, order: str, orders: Database[Document], changes: dict[str, Any], code: str, field: list[str]
) -> None:
    support.send(PAY, order=order, amount="7980.00", reference="p")
    before = everything(orders)
    wanted: dict[str, Any] = {
        "lines": [{"productId": "PROD-1", "quantity": 1}],
        "reason": "брак",
        "reference": "r",
        **changes,
    }

    refused = support.send(REFUND, order=order, **wanted)

    assert refusals(refused) == [(code, field)]
    assert everything(orders) == before


def test_refund_of_an_unpaid_order_is_an_illegal_transition(support: Buyer, order: str) -> None:
    refused = support.send(
        REFUND, order=order, lines=[{"productId": "PROD-1", "quantity": 1}], reason="брак", reference="r"
    )

    assert refusals(refused) == [("ILLEGAL_TRANSITION", ["order"])]
    assert refused["order"]["status"] == "NEW"


@pytest.mark.parametrize(
    ("login", "code"), [(None, "UNAUTHENTICATED"), ("customer", "FORBIDDEN"), ("merchandiser", "FORBIDDEN")]
)
def test_only_those_who_may_change_orders_do(
    web: httpx.Client, order: str, orders: Database[Document], login: str | None, code: str
) -> None:
    make_demo_accounts()
    someone = person(web, login) if login else Buyer(web)
    before = everything(orders)

    answers = [
        someone.send(ADVANCE, order=order, to="SHIPPED"),
        someone.send(PAY, order=order, amount="1", reference="r"),
        someone.send(REFUND, order=order, lines=[{"productId": "PROD-1", "quantity": 1}], reason="r", reference="r"),
    ]

    assert [(answer["order"], refusals(answer)) for answer in answers] == [(None, [(code, None)])] * 3
    assert everything(orders) == before


def test_owner_cannot_advance_or_pay_the_own_order(guest: Buyer, order: str) -> None:
    assert refusals(guest.send(ADVANCE, order=order, to="DELIVERED")) == [("UNAUTHENTICATED", None)]
    assert refusals(guest.send(PAY, order=order, amount="7980", reference="r")) == [("UNAUTHENTICATED", None)]
