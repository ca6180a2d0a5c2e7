"""Where buyers pay: the address of the payment page, with a reference to the order that nobody else can make.

docs/payments.md is the contract with whoever serves that page.
"""

import hmac
from decimal import Decimal
from typing import NamedTuple
from urllib.parse import urlencode, urljoin

from django.conf import settings

from ordering.documents import OrderDocument


class PageReference(NamedTuple):
    """What the page is told of the order, as texts of its address."""

    order: str
    amount: str
    currency: str


def payment_page(order: OrderDocument, due: Decimal, *, origin: str) -> str | None:
    """Where the buyer pays what is due; None when nothing is, or no page is configured.

    `origin`: the gateway's own address, for a page of its own.
    """
    if not due or not settings.PAYMENT_PAGE_URL:
        return None
    reference = PageReference(order["number"], f"{due:.2f}", order["currency"])
    signature = signed(reference, settings.PAYMENT_WEBHOOK_SECRETS[0])
    query = urlencode({**reference._asdict(), "signature": signature})
    return f"{urljoin(origin, settings.PAYMENT_PAGE_URL)}?{query}"


def signed(reference: PageReference, secret: str) -> str:
    """Hex HMAC-SHA256 of "page.<order>.<amount>.<currency>": as no call of the webhook is signed, which begins with a
    time."""
    return hmac.new(secret.encode(), ".".join(("page", *reference)).encode(), "sha256").hexdigest()


def is_signed(reference: PageReference, signature: str) -> bool:
    """Whether the reference was made by us, under any of the secrets."""
    expected = [signed(reference, secret) for secret in settings.PAYMENT_WEBHOOK_SECRETS]
    return any([hmac.compare_digest(signature.encode(), one.encode()) for one in expected])  # noqa: C419 - all of them
