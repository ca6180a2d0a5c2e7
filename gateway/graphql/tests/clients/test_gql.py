"""Python's gql: its own validation against the schema that it asks for, and the operations of the storefront's page."""

import re
from typing import Any

import httpx
import pytest
from gql import Client, gql
from gql.client import SyncClientSession
from gql.transport.exceptions import TransportQueryError
from gql.transport.httpx import HTTPXTransport

from gateway.graphql.tests.clients.page_operations import page_operations

OPERATIONS = page_operations()


def client(web: httpx.Client) -> Client:
    transport = HTTPXTransport(url=str(web.base_url.join("/graphql")), timeout=20)
    return Client(transport=transport, fetch_schema_from_transport=True)


def send(session: SyncClientSession, operation: str, **variables: Any) -> dict[str, Any]:
    request = gql(OPERATIONS[operation])
    request.variable_values = variables
    return session.execute(request)


def test_buyer_buys_with_the_operations_of_the_page(web: httpx.Client, buyable: dict[str, str]) -> None:
    who = {"email": "gql@buyer.example", "password": buyable["password"]}
    with client(web) as session:
        card = send(session, "StorefrontCardQuery", id=buyable["product"], geozone="msk")["product"]
        added = send(session, "StorefrontAddMutation", product=card["id"], quantity=2, geozone="msk")["cartLinesAdd"]
        registered = send(session, "StorefrontRegisterMutation", **who, name="Иван")["register"]
        bought = send(
            session,
            "StorefrontCheckoutMutation",
            input={
                "geozone": "msk",
                "contact": {"name": "Иван", "email": who["email"], "phone": "+7 999 123-45-67"},
                "shippingAddress": {"city": "Москва", "street": "Тверская, 1"},
                "expectedTotal": added["cart"]["subtotal"]["amount"],
            },
        )["checkout"]
        pay(bought["order"]["payment"]["url"])
        history = send(session, "StorefrontHistoryQuery", first=5)["viewer"]["orders"]["edges"]

    assert card["name"] == "Наушники Тишина"
    assert registered["viewer"]["cart"]["totalQuantity"] == 2
    shown = [(edge["node"]["number"], edge["node"]["status"]) for edge in history]
    assert shown == [(bought["order"]["number"], "PAID")]


def test_refused_request_is_an_error_with_its_code(web: httpx.Client) -> None:
    with client(web) as session, pytest.raises(TransportQueryError) as refused:
        session.execute(gql("{ products(first: 101) { nodes { id } } }"))

    assert refused.value.errors
    assert refused.value.errors[0]["extensions"]["code"] == "LIMIT_EXCEEDED"


def pay(url: str) -> None:
    """As a person does on the payment page of development."""
    with httpx.Client() as browser:
        token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', browser.get(url).text)
        assert token
        answer = browser.post(url, data={"csrfmiddlewaretoken": token[1], "outcome": "pay"})
    assert answer.status_code == 200
