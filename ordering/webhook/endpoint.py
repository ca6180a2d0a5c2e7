"""POST /payments/webhook: the payment system tells how money moved. docs/payments.md is the contract.

Whoever calls repeats a call until it is answered with 200, in any order and more than once; so nothing here depends on
either. Neither bodies nor secrets reach the log.
"""

import time

import structlog
from django.conf import settings
from django.http import HttpRequest, JsonResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from gateway.cassandra.errors import CassandraError
from gateway.domain.errors import Code, DomainError
from ordering.documents import OrderDocument
from ordering.errors import OrderArchived, OrderBusy, TooEarly
from ordering.webhook.addressee import record_event
from ordering.webhook.events import BadEvent, MoneyEvent, parsed_event
from ordering.webhook.signature import HEADER, BadSignature, check_signature

log = structlog.get_logger(__name__)

# An event of ours takes two hundred bytes; payment systems add what they like.
MAX_BODY_BYTES = 16_384

_STATUSES = {Code.NOT_FOUND: 404, Code.CONFLICT: 409}


class Unacceptable(Exception):
    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.code = code


@csrf_exempt
@require_POST
def payments_webhook(request: HttpRequest) -> JsonResponse:
    try:
        event = _parsed(_authentic_body(request))
        if event is None:
            return JsonResponse({"result": "ignored"})
        order = _record(event)
    except Unacceptable as refusal:
        log.warning("payment_refused", code=refusal.code, reason=str(refusal))
        return JsonResponse({"error": {"code": refusal.code, "message": str(refusal)}}, status=refusal.status)
    if order is None:
        return JsonResponse({"result": "unmatched", "order": event.order})
    log.info("payment_received", order=order["_id"], type=event.type, reference=event.reference, status=order["status"])
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


def _parsed(body: bytes) -> MoneyEvent | None:
    try:
        return parsed_event(body)
    except BadEvent as error:
        raise Unacceptable(400, "INVALID", str(error)) from None


def _record(event: MoneyEvent) -> OrderDocument | None:
    """Record the event. What can only be recorded later is refused so that the payment system calls again."""
    try:
        return record_event(event)
    except TooEarly as error:
        raise Unacceptable(503, "EARLY", str(error)) from None
    except (OrderBusy, OrderArchived) as error:
        raise Unacceptable(503, "BUSY", str(error)) from None
    except CassandraError:
        raise Unacceptable(503, "BUSY", "whether the order is archived cannot be told now") from None
    except DomainError as error:
        raise Unacceptable(_STATUSES.get(error.code, 400), error.code.value, str(error)) from None
