"""A product as somebody wants it to be, and the checks that need no store."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import NamedTuple, TypeVar

from catalog.errors import (
    BadAttributeName,
    BadImageAddress,
    BadPrice,
    BadProductId,
    BadQuantity,
    NamedTwice,
    SaleNotBelowBase,
    TooMany,
)
from gateway.domain.errors import DomainError, Refused
from gateway.domain.input import Missing, text_errors

MAX_NAME = 200
# A long page of text; together with the bounds below a product stays under 64 KB, far from MongoDB's 16 MB.
MAX_DESCRIPTION = 10_000
# Name and value share an index key, `name=value`.
MAX_ATTRIBUTE_NAME = 64
MAX_ATTRIBUTE_VALUE = 128
# Each is a key in the index of facets.
MAX_ATTRIBUTES = 50
MAX_IMAGES = 30
MAX_IMAGE_ADDRESS = 500
MAX_IMAGE_ALT = 200
# Every list of the API holds at most this many elements.
MAX_STOCK = 100
# More than any warehouse holds, and far from the 32 bits of GraphQL's Int even when added up.
MAX_QUANTITY = 1_000_000
MAX_PRICE = Decimal(10) ** 10
CENT = Decimal("0.01")

T = TypeVar("T")

PRODUCT_ID = re.compile(r"\A[A-Za-z0-9][A-Za-z0-9._-]{0,63}\Z")


class AttributeDraft(NamedTuple):
    name: str
    value: str


class StockDraft(NamedTuple):
    geozone: str
    quantity: int


class ImageDraft(NamedTuple):
    url: str
    alt: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProductDraft:
    product_id: str
    name: str
    category: str
    """Slug of a leaf."""
    base_price: Decimal
    sale_price: Decimal | None = None
    description: str = ""
    attributes: tuple[AttributeDraft, ...] = ()
    stock: tuple[StockDraft, ...] | None = None
    """Quantities of the geozones named; the others stay as they are."""
    images: tuple[ImageDraft, ...] | None = None
    """None: they stay as they are."""
    withdrawn: bool | None = None
    """None: it stays as it is; a new product is for sale."""


def checked(draft: ProductDraft) -> ProductDraft:
    """The draft with its texts trimmed and its prices in kopecks, or `Refused` with everything that is wrong."""
    draft = _trimmed(draft)
    if errors := list(_errors(draft)):
        raise Refused(errors)
    return replace(
        draft,
        base_price=draft.base_price.quantize(CENT),
        sale_price=None if draft.sale_price is None else draft.sale_price.quantize(CENT),
    )


def quantity_errors(quantity: int, *path: str | int) -> list[DomainError]:
    return [] if 0 <= quantity <= MAX_QUANTITY else [BadQuantity(*path, limit=MAX_QUANTITY)]


def _trimmed(draft: ProductDraft) -> ProductDraft:
    return replace(
        draft,
        product_id=draft.product_id.strip(),
        name=draft.name.strip(),
        category=draft.category.strip(),
        description=draft.description.strip(),
        attributes=tuple(AttributeDraft(name.strip(), value.strip()) for name, value in draft.attributes),
        images=None
        if draft.images is None
        else tuple(ImageDraft(url.strip(), alt.strip()) for url, alt in draft.images),
    )


def _errors(draft: ProductDraft) -> Iterator[DomainError]:
    if not draft.product_id:
        yield Missing("product_id")
    elif not PRODUCT_ID.match(draft.product_id):
        yield BadProductId("product_id")
    yield from text_errors(draft.name, MAX_NAME, "name")
    yield from text_errors(draft.category, 64, "category")
    yield from text_errors(draft.description, MAX_DESCRIPTION, "description", required=False, lines=True)
    yield from _price_errors(draft)
    yield from _each(draft.attributes, MAX_ATTRIBUTES, "attributes", _attribute_errors, lambda each: each.name, "name")
    yield from _each(draft.stock or (), MAX_STOCK, "stock", _stock_errors, lambda each: each.geozone, "geozone")
    yield from _each(draft.images or (), MAX_IMAGES, "images", _image_errors, lambda each: each.url, "url")


def _price_errors(draft: ProductDraft) -> Iterator[DomainError]:
    if not _is_price(draft.base_price):
        yield BadPrice("base_price")
    if draft.sale_price is None:
        return
    if not _is_price(draft.sale_price):
        yield BadPrice("sale_price")
    elif _is_price(draft.base_price) and draft.sale_price >= draft.base_price:
        yield SaleNotBelowBase("sale_price")


def _is_price(amount: Decimal) -> bool:
    # The order matters: a NaN cannot be compared, a huge exponent cannot be quantized.
    return amount.is_finite() and 0 < amount < MAX_PRICE and amount == amount.quantize(CENT)


def _each(
    elements: Sequence[T],
    limit: int,
    where: str,
    errors_of: Callable[..., Iterator[DomainError]],
    name_of: Callable[[T], str],
    named: str,
) -> Iterator[DomainError]:
    if len(elements) > limit:
        yield TooMany(where, limit=limit)
        return
    seen: set[str] = set()
    for index, element in enumerate(elements):
        yield from errors_of(element, where, index)
        if name_of(element) in seen:
            yield NamedTwice(where, index, named, name=name_of(element))
        seen.add(name_of(element))


def _attribute_errors(attribute: AttributeDraft, *path: str | int) -> Iterator[DomainError]:
    yield from text_errors(attribute.name, MAX_ATTRIBUTE_NAME, *path, "name")
    # Names are keys of a map: MongoDB reads «.» and «$» in a key as its own, and «=» ends the name in a facet.
    if attribute.name.startswith("$") or "." in attribute.name or "=" in attribute.name:
        yield BadAttributeName(*path, "name")
    yield from text_errors(attribute.value, MAX_ATTRIBUTE_VALUE, *path, "value")


def _stock_errors(stock: StockDraft, *path: str | int) -> Iterator[DomainError]:
    yield from text_errors(stock.geozone, 16, *path, "geozone")
    yield from quantity_errors(stock.quantity, *path, "quantity")


def _image_errors(image: ImageDraft, *path: str | int) -> Iterator[DomainError]:
    yield from text_errors(image.url, MAX_IMAGE_ADDRESS, *path, "url")
    if image.url and not image.url.startswith(("https://", "http://", "/")):
        yield BadImageAddress(*path, "url")
    yield from text_errors(image.alt, MAX_IMAGE_ALT, *path, "alt", required=False)
