"""What can be done to many products at once. An operation is a value: it knows no store and can be kept in a job.

An operation looks at the values of a product (catalog/changes/values.py) and says which of them it wants otherwise.
Money is text with kopecks there, as in the audit.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from enum import Enum
from typing import Any, ClassVar

from catalog.bulk.rounding import Direction, Ending, rounded
from catalog.changes.values import ATTRIBUTE, QUANTITY, Values
from catalog.errors import BadAttributeName, BadPercent, BadPrice, BadQuantity, OnePrice, UnknownOperation
from catalog.products.drafts import (
    CENT,
    MAX_ATTRIBUTE_NAME,
    MAX_ATTRIBUTE_VALUE,
    MAX_PRICE,
    MAX_QUANTITY,
    quantity_errors,
)
from gateway.domain.errors import DomainError
from gateway.domain.input import Missing, text_errors

BASE, SALE = "base_price", "sale_price"
# Ten times the price: more is a slip of the finger.
MAX_RISE = Decimal(1000)


class Prices(Enum):
    """Which of the two prices an operation is about."""

    BASE = "base"
    SALE = "sale"
    BOTH = "both"

    @property
    def names(self) -> tuple[str, ...]:
        return {Prices.BASE: (BASE,), Prices.SALE: (SALE,), Prices.BOTH: (BASE, SALE)}[self]


class Operation:
    """One thing that is done to each product. Subclasses are frozen dataclasses of what a person chose."""

    __slots__ = ()
    code: ClassVar[str]

    def errors(self) -> Iterator[DomainError]:
        """What is wrong with the operation itself, whatever product it meets."""
        yield from ()

    def changes(self, values: Values) -> dict[str, Any]:
        """The values that a product with these values gets."""
        return {}

    def deltas(self) -> dict[str, int]:
        """Pieces that the product gets, by geozone."""
        return {}


@dataclass(frozen=True, slots=True)
class ShiftByPercent(Operation):
    """Raise or lower prices by a part of themselves, to the kopeck."""

    code: ClassVar[str] = "price.percent"
    percent: Decimal
    prices: Prices = Prices.BOTH

    def errors(self) -> Iterator[DomainError]:
        if not _is_exact(self.percent) or not -100 < self.percent <= MAX_RISE or not self.percent:
            yield BadPercent("percent", least="-99,99", most=str(MAX_RISE))

    def changes(self, values: Values) -> dict[str, Any]:
        return _repriced(values, self.prices, lambda amount: amount * (100 + self.percent) / 100)


@dataclass(frozen=True, slots=True)
class ShiftByAmount(Operation):
    """Raise or lower prices by roubles."""

    code: ClassVar[str] = "price.amount"
    amount: Decimal
    prices: Prices = Prices.BOTH

    def errors(self) -> Iterator[DomainError]:
        if not _is_exact(self.amount) or not 0 < abs(self.amount) < MAX_PRICE:
            yield BadPrice("amount")

    def changes(self, values: Values) -> dict[str, Any]:
        return _repriced(values, self.prices, lambda amount: amount + self.amount)


@dataclass(frozen=True, slots=True)
class SetPrice(Operation):
    """Give all the same price."""

    code: ClassVar[str] = "price.set"
    amount: Decimal
    prices: Prices = Prices.BASE

    def errors(self) -> Iterator[DomainError]:
        if self.prices is Prices.BOTH:
            yield OnePrice("prices")
        if not _is_exact(self.amount) or not 0 < self.amount < MAX_PRICE:
            yield BadPrice("amount")

    def changes(self, values: Values) -> dict[str, Any]:
        return {name: _text(self.amount) for name in self.prices.names}


@dataclass(frozen=True, slots=True)
class Discount(Operation):
    """Sell at so much below the base price; takes the place of the discount there was."""

    code: ClassVar[str] = "discount.set"
    percent: Decimal

    def errors(self) -> Iterator[DomainError]:
        if not _is_exact(self.percent) or not 0 < self.percent < 100:
            yield BadPercent("percent", least="0,01", most="99,99")

    def changes(self, values: Values) -> dict[str, Any]:
        return {SALE: _text(Decimal(values[BASE]) * (100 - self.percent) / 100)}


@dataclass(frozen=True, slots=True)
class EndDiscount(Operation):
    """Sell at the base price again."""

    code: ClassVar[str] = "discount.end"

    def changes(self, values: Values) -> dict[str, Any]:
        return {SALE: None}


@dataclass(frozen=True, slots=True)
class Round(Operation):
    """Give prices an ending."""

    code: ClassVar[str] = "price.round"
    ending: Ending
    direction: Direction = Direction.NEAREST
    prices: Prices = Prices.BOTH

    def changes(self, values: Values) -> dict[str, Any]:
        return _repriced(values, self.prices, self._rounded)

    def _rounded(self, amount: Decimal) -> Decimal:
        """What is no price any more stays so, to be refused: rounding must not hide it."""
        return rounded(amount, self.ending, self.direction) if amount > 0 else amount


@dataclass(frozen=True, slots=True)
class Withdraw(Operation):
    """Take products out of sale, or put them back."""

    code: ClassVar[str] = "withdrawn.set"
    withdrawn: bool = True

    def changes(self, values: Values) -> dict[str, Any]:
        return {"withdrawn": self.withdrawn}


@dataclass(frozen=True, slots=True)
class SetAttribute(Operation):
    code: ClassVar[str] = "attribute.set"
    name: str
    value: str | None
    """None: the attribute goes."""

    def errors(self) -> Iterator[DomainError]:
        yield from text_errors(self.name, MAX_ATTRIBUTE_NAME, "name")
        if self.name.startswith("$") or "." in self.name or "=" in self.name:
            yield BadAttributeName("name")
        if self.value is not None:
            yield from text_errors(self.value, MAX_ATTRIBUTE_VALUE, "value")

    def changes(self, values: Values) -> dict[str, Any]:
        return {f"{ATTRIBUTE}{self.name}": self.value}


@dataclass(frozen=True, slots=True)
class Move(Operation):
    """Put products into another category; each goes to where its new shard key belongs."""

    code: ClassVar[str] = "category.set"
    category: str

    def errors(self) -> Iterator[DomainError]:
        if not self.category:
            yield Missing("category")

    def changes(self, values: Values) -> dict[str, Any]:
        return {"category": self.category}


@dataclass(frozen=True, slots=True)
class SetStock(Operation):
    """Count so many pieces in a geozone."""

    code: ClassVar[str] = "stock.set"
    geozone: str
    quantity: int

    def errors(self) -> Iterator[DomainError]:
        if not self.geozone:
            yield Missing("geozone")
        yield from quantity_errors(self.quantity, "quantity")

    def changes(self, values: Values) -> dict[str, Any]:
        return {f"{QUANTITY}{self.geozone}": self.quantity}


@dataclass(frozen=True, slots=True)
class AddStock(Operation):
    """Add pieces in a geozone, or take them away."""

    code: ClassVar[str] = "stock.add"
    geozone: str
    pieces: int

    def errors(self) -> Iterator[DomainError]:
        if not self.geozone:
            yield Missing("geozone")
        if not 0 < abs(self.pieces) <= MAX_QUANTITY:
            yield BadQuantity("pieces", limit=MAX_QUANTITY)

    def deltas(self) -> dict[str, int]:
        return {self.geozone: self.pieces}


OPERATIONS: Mapping[str, type[Operation]] = {
    operation.code: operation
    for operation in (
        *(ShiftByPercent, ShiftByAmount, SetPrice, Discount, EndDiscount, Round),
        *(Withdraw, SetAttribute, Move, SetStock, AddStock),
    )
}


def operation_document(operation: Operation) -> dict[str, Any]:
    """The operation as it is kept in the parameters of a job."""
    return {"code": operation.code, **{each.name: _kept(getattr(operation, each.name)) for each in fields(operation)}}  # type: ignore[arg-type]


def operation_of(document: Mapping[str, Any]) -> Operation:
    """The operation that was kept. Raises UnknownOperation for what is none."""
    kind: Any = OPERATIONS.get(document.get("code", ""))
    if kind is None:
        raise UnknownOperation
    types = {"percent": Decimal, "amount": Decimal, "prices": Prices, "ending": Ending, "direction": Direction}
    try:
        given = {each.name: document[each.name] for each in fields(kind)}
        return kind(**{name: types[name](value) if name in types else value for name, value in given.items()})  # type: ignore[no-any-return]
    except (KeyError, ValueError, InvalidOperation) as error:
        raise UnknownOperation from error


def _kept(value: Any) -> Any:
    match value:
        case Decimal():
            return str(value)
        case Enum():
            return value.value
    return value


def _repriced(values: Values, prices: Prices, reprice: Callable[[Decimal], Decimal]) -> dict[str, Any]:
    """The new prices; one that the product does not have stays away."""
    return {name: _text(reprice(Decimal(values[name]))) for name in prices.names if values.get(name) is not None}


def _text(amount: Decimal) -> str:
    return str(amount.quantize(CENT, ROUND_HALF_UP))


def _is_exact(amount: Decimal) -> bool:
    """Whether the number has at most two decimals; a NaN or an infinity has none."""
    return amount.is_finite() and abs(amount) < MAX_PRICE and amount == amount.quantize(CENT)
