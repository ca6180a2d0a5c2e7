"""manage.py pay_order: signs and sends a payment, or another event of money, to a running gateway, as the payment
system would."""

import json
import time
from argparse import ArgumentParser
from decimal import Decimal, InvalidOperation
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from gateway.domain.uuid7 import uuid7
from ordering.documents import OrderDocument
from ordering.ledger.fields import ledger_of
from ordering.ledger.ledger import held
from ordering.numbers import number_in
from ordering.reading.orders import find_order_by_number
from ordering.webhook.events import TYPES
from ordering.webhook.signature import HEADER, PAYMENT_SUCCEEDED, sign

# Where `make run` serves, unless PORT says otherwise.
URL = "http://127.0.0.1:8000"
TIMEOUT_SECONDS = 20


class Command(BaseCommand):
    help = (
        "Pays an order in development: sends a signed payment to /payments/webhook of a running gateway and prints the "
        "answer. Without --amount it pays what is due. With --type it tells of a refund or a chargeback instead."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("number", help="the order's number, in any grouping: 4829-130-752")
        parser.add_argument("--amount", help="in roubles: 123.45; more or less than is due is sent as it is")
        parser.add_argument(
            "--type", choices=sorted(TYPES), default=PAYMENT_SUCCEEDED, help="of the event (%(default)s)"
        )
        parser.add_argument("--reference", help="of the refund or chargeback, to tell more of one (a new one)")
        parser.add_argument("--event", metavar="ID", help="id of the event, to send one again (a new one)")
        parser.add_argument("--url", default=URL, help="where the gateway is (%(default)s)")

    def handle(self, *_: Any, number: str, url: str, **options: Any) -> None:
        if settings.PRODUCTION:
            raise CommandError("in production only the payment system pays")
        if not url.startswith(("http://", "https://")):
            raise CommandError(f"{url} is no address of a gateway: http://127.0.0.1:8000")
        event = _event(_order(number), **options)
        self._send(f"{url.rstrip('/')}/payments/webhook", json.dumps(event).encode())

    def _send(self, address: str, body: bytes) -> None:
        signature = sign(body, settings.PAYMENT_WEBHOOK_SECRETS[0], int(time.time()))
        headers = {HEADER: signature, "Content-Type": "application/json"}
        self.stdout.write(f"POST {address}\n{body.decode()}")
        request = Request(address, body, headers)  # noqa: S310 - the scheme was looked at
        try:
            with urlopen(request, timeout=TIMEOUT_SECONDS) as answer:  # noqa: S310
                self.stdout.write(f"{answer.status} {answer.read().decode()}")
        except HTTPError as refusal:
            raise CommandError(f"{refusal.code} {refusal.read().decode(errors='replace')}") from None
        except URLError as error:
            raise CommandError(f"nobody answers at {address}: {error.reason}. Is `make run` running?") from None


def _event(
    order: OrderDocument,
    *,
    type: str,  # noqa: A002 - the name of the option
    amount: str | None,
    event: str | None,
    reference: str | None,
    **_: Any,
) -> dict[str, str]:
    told = {
        "id": event or f"test-{uuid7()}",
        "type": type,
        "order": order["number"],
        "currency": order["currency"],
    }
    if type == PAYMENT_SUCCEEDED:
        return {**told, "amount": str(_amount(amount) if amount else _due(order))}
    if amount is None:
        raise CommandError(f"{type}: say --amount")
    return {**told, "amount": str(_amount(amount)), "reference": reference or f"test-{uuid7()}"}


def _order(text: str) -> OrderDocument:
    number = number_in(text)
    order = find_order_by_number(number) if number else None
    if order is None:
        raise CommandError(f"there is no order {text}")
    return order


def _amount(text: str) -> Decimal:
    try:
        return Decimal(text)
    except InvalidOperation:
        raise CommandError(f"{text} is no amount: 123.45") from None


def _due(order: OrderDocument) -> Decimal:
    due = order["total"].to_decimal() - held(ledger_of(order))
    if due <= 0:
        raise CommandError(f"order {order['number']} is {order['status']}, nothing is due; say --amount to pay again")
    return due
