"""Products as a cart or an order needs them: fresh from the primary, by id, wherever they have moved."""

from collections.abc import Sequence

from catalog.documents import ProductDocument
from catalog.models import ProductDirectory
from catalog.products.cards import PRODUCTS, ProductKey
from gateway.mongo.policies import STOCK_CHECK
from gateway.mongo.reads import Read, Steps

# All that is shown of a product, but neither the checkouts in flight nor what the search needs: both may be long.
FIELDS = (
    "category",
    "name",
    "description",
    "prices",
    "price",
    "stock",
    "attributes",
    "images",
    "withdrawn",
    "created_at",
    "updated_at",
    "version",
)


def products_to_buy(keys: Sequence[ProductKey]) -> Steps[dict[str, ProductDocument]]:
    """By product id, withdrawn ones too; what does not exist is absent.

    One command for all. Those that are not in the category of their key have moved or are gone: the directory is asked.
    """
    if not keys:
        return {}
    found: dict[str, ProductDocument] = yield _products(keys)
    absent = sorted({key.id for key in keys} - found.keys())
    if absent:
        moved: list[ProductKey] = yield keys_now(absent)
        if moved:
            found |= yield _products(moved)
    return found


def keys_now(product_ids: Sequence[str]) -> Read[list[ProductKey]]:
    """In which categories these products are, by the directory; what does not exist is absent."""
    return Read(
        collection=ProductDirectory._meta.db_table,
        policy=STOCK_CHECK,
        where={"_id": {"$in": list(product_ids)}},
        fields=("category",),
        result=lambda documents: [ProductKey(document["category"], document["_id"]) for document in documents],
    )


def is_on_sale(product: ProductDocument) -> bool:
    return not product.get("withdrawn", False)


def _products(keys: Sequence[ProductKey]) -> Read[dict[str, ProductDocument]]:
    return Read(
        collection=PRODUCTS,
        policy=STOCK_CHECK,
        where={
            "category": {"$in": sorted({key.category for key in keys})},
            "_id": {"$in": sorted({key.id for key in keys})},
        },
        fields=FIELDS,
        result=lambda documents: {document["_id"]: document for document in documents},
    )
