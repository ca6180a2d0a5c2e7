"""The shop's one currency. Amounts are Decimal in code and Decimal128 in documents."""

import re
from decimal import Decimal
from functools import lru_cache
from typing import NamedTuple

from bson import Decimal128

from gateway.domain.errors import Code, DomainError
from gateway.domain.input import normal_key
from gateway.domain.texts import DEFAULT_LANGUAGE, Language, Text

CURRENCY = "RUB"
# Ten billion: more than any price or order may be.
MAX_DIGITS = 10

# Of the shop's prices a few thousand make most of what is shown; each takes some 200 bytes.
REMEMBERED_AMOUNTS = 20_000

_AMOUNT = re.compile(r"([0-9]+)(?:[.,]([0-9]*))?")
_SIGN = re.compile(r"(?:₽|руб\.?|р\.?|rub)$", re.IGNORECASE)


class NotAnAmount(DomainError):
    code = Code.INVALID
    text = Text("Укажите сумму цифрами, например 25 990,50.", "Give an amount in figures, e.g. 25 990.50.")


class TooPrecise(DomainError):
    code = Code.INVALID
    text = Text("Не больше двух знаков после запятой.", "At most two decimals.")


class TooLarge(DomainError):
    code = Code.INVALID
    text = Text("Слишком большая сумма.", "The amount is too large.")


def exact(amount: Decimal128) -> Decimal:
    """The amount of a document. The driver's own conversion takes as long as all else of the document: remembered."""
    return _decimal(amount.bid)


@lru_cache(maxsize=REMEMBERED_AMOUNTS)
def _decimal(bid: bytes) -> Decimal:
    return Decimal128.from_bid(bid).to_decimal()


def money_text(amount: Decimal, language: Language = DEFAULT_LANGUAGE) -> str:
    """The amount as the language writes it: 57970 → 57 970,00 ₽ or 57,970.00 RUB."""
    text = f"{amount:,.2f}"
    return f"{text} {CURRENCY}" if language == "en" else f"{text.replace(',', ' ').replace('.', ',')} ₽"


class Amount(NamedTuple):
    """Money as a value of a message."""

    amount: Decimal

    def in_language(self, language: Language) -> str:
        return money_text(self.amount, language)


def amount_in(typed: str) -> Decimal | None:
    """The amount that somebody typed: spaces of any kind, comma or point, with or without the sign; None for nothing.

    Raises DomainError for what is no amount or unclear.
    """
    figures = normal_key(typed).replace(" ", "")
    if not figures:
        return None
    found = _AMOUNT.fullmatch(_SIGN.sub("", figures))
    if found is None:
        raise NotAnAmount
    roubles, kopecks = found[1].lstrip("0") or "0", found[2] or ""
    if len(kopecks.rstrip("0")) > 2:
        raise TooPrecise
    if len(roubles) > MAX_DIGITS:
        raise TooLarge
    return Decimal(f"{roubles}.{kopecks[:2]:0<2}")
