"""Buying and what follows, as real clients of a real server see it."""

from decimal import Decimal
from typing import Any

import httpx
import pytest
from pymongo.database import Database

from cart.tests.test_mutations import Buyer
from gateway.accounts.demo import ensure_demo_accounts
from gateway.graphql.ids import global_id
from gateway.mongo.client import Document
from ordering.claiming import claim_orders
from ordering.holds import settle_queued
from ordering.tests.people import EMAIL, filled, person
from ordering.tests.shop import CUSTOMER, assert_nothing_oversold, orders, reserved, sell, shop, stocked, two_shards

__all__ = ["orders", "shop", "stocked", "two_shards"]

ORDER = """
fragment O on Order {
  id number status total { amount currency } amountPaid { amount } amountRefunded { amount } geozone
  contact { name email phone } shippingAddress { city street postcode comment }
  lines { productId name quantity unitPrice { amount } lineTotal { amount } product { productId } }
  createdAt updatedAt reservedUntil canCancel
  timeline { id at type status actor note }
}
"""
ERRORS = "userErrors { code field message }"
CHECKOUT = f"""
mutation ($input: CheckoutInput!) {{
  a: checkout(input: $input) {{
    order {{ ...O }} cart {{ status subtotal {{ amount }} warnings {{ code }} }}
    {ERRORS} warnings {{ code target message }}
  }}
}} {ORDER}"""
CANCEL = f"""
mutation ($order: ID!, $reason: String! = "") {{
  a: orderCancel(order: $order, reason: $reason) {{ order {{ ...O }} {ERRORS} }}
}} {ORDER}"""
ADVANCE = f"""
mutation ($order: ID!, $to: OrderStatus!, $note: String! = "") {{
  a: orderAdvance(order: $order, to: $to, note: $note) {{ order {{ ...O }} {ERRORS} }}
}} {ORDER}"""
PAY = f"""
mutation ($order: ID!, $amount: Decimal!, $reference: String!) {{
  a: orderRecordPayment(order: $order, amount: $amount, reference: $reference) {{ order {{ ...O }} {ERRORS} }}
}} {ORDER}"""
REFUND = f"""
mutation ($order: ID!, $lines: [RefundLineInput!]!, $restock: Boolean! = true, $reason: String!, $reference: String!) {{
  a: orderRefund(order: $order, lines: $lines, restock: $restock, reason: $reason, reference: $reference) {{
    order {{ ...O }} {ERRORS}
  }}
}} {ORDER}"""

INPUT: dict[str, Any] = {
    "geozone": "msk",
    "contact": {"name": "Иван Покупатель", "email": "ivan@example.com", "phone": "+7 (999) 123-45-67"},
    "shippingAddress": {"city": "Москва", "street": "Тверская, 1", "postcode": "101000"},
    "expectedTotal": "7980.00",
}


def everything(database: Database[Document]) -> dict[str, list[Document]]:
    """To show that nothing changed."""
    names = ("orders", "carts", "products")
    return {name: sorted(database[name].find(), key=lambda document: str(document["_id"])) for name in names}


def refusals(payload: dict[str, Any]) -> list[tuple[str, list[str] | None]]:
    return [(error["code"], error["field"]) for error in payload["userErrors"]]


@pytest.fixture
def guest(web: httpx.Client, orders: Database[Document]) -> Buyer:
    """With two pieces of PROD-1 in the cart."""
    return filled(Buyer(web), ("PROD-1", 2))


@pytest.fixture
def support(web: httpx.Client, orders: Database[Document]) -> Buyer:
    ensure_demo_accounts()
    return person(web, "support")


@pytest.fixture
def order(guest: Buyer, orders: Database[Document]) -> str:
    """The id of the guest's unpaid order."""
    bought: str = guest.send(CHECKOUT, input=INPUT)["order"]["id"]
    settle_queued()
    return bought


def test_guest_buys_what_is_in_the_cart(guest: Buyer, orders: Database[Document]) -> None:
    bought = guest.send(CHECKOUT, input=INPUT)

    (stored,) = orders["orders"].find()
    order = bought.pop("order")
    assert bought == {"cart": None, "userErrors": [], "warnings": []}
    assert order.pop("createdAt") == order.pop("updatedAt")
    assert order.pop("reservedUntil").endswith("Z")
    (event,) = order.pop("timeline")
    assert {name: event[name] for name in ("type", "status", "actor", "note")} == {
        "type": "CREATED",
        "status": "NEW",
        "actor": "buyer",
        "note": "",
    }
    assert order == {
        "id": global_id("Order", stored["owner"], stored["_id"]),
        "number": stored["number"],
        "status": "NEW",
        "total": {"amount": "7980.00", "currency": "RUB"},
        "amountPaid": {"amount": "0.00"},
        "amountRefunded": {"amount": "0.00"},
        "geozone": "msk",
        "contact": INPUT["contact"],
        "shippingAddress": {**INPUT["shippingAddress"], "comment": ""},
        "lines": [
            {
                "productId": "PROD-1",
                "name": "Наушники Тишина",
                "quantity": 2,
                "unitPrice": {"amount": "3990.00"},
                "lineTotal": {"amount": "7980.00"},
                "product": {"productId": "PROD-1"},
            }
        ],
        "canCancel": True,
    }
    settle_queued()
    assert_nothing_oversold(orders)


