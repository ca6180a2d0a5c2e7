"""What a cart costs and whether it can be had, judged by the products as the primary has them now."""

from collections.abc import Mapping
from decimal import Decimal
from typing import NamedTuple

from cart.documents import CartDocument
from catalog.documents import ProductDocument
from catalog.products.cards import ProductKey, is_on_sale
from catalog.stock.adjust import available
from catalog.stock.reservations import Offer, Pieces
from gateway.domain.errors import DomainError, Refused
from ordering.errors import OutOfStock, Withdrawn

Products = Mapping[str, ProductDocument]
"""The products of a cart, by id."""


class OfferedLine(NamedTuple):
    pieces: Pieces
    name: str
    price: Decimal


class Offered(NamedTuple):
    lines: tuple[OfferedLine, ...]

    @property
    def pieces(self) -> list[Pieces]:
        return [line.pieces for line in self.lines]

    @property
    def offers(self) -> list[Offer]:
        return [Offer(line.pieces, line.price) for line in self.lines]

    @property
    def total(self) -> Decimal:
        return sum((line.price * line.pieces.quantity for line in self.lines), Decimal(0))


def keys_in(cart: CartDocument) -> list[ProductKey]:
    return [ProductKey(item["category"], item["product_id"]) for item in cart["items"]]


def offered(cart: CartDocument, products: Products) -> Offered:
    """The cart at today's prices. Raises Refused with each product that is no longer sold."""
    gone: list[DomainError] = [
        Withdrawn("lines", place, "product", name=item["name"])
        for place, item in enumerate(cart["items"])
        if not ((product := products.get(item["product_id"])) and is_on_sale(product))
    ]
    if gone:
        raise Refused(gone)
    found = [(products[item["product_id"]], item["quantity"]) for item in cart["items"]]
    return Offered(
        tuple(
            OfferedLine(
                Pieces(product["category"], product["_id"], quantity), product["name"], product["price"].to_decimal()
            )
            for product, quantity in found
        )
    )


def shortages(cart: CartDocument, products: Products, geozone: str) -> list[DomainError]:
    """An error for each line of which there is too little, with what there is."""
    return [
        OutOfStock("lines", place, "quantity", name=item["name"], wanted=item["quantity"], available=there)
        for place, item in enumerate(cart["items"])
        if (there := available(products.get(item["product_id"]) or {}, geozone)) < item["quantity"]
    ]
