"""What a letter to the buyer says: a template per event and language, filled from the order."""

from collections.abc import Mapping
from datetime import UTC, datetime
from decimal import Decimal
from typing import NamedTuple

from django.conf import settings
from django.template import Context, Engine

from gateway.mongo.client import Document
from gateway.texts import DEFAULT_LANGUAGE, Language
from ordering.amounts import paid
from ordering.events import EventType
from ordering.models import OrderStatus


class Letter(NamedTuple):
    to: str
    subject: str
    body: str
    message_id: str
    """Of the event: a letter that is sent twice is known by it."""
    at: datetime
    """When it happened."""


class Line(NamedTuple):
    name: str
    quantity: int
    price: str
    total: str


def letter(order: Document, event_id: str) -> Letter:
    """About this event, in the buyer's language. The address and the lines are those of the order as it is now."""
    event = next(event for event in order["events"] if event["id"] == event_id)
    language: Language = order.get("language", DEFAULT_LANGUAGE)
    template = Engine.get_default().get_template(f"ordering/mail/{_template(order, event)}.{language}.txt")
    # Plain text: a name with an apostrophe stays as it is.
    text = template.render(Context(_values(order, event, language), autoescape=False))
    subject, _, body = text.partition("\n")
    domain = settings.DEFAULT_FROM_EMAIL.rpartition("@")[2].rstrip("> ")
    return Letter(
        to=order["contact"]["email"],
        subject=subject,
        body=body.strip() + "\n",
        message_id=f"<{event_id}@{domain}>",
        at=event["at"].replace(tzinfo=UTC),
    )


def _template(order: Document, event: Document) -> str:
    match EventType(event["type"]):
        case EventType.MOVED:
            return str(event["status"])
        case EventType.PAYMENT:
            return "payment_to_refund" if _payment(order, event)["to_refund"].to_decimal() else "payment"
        case EventType.REFUND:
            return "refunded"
        case kind:
            return str(kind.value)


def _payment(order: Document, event: Document) -> Document:
    """That the event tells of; empty for another kind of event. Its note is the payment's reference."""
    return next((payment for payment in order["payments"] if payment["reference"] == event["note"]), {})


def _refund(order: Document, event: Document) -> Decimal:
    """That the event tells of, zero for another kind: refunds and their events stand in the same order."""
    told = [each["id"] for each in order["events"] if each["type"] == EventType.REFUND.value]
    amounts: list[Decimal] = [refund["amount"].to_decimal() for refund in order["refunds"]]
    return amounts[told.index(event["id"])] if event["id"] in told else Decimal(0)


def _values(order: Document, event: Document, language: Language) -> Mapping[str, object]:
    def money(amount: Decimal) -> str:
        return written(amount, language)

    lines = [
        Line(item["name"], item["quantity"], money(price), money(price * item["quantity"]))
        for item in order["items"]
        for price in [item["price"].to_decimal()]
    ]
    to_refund = sum((payment["to_refund"].to_decimal() for payment in order["payments"]), Decimal(0))
    due = order["total"].to_decimal() - paid(order)
    payment = _payment(order, event)
    return {
        "name": order["contact"]["name"],
        "number": order["number"],
        "lines": lines,
        "total": money(order["total"].to_decimal()),
        "address": order["shipping_address"],
        "minutes": _minutes_left(order, event),
        "payment": money(payment["amount"].to_decimal()) if payment else "",
        "due": money(due) if due > 0 else "",
        "to_refund": money(to_refund) if to_refund else "",
        "refunded": money(_refund(order, event)),
        "whole": event["status"] == OrderStatus.REFUNDED.value,
    }


def _minutes_left(order: Document, event: Document) -> int | None:
    """For which the stock was held when it happened; None when it is not held any more."""
    until: datetime | None = order["reserved_until"]
    return None if until is None else round((until - event["at"]).total_seconds() / 60)


def written(amount: Decimal, language: Language) -> str:
    """57970 → 57 970,00 ₽ or 57,970.00 RUB."""
    text = f"{amount:,.2f}"
    return f"{text} RUB" if language == "en" else f"{text.replace(',', ' ').replace('.', ',')} ₽"
