"""Products one by one: by key on one shard, by id alone through the directory, wherever they have moved.

A card is what a visitor sees, perhaps a moment old, and never of a withdrawn product. What a cart or an order needs is
read fresh from the primary, withdrawn or not; there a product of a hidden category counts as withdrawn.
"""

from collections.abc import Container, Sequence
from typing import NamedTuple

from catalog.documents import ProductDocument, StockLevel
from catalog.models import Product, ProductDirectory
from catalog.structure.category_tree import CATEGORIES
from gateway.mongo.client import Expression
from gateway.mongo.policies import CATALOG_CARD, STAFF_LIST, STOCK_CHECK, STOCK_DISPLAY, Policy
from gateway.mongo.reads import Read, Steps

PRODUCTS = Product._meta.db_table

# All that is shown of a product, but neither the checkouts in flight nor what the search needs: both may be long.
FIELDS_SHOWN = (
    "category",
    "name",
    "description",
    "prices",
    "price",
    "stock",
    "attributes",
    "images",
    "created_at",
    "updated_at",
    "edited_at",
    "version",
)
FIELDS_TO_BUY = (*FIELDS_SHOWN, "withdrawn")
# What tells which card it is, and whether buyers see its category.
FIELDS_ALWAYS = ("category",)
# What decides whether a product can be bought, and at what price.
FIELDS_TO_OFFER = ("category", "name", "price", "withdrawn")


class ProductKey(NamedTuple):
    category: str
    id: str


Products = dict[str, ProductDocument]
"""By product id; what was not found is absent."""


def cards(keys: Sequence[ProductKey], fields: tuple[str, ...] = FIELDS_SHOWN) -> Read[list[ProductDocument | None]]:
    """In the order of the keys; None for what does not exist or has been withdrawn. One command, however many.

    The fields must have those of FIELDS_ALWAYS.
    """

    def in_order(products: Sequence[ProductDocument]) -> list[ProductDocument | None]:
        found = {ProductKey(product["category"], product["_id"]): product for product in products}
        return [found.get(key) for key in keys]

    return Read(collection=PRODUCTS, policy=CATALOG_CARD, where=_on_sale(keys), fields=fields, result=in_order)


def card_by_id(product_id: str, fields: tuple[str, ...] = FIELDS_SHOWN) -> Steps[ProductDocument | None]:
    """Asks the directory for the category, then that category's shard."""
    keys: list[ProductKey] = yield keys_now([product_id], CATALOG_CARD)
    if not keys:
        return None
    found: list[ProductDocument | None] = yield cards(keys, fields)
    return found[0]


def cards_wherever(keys: Sequence[ProductKey]) -> Steps[Products]:
    """Cards, also of products that are in another category by now; withdrawn ones are absent."""
    found = yield from _wherever(keys, CATALOG_CARD, FIELDS_TO_BUY)
    return {id_: product for id_, product in found.items() if is_on_sale(product)}


def products_to_buy(keys: Sequence[ProductKey]) -> Steps[Products]:
    """Products as a cart or an order needs them, also those that are in another category by now, withdrawn ones too."""
    return _wherever(keys, STOCK_CHECK, FIELDS_TO_BUY)


def products_to_offer(keys: Sequence[ProductKey]) -> Steps[Products]:
    """Like `products_to_buy`, only what decides whether they can be bought, and at what price."""
    return _wherever(keys, STOCK_CHECK, FIELDS_TO_OFFER)


def product_for_staff(product_id: str) -> Steps[ProductDocument | None]:
    """The product as it stands on the primary, withdrawn or not, by two targeted reads."""
    # Moved between the two, it is where the directory says by then.
    for _ in range(2):
        keys: list[ProductKey] = yield keys_now([product_id], STAFF_LIST)
        if not keys:
            return None
        found: Products = yield _products(keys, STAFF_LIST, None)
        if found:
            return found[product_id]
    return None


def is_on_sale(product: ProductDocument) -> bool:
    return not product.get("withdrawn", False)


def keys_now(product_ids: Sequence[str], policy: Policy = STOCK_CHECK) -> Read[list[ProductKey]]:
    """In which categories these products are, by the directory; what does not exist is absent."""
    return Read(
        collection=ProductDirectory._meta.db_table,
        policy=policy,
        where={"_id": _one_of(product_ids)},
        fields=("category",),
        result=lambda documents: [ProductKey(document["category"], document["_id"]) for document in documents],
    )


def stock_of(key: ProductKey) -> Read[list[StockLevel] | None]:
    """The stock alone, fresher than the card; None for a product that is not there."""
    return Read(
        collection=PRODUCTS,
        policy=STOCK_DISPLAY,
        where=_on_sale([key]),
        fields=("stock",),
        result=lambda documents: documents[0].get("stock") or [] if documents else None,
    )


def _wherever(keys: Sequence[ProductKey], policy: Policy, fields: tuple[str, ...] | None = None) -> Steps[Products]:
    """Withdrawn ones too. One command for all as a rule.

    Those that are not in the category of their key have moved or are gone: the directory is asked.
    """
    if not keys:
        return {}
    tree = yield from CATEGORIES.steps()
    found: Products = yield _products(keys, policy, fields)
    absent = sorted({key.id for key in keys} - found.keys())
    if absent:
        moved: list[ProductKey] = yield keys_now(absent, policy)
        if moved:
            found |= yield _products(moved, policy, fields)
    return {id_: _as_shown(product, tree.hidden) for id_, product in found.items()}


def _as_shown(product: ProductDocument, hidden: Container[str]) -> ProductDocument:
    return {**product, "withdrawn": True} if product["category"] in hidden else product


def _products(keys: Sequence[ProductKey], policy: Policy, fields: tuple[str, ...] | None) -> Read[Products]:
    return Read(
        collection=PRODUCTS,
        policy=policy,
        where=_at(keys),
        fields=fields,
        result=lambda products: {product["_id"]: product for product in products},
    )


def _on_sale(keys: Sequence[ProductKey]) -> Expression:
    return {**_at(keys), "withdrawn": False}


def _at(keys: Sequence[ProductKey]) -> Expression:
    """Products of other categories with the same ids cannot exist, so that the two lists need no pairing."""
    return {
        "category": _one_of(sorted({key.category for key in keys})),
        "_id": _one_of(sorted({key.id for key in keys})),
    }


def _one_of(values: Sequence[str]) -> str | Expression:
    return values[0] if len(values) == 1 else {"$in": list(values)}
