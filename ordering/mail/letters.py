"""What a letter to the buyer says: a template per event and language, filled from the order."""

from collections.abc import Mapping
from datetime import UTC, datetime
from decimal import Decimal
from typing import NamedTuple

from django.conf import settings
from django.template import Context, Engine

from gateway.domain.input import normal_key
from gateway.domain.money import money_text
from gateway.domain.texts import DEFAULT_LANGUAGE, Language
from ordering.documents import OrderDocument, OrderEvent
from ordering.events import EventType
from ordering.ledger.amounts import due_back
from ordering.ledger.fields import ledger_of
from ordering.ledger.ledger import Entry, Kind, entry_with, held, payments, payouts
from ordering.models import OrderStatus


class Letter(NamedTuple):
    to: str
    subject: str
    body: str
    message_id: str
    """Made from the letter's id: one that is sent twice by accident is known by it."""
    at: datetime
    """When it happened."""


class Line(NamedTuple):
    name: str
    quantity: int
    price: str
    total: str


# What the buyer is not told of: the shop's own business, or told by the bank.
WITHOUT_LETTER = frozenset(
    {
        EventType.REFUND_FAILED,
        EventType.CHARGEBACK,
        EventType.CHARGEBACK_REVERSED,
        EventType.CLAIMED,
        EventType.DETAILS_CHANGED,
        EventType.GEOZONE_CHANGED,
    }
)


def event_with(order: OrderDocument, event_id: str) -> OrderEvent:
    return next(event for event in order["events"] if event["id"] == event_id)


def letter(order: OrderDocument, event: OrderEvent, *, letter_id: str, to: str | None = None) -> Letter:
    """The letter about this event, in the buyer's language; to the address and with the lines as they are now.

    `to`: another address than the contact's.
    """
    language = order.get("language", DEFAULT_LANGUAGE)
    template = Engine.get_default().get_template(f"ordering/mail/{_template(order, event)}.{language}.txt")
    # Plain text: a name with an apostrophe stays as it is.
    text = template.render(Context(_values(order, event, language), autoescape=False))
    subject, _, body = text.partition("\n")
    domain = settings.DEFAULT_FROM_EMAIL.rpartition("@")[2].rstrip("> ")
    return Letter(
        to=to or order["contact"]["email"],
        subject=subject,
        body=body.strip() + "\n",
        message_id=f"<{letter_id}@{domain}>",
        at=event["at"].replace(tzinfo=UTC),
    )


def _template(order: OrderDocument, event: OrderEvent) -> str:
    match EventType(event["type"]):
        case EventType.MOVED:
            return event["status"]
        case EventType.PAYMENT:
            return "payment_to_refund" if _has_surplus(order, event) else "payment"
        case EventType.REFUND:
            return "refunded"
        case kind:
            return str(kind.value)


def _entry_told_of(order: OrderDocument, event: OrderEvent) -> Entry | None:
    """The entry of the ledger that the event tells of; one of an earlier release names none, and is searched for."""
    ledger = ledger_of(order)
    if entry_id := event.get("entry"):
        return entry_with(ledger, entry_id)
    if event["type"] == EventType.REFUND.value:
        # Refunds and their events stand in the same order.
        told = [each["id"] for each in order["events"] if each["type"] == EventType.REFUND.value]
        return [entry for entry in ledger if entry.kind is Kind.REFUND][told.index(event["id"])]
    return next(iter(payments(ledger, normal_key(event["note"]))), None)


def _amount(order: OrderDocument, told: Entry) -> Decimal:
    """What the letter says of the entry: of a payout the sum, since a part may have come from the order itself."""
    if told.kind is not Kind.REPAYMENT:
        return told.amount
    return sum((entry.amount for entry in payouts(ledger_of(order), told.reference)), Decimal(0)) or told.amount


def _has_surplus(order: OrderDocument, event: OrderEvent) -> bool:
    """Whether the order could not take all of the payment that the event tells of."""
    payment = _entry_told_of(order, event)
    parts = (part for entry in ledger_of(order) if entry.kind is Kind.EXCESS for part in entry.parts)
    return payment is not None and any(part.entry == payment.id for part in parts)


def _values(order: OrderDocument, event: OrderEvent, language: Language) -> Mapping[str, object]:
    def money(amount: Decimal) -> str:
        return money_text(amount, language)

    lines = [
        Line(item["name"], item["quantity"], money(price), money(price * item["quantity"]))
        for item in order["items"]
        for price in [item["price"].to_decimal()]
    ]
    to_refund = due_back(order)
    due = order["total"].to_decimal() - held(ledger_of(order))
    told = _entry_told_of(order, event)
    return {
        "name": order["contact"]["name"],
        "number": order["number"],
        "lines": lines,
        "total": money(order["total"].to_decimal()),
        "address": order["shipping_address"],
        "minutes": _minutes_left(order, event),
        "amount": money(amount) if told and (amount := _amount(order, told)) else "",
        "due": money(due) if due > 0 else "",
        "to_refund": money(to_refund) if to_refund else "",
        "tracking": order.get("tracking"),
        "whole": event["status"] == OrderStatus.REFUNDED.value,
    }


def _minutes_left(order: OrderDocument, event: OrderEvent) -> int | None:
    """For how many minutes the stock was held when the event happened; None when it is not held any more."""
    until = order["reserved_until"]
    return None if until is None else round((until - event["at"]).total_seconds() / 60)
