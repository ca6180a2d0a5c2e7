"""Products one by one: by key on one shard, by id alone through the directory, wherever they have moved.

A card is what a visitor sees, perhaps a moment old, and never of a withdrawn product. What a cart or an order needs is
read fresh from the primary, withdrawn or not; there a product of a hidden category counts as withdrawn.
"""

from collections.abc import Container, Sequence
from typing import NamedTuple

from catalog.documents import ProductDocument, StockLevel
from catalog.models import ON_SALE, Product, ProductDirectory
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
EVERY: Expression = {}


class ProductKey(NamedTuple):
    category: str
    id: str


Products = dict[str, ProductDocument]
"""By product id; what was not found is absent."""


class ProductStock(NamedTuple):
    """What a product has in each geozone, and the category that it is in now."""

    category: str
    levels: list[StockLevel]


def cards(keys: Sequence[ProductKey], fields: tuple[str, ...] = FIELDS_SHOWN) -> Steps[list[ProductDocument | None]]:
    """In the order of the keys; None for what does not exist or has been withdrawn. One command, however many.

    A product that is in another category by now is found all the same, through the directory. The fields must have
    those of FIELDS_ALWAYS.
    """
    found = yield from _on_sale_wherever(keys, CATALOG_CARD, fields)
    return [found.get(key.id) for key in keys]


def card_by_id(product_id: str, fields: tuple[str, ...] = FIELDS_SHOWN) -> Steps[ProductDocument | None]:
    """Asks the directory for the category, then that category's shard."""
    keys: list[ProductKey] = yield keys_now([product_id], CATALOG_CARD)
    if not keys:
        return None
    found: Products = yield _products(keys, CATALOG_CARD, fields, among=ON_SALE)
    return found.get(product_id)


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


def stock_of(key: ProductKey) -> Steps[ProductStock | None]:
    """The stock alone, fresher than the card, wherever the product is by now; None for one that is not there."""
    found = yield from _on_sale_wherever([key], STOCK_DISPLAY, ("category", "stock"))
    product = found.get(key.id)
    return ProductStock(product["category"], product.get("stock") or []) if product else None


def _on_sale_wherever(keys: Sequence[ProductKey], policy: Policy, fields: tuple[str, ...]) -> Steps[Products]:
    """The products on sale, by one command as a rule; the directory is asked for those that their keys do not find."""
    found: Products = yield _products(keys, policy, fields, among=ON_SALE)
    absent = sorted({key.id for key in keys} - found.keys())
    if absent:
        known: list[ProductKey] = yield keys_now(absent, policy)
        # Those that are where they were have been withdrawn.
        if moved := sorted(set(known) - set(keys)):
            found |= yield _products(moved, policy, fields, among=ON_SALE)
    return found


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


def _products(
    keys: Sequence[ProductKey], policy: Policy, fields: tuple[str, ...] | None, *, among: Expression = EVERY
) -> Read[Products]:
    return Read(
        collection=PRODUCTS,
        policy=policy,
        where={**_at(keys), **among},
        fields=fields,
        result=lambda products: {product["_id"]: product for product in products},
    )


def _at(keys: Sequence[ProductKey]) -> Expression:
    """Products of other categories with the same ids cannot exist, so that the two lists need no pairing."""
    return {
        "category": _one_of(sorted({key.category for key in keys})),
        "_id": _one_of(sorted({key.id for key in keys})),
    }


def _one_of(values: Sequence[str]) -> str | Expression:
    return values[0] if len(values) == 1 else {"$in": list(values)}
