"""What a cart costs and whether it can be had, judged by the products as the primary has them now."""

from collections.abc import Mapping
from decimal import Decimal
from typing import NamedTuple

from catalog.card import ProductKey
from catalog.reservations import Offer, Pieces, available_in
from gateway.domain_errors import DomainError, Refused
from gateway.mongo.client import Document
from ordering.errors import OutOfStock, Withdrawn

Products = Mapping[str, Document]
"""By product id."""


class Offered(NamedTuple):
    offers: tuple[Offer, ...]
    names: tuple[str, ...]

    @property
    def pieces(self) -> tuple[Pieces, ...]:
        return tuple(offer.pieces for offer in self.offers)

    @property
    def total(self) -> Decimal:
        return sum((offer.price * offer.pieces.quantity for offer in self.offers), Decimal(0))


def keys_in(cart: Document) -> list[ProductKey]:
    return [ProductKey(item["category"], item["product_id"]) for item in cart["items"]]


def offered(cart: Document, products: Products) -> Offered:
    """The cart at today's prices, or each product named that is no longer sold."""
    gone: list[DomainError] = [
        Withdrawn(name=item["name"]) for item in cart["items"] if not _is_sold(products.get(item["product_id"]))
    ]
    if gone:
        raise Refused(gone)
    found = [(products[item["product_id"]], item["quantity"]) for item in cart["items"]]
    return Offered(
        offers=tuple(
            Offer(Pieces(product["category"], product["_id"], quantity), product["price"].to_decimal())
            for product, quantity in found
        ),
        names=tuple(product["name"] for product, _ in found),
    )


def shortages(cart: Document, products: Products, geozone: str) -> list[DomainError]:
    """Each line of which there is too little, with what there is."""
    return [
        OutOfStock(name=item["name"], wanted=item["quantity"], available=available)
        for item in cart["items"]
        if (available := available_in(products.get(item["product_id"]) or {}, geozone)) < item["quantity"]
    ]


def _is_sold(product: Document | None) -> bool:
    return product is not None and not product.get("withdrawn", False)
