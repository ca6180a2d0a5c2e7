"""Money as the API shows it."""

from decimal import Decimal

import strawberry

from gateway.domain.money import CURRENCY


@strawberry.type(description="An amount with its currency. The shop has one currency.")
class Money:
    amount: Decimal = strawberry.field(
        description='Exact, with kopecks: "89990.00". Do not compute with it as a floating number.'
    )
    currency: str = strawberry.field(description='ISO 4217 code: "RUB".')


def rubles(amount: Decimal) -> Money:
    return Money(amount=amount, currency=CURRENCY)
