"""Lines as a buyer wants them, checked against the catalog before anything is written."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from cart.documents import CartItem
from cart.errors import (
    CartFull,
    NamedTwice,
    NotAProduct,
    NothingGiven,
    ProductWithdrawn,
    QuantityLimit,
    UnknownGeozone,
    UnknownProduct,
)
from catalog.documents import ProductDocument
from catalog.products.cards import ProductKey, is_on_sale, products_to_buy
from catalog.structure.guard import missing_geozones
from catalog.structure.names import GEOZONE_NAMES
from gateway.domain.errors import DomainError, Refused
from gateway.mongo.reads import run_steps

# A page of a cart stays readable, a cart document small, and every list of the API holds at most as many.
MAX_LINES = 100
# Who buys more calls the shop.
MAX_QUANTITY = 999


class LineWanted(NamedTuple):
    product: ProductKey | None
    """None when the caller gave something that is not a product's id."""
    quantity: int


@dataclass(frozen=True, slots=True)
class CheckedLines:
    """Lines of products on sale that fit into an empty cart; the write tells whether they fit into the owner's."""

    items: tuple[CartItem, ...]
    """As they are stored; each product once."""
    removed: tuple[str, ...]
    """Ids of the products to take out."""
    geozone: str | None
    summed: bool
    """Whether quantities are added to those in the cart, or take their place."""
    places: Mapping[str, int]
    """The index of each product in the input, by product id, so that an error can name it."""
    products: Mapping[str, ProductDocument]
    """What was read to check them, by product id."""

    def beyond_limits(self, items: Sequence[CartItem]) -> list[DomainError]:
        """Errors that say why a cart with these items cannot take the lines. The write itself checks the same."""
        result = self._taken_into(items)
        errors: list[DomainError] = [
            _over(item["name"], item["quantity"], *self._path(item["product_id"], "quantity"))
            for item in result
            if item["quantity"] > MAX_QUANTITY
        ]
        if len(result) > MAX_LINES:
            first_out = result[MAX_LINES]
            path = self._path(first_out["product_id"])
            errors.append(CartFull(*path, limit=MAX_LINES, name=first_out["name"]))
        return errors

    def _taken_into(self, items: Sequence[CartItem]) -> list[CartItem]:
        result = {item["product_id"]: item for item in items if item["product_id"] not in self.removed}
        for item in self.items:
            before = result.get(item["product_id"])
            quantity = item["quantity"] + (before["quantity"] if before and self.summed else 0)
            result[item["product_id"]] = {**item, "quantity": quantity}
        return list(result.values())

    def _path(self, product_id: str, *field: str) -> tuple[str | int, ...]:
        if product_id not in self.places:
            return ("lines",)
        return ("lines", self.places[product_id], *field)


def checked_to_add(lines: Sequence[LineWanted], geozone: str | None) -> CheckedLines:
    """Lines to add. Raises `Refused` with all that is wrong with them. The same product twice is added up."""
    return _checked(lines, geozone, least=1)


def checked_to_set(lines: Sequence[LineWanted], geozone: str | None) -> CheckedLines:
    """Lines to set. Raises `Refused` with all that is wrong with them, a product named twice included.

    A quantity of 0 removes the product, whether or not it is still sold.
    """
    return _checked(lines, geozone, least=0)


def _checked(lines: Sequence[LineWanted], geozone: str | None, *, least: int) -> CheckedLines:
    if not lines:
        raise NothingGiven("lines")
    keys = [line.product for line in lines if line.product and (line.quantity or least)]
    products = run_steps(products_to_buy(keys))
    errors = [error for place, line in enumerate(lines) for error in _line_errors(place, line, products, least)]
    if least == 0:
        errors += _repeated(lines, products)
    if geozone is not None and _is_missing(geozone):
        errors.append(UnknownGeozone("geozone"))
    if errors:
        raise Refused(errors)
    checked = _collected(lines, products, geozone, summed=least > 0)
    if errors := checked.beyond_limits(()):
        raise Refused(errors)
    return checked


def _collected(
    lines: Sequence[LineWanted], products: Mapping[str, ProductDocument], geozone: str | None, *, summed: bool
) -> CheckedLines:
    quantities: Counter[str] = Counter()
    places: dict[str, int] = {}
    for place, line in enumerate(lines):
        if line.product:
            quantities[line.product.id] += line.quantity
            places[line.product.id] = place
    return CheckedLines(
        items=tuple(_stored(products[product_id], quantity) for product_id, quantity in quantities.items() if quantity),
        removed=tuple(product_id for product_id, quantity in quantities.items() if not quantity),
        geozone=geozone,
        summed=summed,
        places=places,
        products=products,
    )


def _stored(product: ProductDocument, quantity: int) -> CartItem:
    return {
        "product_id": product["_id"],
        "category": product["category"],
        "name": product["name"],
        "quantity": quantity,
        "price_seen": product["price"],
    }


def _line_errors(
    place: int, line: LineWanted, products: Mapping[str, ProductDocument], least: int
) -> Iterator[DomainError]:
    if line.product is None:
        yield NotAProduct("lines", place, "product")
        return
    if least == 0 and line.quantity == 0:
        return
    product = products.get(line.product.id)
    if product is None:
        yield UnknownProduct("lines", place, "product", product_id=line.product.id)
    elif not is_on_sale(product):
        yield ProductWithdrawn("lines", place, "product", name=product["name"])
    if not least <= line.quantity <= MAX_QUANTITY:
        name = product["name"] if product else line.product.id
        yield _over(name, line.quantity, "lines", place, "quantity", least=least)


def _repeated(lines: Sequence[LineWanted], products: Mapping[str, ProductDocument]) -> Iterator[DomainError]:
    seen: set[str] = set()
    for place, line in enumerate(lines):
        if line.product and line.product.id in seen:
            product = products.get(line.product.id)
            yield NamedTwice("lines", place, "product", name=product["name"] if product else line.product.id)
        elif line.product:
            seen.add(line.product.id)


def _over(name: str, quantity: int, *path: str | int, least: int = 1) -> QuantityLimit:
    return QuantityLimit(*path, name=name, least=least, most=MAX_QUANTITY, quantity=quantity)


def _is_missing(geozone: str) -> bool:
    # Codes are ASCII; half of a surrogate pair, which JSON can spell, would not even reach the server.
    if not geozone.isascii():
        return True
    # One that has been deleted a moment ago may stand in a cart: the checkout asks again.
    return geozone not in GEOZONE_NAMES.get() and bool(missing_geozones([geozone]))
