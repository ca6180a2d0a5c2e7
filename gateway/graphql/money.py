"""Money as the API shows it."""

from decimal import Decimal

import strawberry

from gateway.domain.money import CURRENCY


@strawberry.type
class Money:
    amount: Decimal
    currency: str


def rubles(amount: Decimal) -> Money:
    return Money(amount=amount, currency=CURRENCY)
