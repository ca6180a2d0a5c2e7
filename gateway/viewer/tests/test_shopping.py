"""A buyer with two devices: a guest on the one, registered on the other, one cart in the end."""

from typing import Any

from pymongo.database import Database

from cart.tests.shop import HOMES
from gateway.accounts.models import User
from gateway.accounts.owners import customer_owner
from gateway.graphql.relay.ids import global_id
from gateway.mongo.client import Document
from gateway.viewer.tests.visitor import PASSWORD, Visitor

ADD = """
mutation ($lines: [CartLineInput!]!) {
  cartLinesAdd(lines: $lines, geozone: "msk") { token userErrors { code } }
}
"""
REGISTER = """
mutation ($password: String!) {
  register(email: "olga@example.com", password: $password) { userErrors { code } viewer { cart { totalQuantity } } }
}
"""
LOGIN = """
mutation ($password: String!, $mode: CartMergeMode!) {
  login(email: "OLGA@example.com", password: $password, cartMerge: $mode) {
    userErrors { code }
    viewer { user { email } cart { lines { productId quantity } } }
  }
}
"""
CART = "{ viewer { cart { lines { productId quantity } subtotal { amount } } } cart { totalQuantity } }"


def add(visitor: Visitor, product_id: str, quantity: int) -> None:
    lines = [{"product": global_id("Product", HOMES[product_id], product_id), "quantity": quantity}]
    assert visitor.ask(ADD, {"lines": lines})["cartLinesAdd"]["userErrors"] == []


def lines(*found: tuple[str, int]) -> list[dict[str, Any]]:
    return [{"productId": product_id, "quantity": quantity} for product_id, quantity in found]


def test_guest_adds_registers_on_another_device_signs_in_and_sees_one_cart(
    stocked: Database[Document], visitor: Visitor, another: Visitor
) -> None:
    add(visitor, "PROD-1", 2)
    add(another, "PROD-1", 1)
    add(another, "PROD-2", 1)
    assert another.ask(REGISTER, {"password": PASSWORD})["register"] == {
        "userErrors": [],
        "viewer": {"cart": {"totalQuantity": 2}},
    }

    done = visitor.ask(LOGIN, {"password": PASSWORD, "mode": "MERGE"})["login"]

    merged = lines(("PROD-1", 2), ("PROD-2", 1))
    assert done == {"userErrors": [], "viewer": {"user": {"email": "olga@example.com"}, "cart": {"lines": merged}}}
    for device in (visitor, another):
        seen = device.ask(CART)
        assert seen["viewer"]["cart"] == {"lines": merged, "subtotal": {"amount": "57970.00"}}
        assert seen["cart"] == {"totalQuantity": 3}
    olga = User.objects.get(email="olga@example.com")
    stored = sorted((cart["status"], cart["merged_into"]) for cart in stocked["carts"].find({"user_id": None}))
    assert stored == [("abandoned", customer_owner(olga.pk))] * 2
    assert stocked["carts"].count_documents({"owner": customer_owner(olga.pk), "status": "active"}) == 1


def test_repeated_login_changes_nothing_more(stocked: Database[Document], visitor: Visitor, another: Visitor) -> None:
    another.ask(REGISTER, {"password": PASSWORD})
    add(visitor, "PROD-1", 2)
    visitor.ask(LOGIN, {"password": PASSWORD, "mode": "MERGE"})

    again = visitor.ask(LOGIN, {"password": PASSWORD, "mode": "KEEP_GUEST"})["login"]

    assert again["viewer"]["cart"]["lines"] == lines(("PROD-1", 2))


def test_signed_out_the_device_is_a_guest_without_the_cart(stocked: Database[Document], visitor: Visitor) -> None:
    add(visitor, "PROD-1", 2)
    visitor.ask(REGISTER, {"password": PASSWORD})

    visitor.ask("mutation { logout { token } }")

    assert visitor.ask(CART) == {"viewer": {"cart": None}, "cart": None}


CHECKOUT = """
mutation {
  checkout(input: {
    geozone: "msk", expectedTotal: "7980.00", clientKey: "once",
    contact: {name: "Ольга", email: "olga@example.com", phone: "8 900 000-00-00"},
    shippingAddress: {city: "Москва", street: "Тверская, 1"},
  }) { order { id number status total { amount } } cart { id } userErrors { code message } warnings { code } }
}
"""
ORDERS = "{ viewer { cart { id } orders { nodes { number status timeline { type actor } } } } }"


def test_guests_order_is_there_at_once_and_becomes_the_customers(
    stocked: Database[Document], visitor: Visitor, another: Visitor
) -> None:
    add(visitor, "PROD-1", 2)
    bought = visitor.ask(CHECKOUT)["checkout"]
    assert visitor.ask(CHECKOUT)["checkout"]["order"] == bought["order"]
    number = bought["order"]["number"]
    assert bought["userErrors"] == []
    assert visitor.ask(ORDERS)["viewer"] == {
        "cart": None,
        "orders": {"nodes": [{"number": number, "status": "NEW", "timeline": [{"type": "CREATED", "actor": "buyer"}]}]},
    }

    visitor.ask(REGISTER, {"password": PASSWORD})
    another.ask(LOGIN, {"password": PASSWORD, "mode": "MERGE"})

    for device in (visitor, another):
        (order,) = device.ask(ORDERS)["viewer"]["orders"]["nodes"]
        assert (order["number"], [event["type"] for event in order["timeline"]]) == (number, ["CREATED", "CLAIMED"])
    found = "query ($id: ID!) { order(id: $id) { number canCancel } node(id: $id) { id } }"
    seen = another.ask(found, {"id": bought["order"]["id"]})
    assert seen["order"] == {"number": number, "canCancel": True}


def test_stranger_sees_nobodys_order(stocked: Database[Document], visitor: Visitor, another: Visitor) -> None:
    add(visitor, "PROD-1", 2)
    order = visitor.ask(CHECKOUT)["checkout"]["order"]["id"]
    add(another, "PROD-2", 1)

    seen = another.ask("query ($id: ID!) { order(id: $id) { number } node(id: $id) { id } }", {"id": order})
    refused = another.ask("mutation ($id: ID!) { orderCancel(order: $id) { userErrors { code } } }", {"id": order})

    assert seen == {"order": None, "node": None}
    assert refused == {"orderCancel": {"userErrors": [{"code": "NOT_FOUND"}]}}
    assert another.ask(ORDERS)["viewer"]["orders"] == {"nodes": []}
