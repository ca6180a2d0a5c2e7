"""A product as flat values, in the words of the audit: what is compared, previewed, changed and taken back.

`name`, `category`, `description`, `base_price`, `sale_price`, `withdrawn`, `images`, one for each attribute and each
geozone: `attributes.Цвет`, `stock.msk`. Money is text with two digits after the point, or None.
"""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from catalog.documents import ProductDocument
from catalog.products.drafts import AttributeDraft, ImageDraft, ProductDraft, StockDraft
from catalog.products.revision import audited

ATTRIBUTE, QUANTITY = "attributes.", "stock."
PRICES = ("base_price", "sale_price")

Values = Mapping[str, Any]


def values_of(document: ProductDocument) -> dict[str, Any]:
    """All that merchandisers edit of the product."""
    return flat(audited(document))


def flat(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Fields as the audit writes them, with a value for each attribute and money in one form."""
    values: dict[str, Any] = {}
    for field, value in fields.items():
        if field == "attributes":
            values |= {f"{ATTRIBUTE}{name}": each for name, each in (value or {}).items()}
        else:
            values[field] = money_value(value) if field in PRICES else value
    return values


def money_value(amount: Any) -> str | None:
    """An amount, whatever holds it, as a value."""
    return None if amount is None else f"{Decimal(str(amount)):.2f}"


def attributes_in(values: Values) -> dict[str, str]:
    """The attributes among the values; one that is None or empty is none."""
    named = {field.removeprefix(ATTRIBUTE): value for field, value in values.items() if field.startswith(ATTRIBUTE)}
    return {name: value for name, value in named.items() if value}


def quantities_in(values: Values) -> dict[str, int]:
    """The quantities among the values, by geozone."""
    named = {field.removeprefix(QUANTITY): value for field, value in values.items() if field.startswith(QUANTITY)}
    return {geozone: quantity for geozone, quantity in named.items() if quantity is not None}


def draft_of(product_id: str, values: Values, *, stock: Mapping[str, int]) -> ProductDraft:
    """The draft that says just these values; of the stock, only what is given apart."""
    sale = values["sale_price"]
    return ProductDraft(
        product_id=product_id,
        name=values["name"],
        category=values["category"],
        description=values["description"],
        base_price=Decimal(values["base_price"]),
        sale_price=None if sale is None else Decimal(sale),
        attributes=tuple(AttributeDraft(name, value) for name, value in attributes_in(values).items()),
        images=tuple(ImageDraft(image["url"], image.get("alt", "")) for image in values["images"]),
        stock=tuple(StockDraft(geozone, quantity) for geozone, quantity in stock.items()),
        withdrawn=values["withdrawn"],
    )
