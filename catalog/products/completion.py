"""Derived fields of products that an earlier release wrote, which made fewer: made as they would be made today.

Killed anywhere, it has done what it has done; again, it changes nothing that is right already.
"""

from collections.abc import Callable

from pymongo import UpdateOne

from catalog.documents import ProductDocument
from catalog.products.cards import PRODUCTS
from catalog.products.derived import derived_fields
from gateway.mongo.client import collection_of
from gateway.mongo.policies import SYNC, under
from gateway.sync.batches import by_id

# Those that no card shows: no copy in Cassandra has to follow.
COMPLETED = {"discount", "missing", "shelf", "terms", "standing"}


def complete_products(report: Callable[[int], None] = lambda _: None) -> int:
    """Give products the derived fields that they lack; returns how many lacked some. Whoever changes one wins.

    Walks all products by their ids; `report` is told of every so many.
    """
    completed = 0
    for products in by_id(PRODUCTS):
        updates = [update for product in products if (update := _completion(product))]
        if updates:
            with under(SYNC):
                completed += collection_of(PRODUCTS, ProductDocument).bulk_write(updates, ordered=False).matched_count
        report(len(products))
    return completed


def _completion(product: ProductDocument) -> UpdateOne | None:
    derived = derived_fields(product)
    lacking = {field: value for field, value in derived.items() if field in COMPLETED and product.get(field) != value}
    if "edited_at" not in product:
        lacking |= {"edited_at": product["updated_at"], "edited_by": ""}
    if not lacking:
        return None
    return UpdateOne(
        {"category": product["category"], "_id": product["_id"], "version": product["version"]}, {"$set": lacking}
    )
