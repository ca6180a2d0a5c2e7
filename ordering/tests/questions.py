"""The schema asked in this process as one of the demo accounts, and orders to ask for."""

import secrets
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any, NamedTuple

import pytest
from django.conf import settings
from django.test import Client
from pymongo.database import Database

from gateway.accounts.demo import ensure_demo_accounts
from gateway.accounts.models import User
from gateway.accounts.owners import customer_owner
from gateway.fallback import noting_degradation
from gateway.graphql.context import RequestContext
from gateway.graphql.relay.ids import global_id
from gateway.graphql.schema import schema
from gateway.mongo.client import Document
from ordering.documents import OrderDocument
from ordering.events import BUYER, EventType, event
from ordering.ledger.ledger import Kind, Origin, State, new_entry, with_excess, with_repayment
from ordering.models import OrderStatus
from ordering.tests.bulk import one_bought
from ordering.tests.copies import Run
from ordering.tests.payments_api import as_stored
from ordering.tests.people import EMAIL
from ordering.tests.shop import CUSTOMER

LOOKUP = """
query ($text: String!, $first: Int, $after: String) {
  a: orderLookup(query: $text, first: $first, after: $after) {
    nodes { id number status } pageInfo { hasNextPage hasPreviousPage endCursor }
  }
}
"""


class Answer(NamedTuple):
    data: Any
    errors: list[BaseException | None]
    degraded: bool


Ask = Callable[..., Answer]


@pytest.fixture
def ask(running: Run, orders: Database[Document]) -> Ask:
    """Sends a document in this process, as one of the demo accounts or as nobody."""
    ensure_demo_accounts()
    tokens: dict[str, str] = {}

    def token_of(login: str) -> str:
        if login not in tokens:
            browser = Client()
            browser.force_login(User.objects.get(email=EMAIL.format(login)))
            tokens[login] = browser.cookies[settings.SESSION_COOKIE_NAME].value
        return tokens[login]

    def send(login: str | None, query: str, **variables: Any) -> Answer:
        cookie = f"{settings.SESSION_COOKIE_NAME}={token_of(login)}" if login else ""
        context = RequestContext(
            {"headers": [(b"cookie", cookie.encode())]}, request_id="r", language="ru", client="192.0.2.1"
        )

        async def execute() -> Answer:
            with noting_degradation() as noted:
                answer = await schema.execute(query, variables, context)
            data = answer.data["a"] if answer.data and "a" in answer.data else answer.data
            return Answer(data, [error.original_error for error in answer.errors or ()], noted.noted)

        found: Answer = running(execute())
        return found

    for login in ("customer", "support", "merchandiser"):
        token_of(login)
    return send


@pytest.fixture
def owner(ask: Ask) -> str:
    return owner_of("customer")


def owner_of(login: str) -> str:
    return customer_owner(User.objects.get(email=EMAIL.format(login)).pk)


@pytest.fixture
def like(orders: Database[Document]) -> OrderDocument:
    """Delivered, with events of all kinds of people, two of them in one millisecond."""
    at = datetime(2026, 1, 2, 3, 4, 5, 678_000, tzinfo=UTC)
    events = [
        event(EventType.CREATED, OrderStatus.NEW, at=at, actor=BUYER),
        event(EventType.MOVED, OrderStatus.PAID, at=at + timedelta(hours=1), actor="payments", note="pay-1"),
        event(
            EventType.MOVED,
            OrderStatus.SHIPPED,
            at=at + timedelta(hours=2),
            actor="support@example.com",
            note="покупатель скандалит",
        ),
        event(EventType.MOVED, OrderStatus.DELIVERED, at=at + timedelta(hours=2), actor="support@example.com"),
    ]
    told = Origin(at + timedelta(hours=1), "payments", "webhook")
    paid = new_entry(Kind.PAYMENT, State.DONE, Decimal("4000.00"), "pay-1", told)
    money = with_repayment(ledger := with_excess((paid,), Decimal("10.00"), told), ledger[1], "back-1", told)
    return {
        **one_bought(CUSTOMER),
        "status": "delivered",
        "events": events,
        "money": as_stored(*money),
        "stock_due": [],
        "mail_due": [],
    }


@pytest.fixture
def ivan(like: OrderDocument) -> OrderDocument:
    """An order of a person whom no earlier test knows."""
    tag = secrets.token_hex(6)
    phone = "+7 9" + f"{secrets.randbelow(10**9):09}"
    return {**like, "contact": {"name": f"Анна Ёлкина-{tag}", "email": f"{tag}@example.com", "phone": phone}}


def public(owner: str, order_id: str) -> str:
    return global_id("Order", owner, order_id)


def found(answer: Answer) -> list[str]:
    return [order["id"] for order in answer.data["nodes"]]
