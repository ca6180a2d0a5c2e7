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
from ordering.documents import OrderDocument, OrderEvent, OrderItem
from ordering.events import EventType
from ordering.ledger.amounts import due_back
from ordering.ledger.fields import ledger_of
from ordering.ledger.ledger import Entry, Kind, entry_with, held, payments, payouts
from ordering.mail.links import order_link
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
    news = _news(order, event, _language(order))
    at = event["at"].replace(tzinfo=UTC)
    return _written(order, _template(order, event), news, letter_id=letter_id, to=to, at=at)


def link_letter(order: OrderDocument, *, letter_id: str) -> Letter:
    """The letter to the contact that brings the link to the order once more."""
    return _written(order, "link", {}, letter_id=letter_id, at=datetime.now(UTC))


def _written(
    order: OrderDocument, name: str, news: Mapping[str, object], *, letter_id: str, at: datetime, to: str | None = None
) -> Letter:
    language = _language(order)
    template = Engine.get_default().get_template(f"ordering/mail/{name}.{language}.txt")
    # Plain text: a name with an apostrophe stays as it is.
    text = template.render(Context({**_order_values(order, language), **news}, autoescape=False))
    subject, _, body = text.partition("\n")
    domain = settings.DEFAULT_FROM_EMAIL.rpartition("@")[2].rstrip("> ")
    return Letter(
        to=to or order["contact"]["email"],
        subject=subject,
        body=body.strip() + "\n",
        message_id=f"<{letter_id}@{domain}>",
        at=at,
    )


def _language(order: OrderDocument) -> Language:
    return order.get("language", DEFAULT_LANGUAGE)


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


def _order_values(order: OrderDocument, language: Language) -> Mapping[str, object]:
    """What every letter says of the order."""

    def line(item: OrderItem) -> Line:
        price, quantity = item["price"].to_decimal(), item["quantity"]
        return Line(item["name"], quantity, money_text(price, language), money_text(price * quantity, language))

    return {
        "name": order["contact"]["name"],
        "number": order["number"],
        "lines": [line(item) for item in order["items"]],
        "total": money_text(order["total"].to_decimal(), language),
        "address": order["shipping_address"],
        "link": order_link(order),
    }


def _news(order: OrderDocument, event: OrderEvent, language: Language) -> Mapping[str, object]:
    """What the letter says of the event."""

    def money(amount: Decimal) -> str:
        return money_text(amount, language) if amount > 0 else ""

    told = _entry_told_of(order, event)
    return {
        "minutes": _minutes_left(order, event),
        "amount": money(_amount(order, told)) if told else "",
        "due": money(order["total"].to_decimal() - held(ledger_of(order))),
        "to_refund": money(due_back(order)),
        "tracking": order.get("tracking"),
        "whole": event["status"] == OrderStatus.REFUNDED.value,
    }


def _minutes_left(order: OrderDocument, event: OrderEvent) -> int | None:
    """For how many minutes the stock was held when the event happened; None when it is not held any more."""
    until = order["reserved_until"]
    return None if until is None else round((until - event["at"]).total_seconds() / 60)
