"""A bulk change in people's words."""

from datetime import datetime
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
from catalog.listing import parameters
from catalog.listing.parameters import NAMES as PARAMETER_NAMES
from catalog.listing.routes import State
from catalog.listing.selection import Selection
from catalog.structure.names import category_name, geozone_name
from gateway.domain.money import money_text
from gateway.domain.texts import Text
from gateway.staff.language import said
from gateway.staff.times import time_text

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
TICKED = Text("отмеченные в списке: {count}", "ticked in the list: {count}")
SEARCHED = Text("поиск: «{words}»", 'search: "{words}"')
FILTER_VALUES = {
    State.ON_SALE.value: Text("в продаже", "on sale"),
    State.WITHDRAWN.value: Text("сняты с продажи", "withdrawn"),
    "none": Text("нет", "none"),
    "low": Text("мало", "low"),
    "some": Text("есть", "some"),
    "image": Text("изображения", "an image"),
    "description": Text("описания", "a description"),
    "attributes": Text("характеристик", "attributes"),
}


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


def selection_words(selection: Selection) -> list[str]:
    """What was selected, in the language of the page: one text for each filter."""
    if selection.ids:
        return [said(TICKED, count=len(selection.ids))]
    filters = [
        f"{said(PARAMETER_NAMES[name])}: {_filter_text(name, value)}" for name, value in selection.filters.items()
    ]
    return [*filters, *([said(SEARCHED, words=selection.search)] if selection.search else [])]


def _filter_text(name: str, value: str) -> str:
    match name:
        case parameters.CATEGORY:
            return f"«{category_name(value)}»"
        case parameters.STOCK:
            geozone, _, level = value.rpartition(":")
            return f"{geozone_name(geozone)}, {said(FILTER_VALUES[level])}"
        case parameters.CHANGED:
            return time_text(datetime.fromisoformat(value))
    return said(FILTER_VALUES[value]) if value in FILTER_VALUES else value
