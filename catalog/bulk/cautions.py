"""What a person is warned of before a bulk change: allowed or not, it is as often as not a slip of the finger."""

from collections.abc import Iterator
from decimal import Decimal
from enum import Enum

from catalog.bulk.change import BulkChange
from catalog.bulk.operations import BASE, SALE, Discount
from catalog.changes.values import Values, values_of
from catalog.documents import ProductDocument
from catalog.products.derived import effective_price

DEEP = Decimal("0.5")


class Caution(Enum):
    TO_ZERO = "to_zero"
    """A price would be nothing, or less."""
    BELOW_COST = "below_cost"
    DEEP_DISCOUNT = "deep_discount"
    """More than half of the base price."""
    SALE_NOT_BELOW_BASE = "sale_not_below_base"
    DISCOUNT_RAISES = "discount_raises"
    """The discount is smaller than the one that it replaces, or than the one it undoes."""
    BIG_STEP = "big_step"
    """The base price moves by more than half of itself."""
    ROUNDING_IDLE = "rounding_idle"
    """The prices have the ending already."""


def cautions_of(document: ProductDocument, change: BulkChange) -> list[Caution]:
    """What to warn of when the change meets this product."""
    before, after = values_of(document), change.after(document)
    found = list(_of_prices(document, before, after, change)) if _prices(before) != _prices(after) else []
    without = change.unrounded
    if without and _prices(without.after(document)) == _prices(after):
        found.append(Caution.ROUNDING_IDLE)
    return found


def _of_prices(document: ProductDocument, before: Values, after: Values, change: BulkChange) -> Iterator[Caution]:
    (base, sale), (old_base, old_sale) = _prices(after), _prices(before)
    price = effective_price(base, sale)
    if price <= 0:
        yield Caution.TO_ZERO
        return
    cost = document.get("cost")
    if cost is not None and price < cost.to_decimal():
        yield Caution.BELOW_COST
    if sale is not None and sale < base * DEEP:
        yield Caution.DEEP_DISCOUNT
    if sale is not None and sale >= base:
        yield Caution.SALE_NOT_BELOW_BASE
    if any(isinstance(each, Discount) for each in change.operations) and price > effective_price(old_base, old_sale):
        yield Caution.DISCOUNT_RAISES
    if abs(base - old_base) > old_base * DEEP:
        yield Caution.BIG_STEP


def _prices(values: Values) -> tuple[Decimal, Decimal | None]:
    sale = values.get(SALE)
    return Decimal(values[BASE]), None if sale is None else Decimal(sale)
