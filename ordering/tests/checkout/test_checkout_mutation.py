"""Buying, as real clients of a real server see it."""

from decimal import Decimal
from typing import Any

import httpx
import pytest
from pymongo.database import Database

from cart.tests.buyer import Buyer
from cart.tests.shop import sell
from gateway.accounts.tests.demo import make_demo_accounts
from gateway.graphql.relay.ids import global_id
from gateway.mongo.client import Document
from ordering.checkout.holds import settle_queued
from ordering.tests.api import CHECKOUT, INPUT, everything, refusals
from ordering.tests.people import filled, person
from ordering.tests.shop import assert_nothing_oversold, reserved


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
        "money": {
            "paid": {"amount": "0.00"},
            "refunded": {"amount": "0.00"},
            "dueBack": {"amount": "0.00"},
            "entries": [],
        },
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
    make_demo_accounts()
    buyer = filled(person(web, "customer"), ("PROD-1", 2))

    buyer.send(CHECKOUT, input=INPUT)

    (stored,) = orders["orders"].find()
    assert stored["owner"] == f"u:{stored['user_id']}"


def test_repeated_checkout_answers_with_the_same_order(guest: Buyer, orders: Database[Document]) -> None:
    first = guest.send(CHECKOUT, input={**INPUT, "clientKey": "attempt-1"})

    repeated = {
        **first,
        "warnings": [
            {
                "code": "REPLAYED",
                "target": None,
                "message": "Заказ оформлен прежним запросом: больше ничего не куплено.",
            }
        ],
    }
    assert first["warnings"] == []
    assert guest.send(CHECKOUT, input={**INPUT, "clientKey": "attempt-1"}) == repeated
    assert guest.send(CHECKOUT, input=INPUT) == repeated
    assert refusals(guest.send(CHECKOUT, input={**INPUT, "clientKey": "attempt-2"})) == [("CART_EMPTY", None)]
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
            "message": "Цены снизились: было 7 980,00 ₽, к оплате 6 000,00 ₽.",
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
        ({"geozone": "spb"}, [("OUT_OF_STOCK", ["lines", "0", "quantity"])]),
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
