"""What the payment system sends, read from the body of its call."""

import json
import re
from decimal import Decimal
from typing import Any, NamedTuple

from gateway.domain.errors import DomainError
from ordering.ledger.references import MAX_REFERENCE, Reference, reference_of
from ordering.payments.movements import MovementKind
from ordering.payments.payments import check_amount
from ordering.webhook.signature import PAYMENT_SUCCEEDED

TYPES = frozenset({PAYMENT_SUCCEEDED, *(kind.value for kind in MovementKind)})

_AMOUNT = re.compile(r"[0-9]{1,12}(\.[0-9]{1,2})?")


class BadEvent(Exception):
    """The body of a call is no event; the message says what is wrong with it."""


class MoneyEvent(NamedTuple):
    type: str
    reference: Reference
    """What is recorded once: the id of a payment's event; what a refund or chargeback is called there."""
    order: str
    """The order's number in any grouping, or its id."""
    amount: Decimal
    currency: str


def parsed_event(body: bytes) -> MoneyEvent | None:
    """The event in a body; None for a type that is none of our business. Raises BadEvent."""
    try:
        content = json.loads(body)
    except (ValueError, RecursionError):
        raise BadEvent("the body is not JSON") from None
    if not isinstance(content, dict):
        raise BadEvent("the body is not an object")
    kind = _text(content, "type", 100)
    if kind not in TYPES:
        return None
    reference = _reference(content, "id")
    if kind != PAYMENT_SUCCEEDED:
        reference = _reference(content, "reference")
    order, amount, currency = _text(content, "order", 100), _text(content, "amount", 20), _text(content, "currency", 3)
    if not _AMOUNT.fullmatch(amount):
        raise BadEvent('amount: a string such as "123.45"')
    event = MoneyEvent(kind, reference, order, Decimal(amount), currency)
    try:
        check_amount(event.amount)
    except DomainError as error:
        raise BadEvent(str(error)) from None
    return event


def _reference(content: dict[str, Any], field: str) -> Reference:
    value = content.get(field)
    try:
        return reference_of(value if isinstance(value, str) else "", field)
    except DomainError:
        raise BadEvent(f"{field}: a text of 1 to {MAX_REFERENCE} characters") from None


def _text(content: dict[str, Any], field: str, limit: int) -> str:
    value = content.get(field)
    if not isinstance(value, str) or not value.strip() or len(value) > limit or not value.isprintable():
        raise BadEvent(f"{field}: a text of 1 to {limit} characters")
    return value