def test_customer_buys_for_the_account(web: httpx.Client, orders: Database[Document]) -> None:
    ensure_demo_accounts()
    buyer = filled(person(web, "customer"), ("PROD-1", 2))

    buyer.send(CHECKOUT, input=INPUT)

    (stored,) = orders["orders"].find()
    assert stored["owner"] == f"u:{stored['user_id']}"


def test_repeated_checkout_answers_with_the_same_order(guest: Buyer, orders: Database[Document]) -> None:
    first = guest.send(CHECKOUT, input={**INPUT, "clientKey": "attempt-1"})

    assert guest.send(CHECKOUT, input={**INPUT, "clientKey": "attempt-1"}) == first
    assert guest.send(CHECKOUT, input=INPUT) == first
    assert orders["orders"].count_documents({}) == 1


def test_guest_without_a_session_has_an_empty_cart_and_gets_no_session(
    web: httpx.Client, orders: Database[Document]
) -> None:
    response = web.post("/graphql", json={"query": CHECKOUT, "variables": {"input": INPUT}})

    payload = response.json()["data"]["a"]
    assert (payload["order"], payload["cart"], payload["warnings"]) == (None, None, [])
    assert refusals(payload) == [("CART_EMPTY", None)]
    assert "set-cookie" not in response.headers
    assert orders["orders"].count_documents({}) == 0


def test_lower_total_is_charged_with_a_warning(guest: Buyer) -> None:
    sell("PROD-1", Decimal("3000.00"))

    bought = guest.send(CHECKOUT, input=INPUT)

    assert bought["order"]["total"]["amount"] == "6000.00"
    assert bought["warnings"] == [
        {
            "code": "PRICE_CHANGED",
            "target": None,
            "message": "Цены снизились: было 7980.00 ₽, к оплате 6000.00 ₽.",
        }
    ]


def test_higher_total_is_refused_with_the_fresh_cart_and_nothing_is_bought(
    guest: Buyer, orders: Database[Document]
) -> None:
    sell("PROD-1", Decimal("4100.00"))
    before = everything(orders)

    refused = guest.send(CHECKOUT, input=INPUT)

    assert refused["order"] is None
    assert refusals(refused) == [("PRICE_CHANGED", ["input", "expectedTotal"])]
    assert refused["cart"] == {
        "status": "ACTIVE",
        "subtotal": {"amount": "8200.00"},
        "warnings": [{"code": "PRICE_CHANGED"}],
    }
    assert [warning["code"] for warning in refused["warnings"]] == ["PRICE_CHANGED"]
    assert everything(orders) == before


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"geozone": "mars"}, [("NOT_FOUND", ["input", "geozone"])]),
        ({"geozone": "spb"}, [("OUT_OF_STOCK", None)]),
        ({"expectedTotal": "-1"}, [("INVALID", ["input", "expectedTotal"])]),
        ({"clientKey": "k" * 101}, [("INVALID", ["input", "clientKey"])]),
        (
            {"contact": {"name": "", "email": "ivan@", "phone": "1"}},
            [
                ("REQUIRED", ["input", "contact", "name"]),
                ("INVALID", ["input", "contact", "email"]),
                ("INVALID", ["input", "contact", "phone"]),
            ],
        ),
        (
            {"shippingAddress": {"city": " ", "street": "у" * 201, "postcode": None}},
            [
                ("REQUIRED", ["input", "shippingAddress", "city"]),
                ("INVALID", ["input", "shippingAddress", "street"]),
            ],
        ),
    ],
)
def test_refused_checkout_names_the_input_and_buys_nothing(
    guest: Buyer, orders: Database[Document], changes: dict[str, Any], expected: list[Any]
) -> None:
    refused = guest.send(CHECKOUT, input={**INPUT, **changes})

    assert refused["order"] is None
    assert refusals(refused) == expected
    assert refused["cart"]["subtotal"] == {"amount": "7980.00"}
    assert orders["orders"].count_documents({}) == 0
    assert reserved(orders, "PROD-1") == (10, 0)


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
    ensure_demo_accounts()
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
    ensure_demo_accounts()
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
    ensure_demo_accounts()
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
