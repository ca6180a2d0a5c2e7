"""What the buyer will pay, told beside the prices; the script beside the form tells the same while they are typed."""

from decimal import Decimal
from typing import Any

from django.utils.html import format_html
from django.utils.safestring import SafeString

from catalog.products.derived import discount_percent, effective_price
from gateway.domain import money
from gateway.domain.errors import DomainError
from gateway.domain.texts import Text
from gateway.staff.language import said, staff_language
from gateway.staff.money import money_text

PLAIN = Text("Покупатель заплатит {price}", "The buyer pays {price}")
REDUCED = Text("Покупатель заплатит {price}, скидка {percent} %", "The buyer pays {price}, {percent} % off")
INSTEAD = Text("{price} вместо {base}, скидка {percent} %", "{price} instead of {base}, {percent} % off")
NOT_BELOW = Text("Цена со скидкой должна быть ниже обычной", "The sale price must be below the base price")


def price_note(base: Any, sale: Any) -> SafeString:
    """The note about two prices as they stand in the form, with all that the script needs."""
    return format_html(
        '<output class="product-effective" for="id_base_price id_sale_price" data-plain="{}" data-reduced="{}" '
        'data-not-below="{}" data-language="{}">{}</output>',
        *(said(text, price="{price}", percent="{percent}") for text in (PLAIN, REDUCED, NOT_BELOW)),
        staff_language(),
        told(_amount(base), _amount(sale)),
    )


def told(base: Decimal | None, sale: Decimal | None) -> str:
    """The price and the discount in words; empty while there is no price."""
    if not base:
        return ""
    if sale is not None and sale >= base:
        return said(NOT_BELOW)
    price = effective_price(base, sale)
    percent = discount_percent(base, price)
    return said(REDUCED if percent else PLAIN, price=money_text(price), percent=percent)


def price_text(base: Decimal, sale: Decimal | None) -> str:
    """The stored prices in words, for those who may only look."""
    price = effective_price(base, sale)
    percent = discount_percent(base, price)
    if not percent:
        return money_text(price)
    return said(INSTEAD, price=money_text(price), base=money_text(base), percent=percent)


def _amount(typed: Any) -> Decimal | None:
    """An amount of the form; None for nothing and for what is none."""
    try:
        return typed if typed is None or isinstance(typed, Decimal) else money.amount_in(str(typed))
    except DomainError:
        return None
