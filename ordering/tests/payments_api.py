"""Orders to be paid, and signed calls of the payment system."""

import json
import time
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any, cast

import httpx
from django.conf import settings
from django.test import Client
from pymongo.database import Database

from cart.tests.shop import CUSTOMER, fill
from gateway.mongo.client import Document
from ordering.checkout.holds import resolve_old_holds, settle_queued
from ordering.documents import LedgerEntry, OrderDocument
from ordering.events import BY_PAYMENT_SYSTEM
from ordering.ledger.fields import ledger_of, money_fields
from ordering.ledger.ledger import Entry, Kind
from ordering.ledger.references import Reference, reference_of
from ordering.lifecycle.moves import expire_unpaid
from ordering.payments.payments import IncomingMoney, receive_payment
from ordering.tests.shop import assert_nothing_oversold, buy
from ordering.webhook.signature import HEADER, sign

PAYMENT = IncomingMoney(Decimal("7980.00"), Reference("pay-1"), "webhook", BY_PAYMENT_SYSTEM)


def ordered(*lines: tuple[str, int], owner: str = CUSTOMER) -> OrderDocument:
    """A new order whose checkout has left nothing behind; two headphones for 7980.00 unless said otherwise."""
    fill(owner, *(lines or [("PROD-1", 2)]))
    order = buy(owner).order
    settle_queued()
    return order


def money(amount: str = "7980.00", reference: str = "evt-1") -> IncomingMoney:
    return IncomingMoney(Decimal(amount), reference_of(reference, "reference"), "webhook", BY_PAYMENT_SYSTEM)


def pay(order: OrderDocument, amount: str = "7980.00", reference: str = "evt-1") -> OrderDocument:
    return receive_payment(order["_id"], money(amount, reference))


def as_stored(*entries: Entry) -> list[LedgerEntry]:
    """The field of a document whose ledger these are."""
    stored: list[LedgerEntry] = money_fields(entries)["money"]["$literal"]
    return stored


def received(order: OrderDocument) -> list[tuple[str, str, str]]:
    """Reference and amount of each payment, and what of it the order did not take."""
    ledger = ledger_of(order)
    parts = [part for entry in ledger if entry.kind is Kind.EXCESS for part in entry.parts]
    return [
        (
            payment.reference,
            f"{payment.amount:.2f}",
            f"{sum((part.amount for part in parts if part.entry == payment.id), Decimal(0)):.2f}",
        )
        for payment in ledger
        if payment.kind is Kind.PAYMENT
    ]


def expired(order: OrderDocument) -> OrderDocument:
    assert expire_unpaid(limit=10, now=datetime.now(UTC) + timedelta(hours=1)) == 1
    return order


def stored(database: Database[Document], order: Mapping[str, Any]) -> OrderDocument:
    found = database["orders"].find_one({"_id": order["_id"]})
    assert found is not None
    return cast("OrderDocument", found)


def all_orders(database: Database[Document]) -> list[OrderDocument]:
    """To show that nothing changed."""
    found = cast("list[OrderDocument]", list(database["orders"].find()))
    return sorted(found, key=lambda order: str(order["_id"]))


def stock(database: Database[Document]) -> list[Document]:
    """To show that nothing changed."""
    return sorted(database["products"].find(), key=lambda product: str(product["_id"]))


def assert_orders_and_stock_agree(database: Database[Document]) -> None:
    """Once the sweep has settled what is left of retaken stock; nothing is owed either."""
    resolve_old_holds(limit=100, now=datetime.now(UTC) + timedelta(minutes=3))
    assert [order["stock_due"] for order in database["orders"].find() if order["stock_due"]] == []
    assert_nothing_oversold(database)


def event_body(paid: Mapping[str, Any], /, **changes: Any) -> bytes:
    """What the payment system sends; a change to None leaves the field out."""
    event = {
        "id": "evt-1",
        "type": "payment.succeeded",
        "order": paid["number"],
        "amount": "7980.00",
        "currency": "RUB",
        **changes,
    }
    return json.dumps({name: value for name, value in event.items() if value is not None}).encode()


def signature(body: bytes, *, secret: str = settings.DEVELOPMENT_PAYMENT_SECRET, late: int = 0) -> str:
    return sign(body, secret, int(time.time()) - late)


def call(body: bytes, header: str | None = None) -> tuple[int, Any]:
    """Through Django alone; with the right signature unless another is given."""
    answer = Client().post(
        "/payments/webhook",
        body,
        content_type="application/json",
        headers={HEADER: signature(body) if header is None else header},
    )
    return answer.status_code, answer.json()


def posted(web: httpx.Client, body: bytes) -> tuple[int, Any]:
    """To a real web server."""
    answer = web.post("/payments/webhook", content=body, headers={HEADER: signature(body)})
    return answer.status_code, answer.json()


def done(order: OrderDocument, status: str) -> tuple[int, Any]:
    return 200, {"result": "done", "order": order["number"], "status": status}


def body(order: OrderDocument, kind: str, amount: str = "3990.00", reference: str = "re-1", **changes: Any) -> bytes:
    """Tells of money that went back: a refund or a chargeback."""
    return event_body(order, id=f"{kind}/{reference}", type=kind, amount=amount, reference=reference, **changes)


def tell(order: OrderDocument, kind: str, amount: str = "3990.00", reference: str = "re-1") -> tuple[int, Any]:
    return call(body(order, kind, amount, reference))
