"""What the form shows when it is opened: of the product as it is stored, or of another one that it is to be like."""

from decimal import Decimal
from typing import Any

from catalog.admin.product_form.rows import Row
from catalog.changes.values import ATTRIBUTE, PRICES, quantities_in, values_of
from catalog.documents import DirectoryEntry, ProductDocument
from catalog.models import Product, ProductDirectory
from gateway.mongo.client import collection_of
from gateway.staff.merging import Values, seen_text

STOCK = "stock_"
"""Before the code of the geozone: the name of its field."""


def stored_product(product_id: str) -> ProductDocument | None:
    """The product as it is now, by two targeted reads: the directory tells its category."""
    directory = collection_of(ProductDirectory._meta.db_table, DirectoryEntry)
    entry = directory.find_one({"_id": product_id})
    products = collection_of(Product._meta.db_table, ProductDocument)
    return products.find_one({"category": entry["category"], "_id": product_id}) if entry else None


def initial_of(document: ProductDocument) -> dict[str, Any]:
    """What the form of the product shows at first."""
    values = values_of(document)
    return {
        **{name: values[name] for name in ("name", "category", "withdrawn", "description", "images")},
        **{name: None if values[name] is None else Decimal(values[name]) for name in PRICES},
        "attributes": attribute_rows(values),
        "seen": seen_text(values),
        **{f"{STOCK}{code}": quantity for code, quantity in quantities_in(values).items()},
    }


def initial_of_copy(document: ProductDocument) -> dict[str, Any]:
    """What the form for a new product shows that is to be like this one: all but its id and its stock."""
    initial = initial_of(document)
    return {name: value for name, value in initial.items() if name != "seen" and not name.startswith(STOCK)}


def attribute_rows(values: Values) -> list[Row]:
    """The attributes among the values; None for one that is not there."""
    named = {name.removeprefix(ATTRIBUTE): value for name, value in values.items() if name.startswith(ATTRIBUTE)}
    return [{"name": name, "value": value} for name, value in named.items() if value is not None]
