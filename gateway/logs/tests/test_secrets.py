"""Whatever fails, no log of the web server or of a worker holds what people typed or what opens a door.

The faults are MongoDB's own: a validator that no document satisfies, whose refusals quote the document.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest
from django.conf import settings
from pymongo.database import Database

from cart.tests.buyer import ADD, lines
from gateway.accounts.models import User
from gateway.mongo.client import Document
from gateway.tests.eventually import eventually
from gateway.tests.web_servers import Server
from gateway.viewer.tests.visitor import Visitor
from ordering.mail.delivery import mail_soon
from ordering.tests.api import CHECKOUT, INPUT
from ordering.tests.payments_api import event_body, signature
from ordering.webhook.signature import HEADER

PASSWORD, NEW_PASSWORD, GUESS = "Sesam-oeffne-dich-4711", "Neues-Geheimwort-4712", "Falsch-geraten-4713"
EMAIL, NEW_EMAIL, CONTACT_EMAIL = "ivan.secret@example.com", "new.secret@example.com", "contact.secret@example.com"
PHONE, STREET, NAME = "+7 900 4711-47-11", "Geheimgasse 4714", "Secretus Maximus"
SERVER_TOKEN = "server-token-4715-of-the-page-renderer"
PAYMENT_SECRET = "payment-secret-4716-shared-with-the-bank"
ADMIN = {"username": EMAIL, "password": PASSWORD}
SESSION = "{ token userErrors { code } }"


@contextmanager
def refusing(database: Database[Document], *collections: str) -> Iterator[None]:
    """MongoDB refuses every write to them, and says to which document."""
    try:
        for name in collections:
            database.command("collMod", name, validator={"never": {"$exists": True}}, validationAction="error")
        yield
    finally:
        for name in collections:
            database.command("collMod", name, validator={})


class Secrets(NamedTuple):
    token: str
    signed: str


@pytest.fixture(scope="module", params=["json", "console"])
def log_format(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def server(log_format: str, serve: Callable[..., Server]) -> Server:
    return serve(
        LOG_FORMAT=log_format,
        GRAPHQL_OPERATIONS="log",
        GRAPHQL_SERVER_TOKENS=SERVER_TOKEN,
        PAYMENT_WEBHOOK_SECRETS=PAYMENT_SECRET,
        DEBUG="false",
        ALLOWED_HOSTS="*",
    )


@pytest.fixture
def ivan(stocked: Database[Document]) -> User:
    return User.objects.create_user(EMAIL, PASSWORD, name=NAME, phone=PHONE, is_staff=True)


def found_in(log: str, secrets: Secrets) -> list[str]:
    everything = [
        PASSWORD, NEW_PASSWORD, GUESS, EMAIL, NEW_EMAIL, CONTACT_EMAIL, PHONE, STREET, NAME,
        SERVER_TOKEN, PAYMENT_SECRET, settings.SECRET_KEY, *secrets,
    ]  # fmt: skip
    return [secret for secret in everything if secret in log]


def literally(mutation: str, **values: str) -> str:
    """A document with its values in it, and in a comment besides."""
    arguments = ", ".join(f'{name}: "{value}"' for name, value in values.items())
    return f"# {arguments}\nmutation {{ {mutation}({arguments}) {SESSION} }}"


def faults(server: Server) -> int:
    return len(re.findall(r"graphql_fault|Internal Server Error", server.log.read_text()))


def checkout(visitor: Visitor, **headers: str) -> httpx.Response:
    visitor.ask(ADD, {"lines": lines(("PROD-1", 2))}, **headers)
    contact = {"name": NAME, "email": CONTACT_EMAIL, "phone": PHONE}
    address = {**INPUT["shippingAddress"], "street": STREET}
    return visitor.send(CHECKOUT, {"input": {**INPUT, "contact": contact, "shippingAddress": address}}, **headers)


def pay(server: Server, order: Document) -> tuple[httpx.Response, str]:
    body = event_body(order)
    signed = signature(body, secret=PAYMENT_SECRET)
    return server.client.post("/payments/webhook", content=body, headers={HEADER: signed}), signed


def sign_in_to_the_admin(visitor: Visitor) -> httpx.Response:
    page = visitor.http.get("/admin/login/")
    form = {**ADMIN, "csrfmiddlewaretoken": page.cookies["csrftoken"]}
    return visitor.http.post("/admin/login/?next=/admin/", data=form)


def test_faults_leave_no_secret_in_the_log_of_the_web_server(
    server: Server, ivan: User, stocked: Database[Document]
) -> None:
    buyer_of = {"x-server-token": SERVER_TOKEN, "x-buyer-address": "192.0.2.7"}
    with Visitor(str(server.client.base_url)) as visitor:
        token = visitor.login(EMAIL, PASSWORD, **buyer_of)["token"]
        assert checkout(visitor).json()["data"]["a"]["userErrors"] == []
        order = stocked["orders"].find_one({}) or {}
        before = faults(server)
        with refusing(stocked, "accounts_user", "orders"):
            visitor.send(literally("login", email=EMAIL, password=PASSWORD), None, **buyer_of)
            visitor.send(literally("login", email=EMAIL, password=GUESS), None, **buyer_of)
            visitor.send(literally("register", email=NEW_EMAIL, password=NEW_PASSWORD, name=NAME, phone=PHONE))
            visitor.http.get("/graphql", params={"query": "{ viewer { user { email } }", "token": token})
            checkout(visitor)
            paid, signed = pay(server, order)
            entered = sign_in_to_the_admin(visitor)

    log = server.log.read_text()
    assert (paid.status_code, entered.status_code) == (500, 500)
    # The right sign-in, the registration, the checkout, the payment, the admin.
    assert faults(server) - before >= 5
    assert "graphql_operation_not_registered" in log
    assert found_in(log, Secrets(token, signed.partition("v1=")[2])) == []


def test_faults_leave_no_secret_in_the_log_of_a_worker(
    server: Server, ivan: User, stocked: Database[Document], run_worker: Callable[..., Path], log_format: str
) -> None:
    with Visitor(str(server.client.base_url)) as visitor:
        checkout(visitor)
    # An address that no letter can be sent to, which Django's refusal quotes.
    broken = {"$set": {"contact.email": f"{CONTACT_EMAIL}\n"}}
    order = stocked["orders"].find_one_and_update({}, broken) or {}
    log = run_worker("--concurrency", "1", LOG_FORMAT=log_format)
    mail_soon(order["_id"])
    seen = waited_for(log, "raised unexpected")

    assert "BadHeaderError" in seen
    assert found_in(seen, Secrets("none-was-given", "none-was-made")) == []


def waited_for(log: Path, text: str) -> str:
    eventually(lambda: text in log.read_text(), within=60, why=log.read_text)
    return log.read_text()


def test_what_a_log_tells_of_a_fault_still_leads_to_it(server: Server, ivan: User, stocked: Database[Document]) -> None:
    with refusing(stocked, "accounts_user"), Visitor(str(server.client.base_url)) as visitor:
        answer: dict[str, Any] = visitor.send(literally("login", email=EMAIL, password=PASSWORD)).json()

    request_id = answer["errors"][0]["extensions"]["requestId"]
    told = server.log.read_text().split(request_id)
    assert "enter" in "".join(told)
    assert re.search(r"WriteError|DatabaseError", "".join(told))
    assert "121" in "".join(told)  # MongoDB's code of a document that fails validation
