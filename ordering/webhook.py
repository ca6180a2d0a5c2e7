"""POST /payments/webhook: the payment system tells that money came. docs/payments.md is the contract.

Whoever calls repeats a call until it is answered with 200, in any order and more than once; so nothing here depends on
either. Neither bodies nor secrets reach the log.
"""

import json
import re
import time
from decimal import Decimal
from typing import Any, NamedTuple

import structlog
from django.conf import settings
from django.http import HttpRequest, JsonResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from gateway.domain_errors import Code, DomainError
from gateway.mongo.client import Document
from ordering.errors import OrderBusy
from ordering.events import PAYMENT_SYSTEM
from ordering.finding import find_order, find_order_by_number
from ordering.numbers import number_in
from ordering.payments import MAX_REFERENCE, Money, receive_payment
from ordering.signing import HEADER, PAYMENT_SUCCEEDED, BadSignature, check_signature

log = structlog.get_logger(__name__)

# An event of ours takes two hundred bytes; payment systems add what they like.
MAX_BODY_BYTES = 16_384
SOURCE = "webhook"

_AMOUNT = re.compile(r"[0-9]{1,12}(\.[0-9]{1,2})?")
_ORDER_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_STATUSES = {Code.NOT_FOUND: 404, Code.CONFLICT: 409}


class Unacceptable(Exception):
    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.code = code


class PaymentEvent(NamedTuple):
    id: str
    order: str
    """Its number in any grouping, or its id."""
    amount: Decimal
    currency: str


@csrf_exempt
@require_POST
def payments_webhook(request: HttpRequest) -> JsonResponse:
    try:
        event = _parsed(_authentic_body(request))
        if event is None:
            return JsonResponse({"result": "ignored"})
        order = _received(event)
    except Unacceptable as refusal:
        log.warning("payment_refused", code=refusal.code, reason=str(refusal))
        return JsonResponse({"error": {"code": refusal.code, "message": str(refusal)}}, status=refusal.status)
    log.info("payment_received", order=order["_id"], event_id=event.id, status=order["status"])
    return JsonResponse({"result": "done", "order": order["number"], "status": order["status"]})


def _authentic_body(request: HttpRequest) -> bytes:
    body: bytes = request.read(MAX_BODY_BYTES + 1)
    if len(body) > MAX_BODY_BYTES:
        raise Unacceptable(413, "TOO_LARGE", f"the body has more than {MAX_BODY_BYTES} bytes")
    try:
        check_signature(
            body,
            request.headers.get(HEADER, ""),
            secrets=settings.PAYMENT_WEBHOOK_SECRETS,
            now=time.time(),
            tolerance=settings.PAYMENT_WEBHOOK_SECONDS,
        )
    except BadSignature as error:
        raise Unacceptable(401, "BAD_SIGNATURE", str(error)) from None
    return body


def _parsed(body: bytes) -> PaymentEvent | None:
    """None for a type of event that is none of our business."""
    try:
        content = json.loads(body)
    except (ValueError, RecursionError):
        raise _bad("the body is not JSON") from None
    if not isinstance(content, dict):
        raise _bad("the body is not an object")
    if _text(content, "type", 100) != PAYMENT_SUCCEEDED:
        return None
    event_id, order = _text(content, "id", MAX_REFERENCE), _text(content, "order", 100)
    amount, currency = _text(content, "amount", 20), _text(content, "currency", 3)
    if not _AMOUNT.fullmatch(amount):
        raise _bad('amount: a string such as "123.45"')
    return PaymentEvent(event_id, order, Decimal(amount), currency)


def _text(content: dict[str, Any], field: str, limit: int) -> str:
    value = content.get(field)
    if not isinstance(value, str) or not value.strip() or len(value) > limit or not value.isprintable():
        raise _bad(f"{field}: a text of 1 to {limit} characters")
    return value


def _bad(message: str) -> Unacceptable:
    return Unacceptable(400, "INVALID", message)


def _received(event: PaymentEvent) -> Document:
    order = _ordered(event.order)
    if order is None:
        raise Unacceptable(404, "NOT_FOUND", "there is no such order")
    if event.currency != order["currency"]:
        raise _bad(f"currency: the order is in {order['currency']}")
    money = Money(event.amount, event.id, SOURCE, PAYMENT_SYSTEM)
    try:
        return receive_payment(order["_id"], money, owner=order["owner"])
    except OrderBusy as error:
        raise Unacceptable(503, "BUSY", str(error)) from None
    except DomainError as error:
        raise Unacceptable(_STATUSES.get(error.code, 400), error.code.value, str(error)) from None


def _ordered(reference: str) -> Document | None:
    # First the id: ten of its digits may happen to make a number.
    if _ORDER_ID.fullmatch(reference):
        return find_order(reference)
    number = number_in(reference)
    return find_order_by_number(number) if number else None
