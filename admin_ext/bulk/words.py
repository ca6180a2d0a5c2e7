"""A bulk change in people's words."""

from decimal import Decimal

from catalog.bulk.cautions import Caution
from catalog.bulk.change import BulkChange
from catalog.bulk.operations import (
    AddStock,
    Discount,
    EndDiscount,
    Move,
    Operation,
    Prices,
    Round,
    SetAttribute,
    SetPrice,
    SetStock,
    ShiftByAmount,
    ShiftByPercent,
    Withdraw,
)
from catalog.bulk.rounding import Direction
from catalog.structure.names import category_name, geozone_name
from gateway.domain.money import money_text
from gateway.domain.texts import Text

PRICES = {
    Prices.BOTH: Text("цены", "prices"),
    Prices.BASE: Text("обычная цена", "base price"),
    Prices.SALE: Text("цена со скидкой", "sale price"),
}
DIRECTIONS = {
    Direction.NEAREST: Text("до ближайшей", "to the nearest"),
    Direction.DOWN: Text("вниз", "down"),
    Direction.UP: Text("вверх", "up"),
}
CAUTIONS = {
    Caution.TO_ZERO: Text("цена станет нулевой или меньше", "the price would be zero or less"),
    Caution.BELOW_COST: Text("цена ниже себестоимости", "the price is below cost"),
    Caution.DEEP_DISCOUNT: Text("скидка больше 50 %", "the discount is over 50 %"),
    Caution.SALE_NOT_BELOW_BASE: Text("цена со скидкой не ниже обычной", "the sale price is not below the base price"),
    Caution.DISCOUNT_RAISES: Text(
        "скидка меньше нынешней: цена вырастет", "smaller than the present discount: the price rises"
    ),
    Caution.BIG_STEP: Text(
        "обычная цена меняется больше чем наполовину", "the base price changes by more than half of itself"
    ),
    Caution.ROUNDING_IDLE: Text("округление ничего не меняет", "rounding changes nothing"),
}
MINUS = "−"


def title_of(change: BulkChange) -> Text:
    """All that the change does, in one line: «цены −10 %; округление до 99»."""
    parts = [described(operation) for operation in change.operations]
    return Text("; ".join(part.ru for part in parts), "; ".join(part.en for part in parts))


def described(operation: Operation) -> Text:
    """What one operation does."""
    match operation:
        case ShiftByPercent(percent, prices):
            return _priced(prices, _signed(percent, " %"), _signed(percent, " %"))
        case ShiftByAmount(amount, prices):
            return _priced(prices, *_signed_money(amount))
        case SetPrice(amount, prices):
            return _priced(prices, f"= {money_text(amount)}", f"= {money_text(amount, 'en')}")
        case Discount(percent):
            return Text(f"скидка {_number(percent)} %", f"discount of {_number(percent)} %")
        case EndDiscount():
            return Text("скидка снята", "discount ended")
        case Round(ending, direction):
            way = DIRECTIONS[direction]
            return Text(f"округление до {ending.value}, {way.ru}", f"rounded to {ending.value}, {way.en}")
        case _:
            return _described_else(operation)


def _described_else(operation: Operation) -> Text:
    match operation:
        case Withdraw(withdrawn):
            return Text("снять с продажи", "withdraw") if withdrawn else Text("вернуть в продажу", "return to sale")
        case SetAttribute(name, None):
            return Text(f"убрать характеристику «{name}»", f'remove attribute "{name}"')
        case SetAttribute(name, value):
            return Text(f"{name} = {value}", f"{name} = {value}")
        case Move(category):
            name = category_name(category)
            return Text(f"перенести в «{name}»", f'move to "{name}"')
        case SetStock(geozone, quantity):
            zone = geozone_name(geozone)
            return Text(f"остаток, {zone} = {quantity}", f"stock, {zone} = {quantity}")
        case AddStock(geozone, pieces):
            zone, by = geozone_name(geozone), _signed(Decimal(pieces), "")
            return Text(f"остаток, {zone} {by}", f"stock, {zone} {by}")
    raise TypeError(operation)


def _priced(prices: Prices, ru: str, en: str) -> Text:
    return Text(f"{PRICES[prices].ru} {ru}", f"{PRICES[prices].en} {en}")


def _number(number: Decimal) -> str:
    return f"{number:f}".rstrip("0").rstrip(".") if "." in f"{number:f}" else f"{number:f}"


def _signed(number: Decimal, unit: str) -> str:
    return f"{'+' if number > 0 else MINUS}{_number(abs(number))}{unit}"


def _signed_money(amount: Decimal) -> tuple[str, str]:
    sign = "+" if amount > 0 else MINUS
    return f"{sign}{money_text(abs(amount))}", f"{sign}{money_text(abs(amount), 'en')}"
