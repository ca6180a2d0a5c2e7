"""Money as the API shows it."""

from decimal import Decimal
from functools import lru_cache

import strawberry
from bson import Decimal128

from gateway.domain.money import CURRENCY, REMEMBERED_AMOUNTS, exact


@strawberry.type(description="An amount with its currency. The shop has one currency.")
class Money:
    amount: Decimal = strawberry.field(
        description='Exact, with kopecks: "89990.00". Do not compute with it as a floating number.'
    )
    currency: str = strawberry.field(description='ISO 4217 code: "RUB".')


def rubles(amount: Decimal) -> Money:
    return Money(amount=amount, currency=CURRENCY)


def stored_rubles(amount: Decimal128) -> Money:
    """The amount of a document. A page shows two for each product, and most of them were shown before: remembered."""
    return _stored_rubles(amount.bid)


@lru_cache(maxsize=REMEMBERED_AMOUNTS)
def _stored_rubles(bid: bytes) -> Money:
    return rubles(exact(Decimal128.from_bid(bid)))
