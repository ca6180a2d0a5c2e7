"""Buyers and support, orders in MongoDB and Cassandra, and letters: what the tests of ordering begin with."""

import asyncio
import secrets
import threading
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from types import ModuleType
from typing import Any

import httpx
import pytest
from django.conf import settings
from django.test import Client, override_settings
from pymongo.database import Database

from cart.tests.buyer import Buyer
from cart.tests.shop import CUSTOMER
from gateway.accounts.models import User
from gateway.accounts.tests.demo import make_demo_accounts
from gateway.cassandra.driver.circuit import CIRCUIT
from gateway.cassandra.driver.session import CONNECTOR
from gateway.fallback import noting_degradation
from gateway.graphql.context import RequestContext
from gateway.graphql.schema import schema
from gateway.mongo.client import Document, close_async_client
from ordering.checkout.holds import settle_queued
from ordering.documents import OrderDocument
from ordering.events import BUYER, EventType, event
from ordering.ledger.ledger import Kind, Origin, State, new_entry, with_excess, with_repayment
from ordering.models import OrderStatus
from ordering.tests.api import CHECKOUT, INPUT
from ordering.tests.bulk import one_bought
from ordering.tests.copies import AfterTheFirst, Run
from ordering.tests.payments_api import as_stored
from ordering.tests.people import EMAIL, filled, person
from ordering.tests.postbox import Postbox, served_by
from ordering.tests.questions import Answer, Ask, owner_of


@pytest.fixture
def orders(stocked: Database[Document]) -> Database[Document]:
    return stocked


@pytest.fixture
def guest(web: httpx.Client, orders: Database[Document]) -> Buyer:
    """With two pieces of PROD-1 in the cart."""
    return filled(Buyer(web), ("PROD-1", 2))


@pytest.fixture
def support(web: httpx.Client, orders: Database[Document]) -> Buyer:
    make_demo_accounts()
    return person(web, "support")


@pytest.fixture
def order(guest: Buyer, orders: Database[Document]) -> str:
    """The id of the guest's unpaid order."""
    bought: str = guest.send(CHECKOUT, input=INPUT)["order"]["id"]
    settle_queued()
    return bought


@pytest.fixture
def patient() -> Iterator[None]:
    """On a loaded machine an answer may take longer than a buyer would wait."""
    with override_settings(CASSANDRA_CONNECT_TIMEOUT=20.0, CASSANDRA_REQUEST_TIMEOUT=20.0):
        yield
        CONNECTOR.close()


@pytest.fixture
def running(patient: None) -> Iterator[Run]:
    """Runs what is asynchronous, all on one loop with one client."""
    with asyncio.Runner() as runner:
        yield runner.run
        runner.run(close_async_client())


@pytest.fixture
def cassandra_away(patient: None) -> Iterator[Callable[[], object]]:
    """Called, it lets nothing through to Cassandra any more until the test ends."""
    with override_settings(CASSANDRA_CIRCUIT_SECONDS=600.0):
        yield lambda: CIRCUIT.note_loss("as the test wants it")
        CIRCUIT.reset()


@pytest.fixture
def after_the_first(monkeypatch: pytest.MonkeyPatch) -> AfterTheFirst:
    """Lets something happen between two reads of a module: once, when whichever comes first has its answer."""

    def arrange(module: ModuleType, reads: Sequence[str], something: Callable[[], None]) -> None:
        pending = [something]

        def interrupted(read: Callable[..., Any]) -> Callable[..., Any]:
            async def reading(*args: Any) -> Any:
                answer = await read(*args)
                if pending:
                    await asyncio.to_thread(pending.pop())
                return answer

            return reading

        for name in reads:
            monkeypatch.setattr(module, name, interrupted(getattr(module, name)))

    return arrange


@pytest.fixture
def ask(running: Run, orders: Database[Document]) -> Ask:
    """Sends a document in this process, as one of the demo accounts or as nobody."""
    make_demo_accounts()
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


@pytest.fixture
def like(orders: Database[Document]) -> Document:
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


@pytest.fixture
def postbox() -> Iterator[Postbox]:
    with Postbox() as server, served_by(server.port):
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()
