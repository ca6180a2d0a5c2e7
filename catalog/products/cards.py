"""Products one by one: by key on one shard, or by id alone through the directory."""

from collections.abc import Sequence
from typing import NamedTuple

from catalog.documents import ProductDocument, StockLevel
from catalog.models import Product, ProductDirectory
from gateway.mongo.client import Expression
from gateway.mongo.policies import CATALOG_CARD, STOCK_DISPLAY
from gateway.mongo.reads import Read, Steps

PRODUCTS = Product._meta.db_table


class ProductKey(NamedTuple):
    category: str
    id: str


def cards(keys: Sequence[ProductKey]) -> Read[list[ProductDocument | None]]:
    """In the order of the keys; None for what does not exist or has been withdrawn. One command, however many."""

    def in_order(documents: Sequence[ProductDocument]) -> list[ProductDocument | None]:
        found = {ProductKey(document["category"], document["_id"]): document for document in documents}
        return [found.get(key) for key in keys]

    return Read(collection=PRODUCTS, policy=CATALOG_CARD, where=_any_of(keys), result=in_order)


def card_by_id(product_id: str) -> Steps[ProductDocument | None]:
    """Asks the directory for the category, then that category's shard."""
    category: str | None = yield Read(
        collection=ProductDirectory._meta.db_table,
        policy=CATALOG_CARD,
        where={"_id": product_id},
        fields=("category",),
        result=lambda documents: documents[0]["category"] if documents else None,
    )
    if category is None:
        return None
    found: list[ProductDocument | None] = yield cards([ProductKey(category, product_id)])
    return found[0]


def cards_wherever(keys: Sequence[ProductKey]) -> Steps[dict[str, ProductDocument]]:
    """By product id, also those that are in another category by now; withdrawn ones are absent.

    One command as a rule; the directory is asked for those that are not in the category of their key.
    """
    if not keys:
        return {}
    found: list[ProductDocument | None] = yield cards(keys)
    products = {product["_id"]: product for product in found if product}
    absent = sorted({key.id for key in keys} - products.keys())
    if absent:
        moved: list[ProductKey] = yield Read(
            collection=ProductDirectory._meta.db_table,
            policy=CATALOG_CARD,
            where={"_id": {"$in": absent}},
            fields=("category",),
            result=lambda documents: [ProductKey(document["category"], document["_id"]) for document in documents],
        )
        if moved := [key for key in moved if key not in keys]:
            found = yield cards(moved)
            products |= {product["_id"]: product for product in found if product}
    return products


def stock_of(key: ProductKey) -> Read[list[StockLevel] | None]:
    """The stock alone, fresher than the card; None for a product that is not there."""
    return Read(
        collection=PRODUCTS,
        policy=STOCK_DISPLAY,
        where=_any_of([key]),
        fields=("stock",),
        result=lambda documents: documents[0].get("stock") or [] if documents else None,
    )


def _any_of(keys: Sequence[ProductKey]) -> Expression:
    """Products of other categories with the same ids cannot exist, so that the two lists need no pairing."""
    if len(keys) == 1:
        return {"category": keys[0].category, "_id": keys[0].id, "withdrawn": False}
    return {
        "category": {"$in": sorted({key.category for key in keys})},
        "_id": {"$in": [key.id for key in keys]},
        "withdrawn": False,
    }
