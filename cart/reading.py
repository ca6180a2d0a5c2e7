"""Carts as they are shown: the active one of an owner, at today's prices, with what the buyer should know."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum
from types import MappingProxyType
from typing import NamedTuple

from bson import ObjectId

from cart.documents import CartDocument, CartItem
from cart.models import Cart, CartStatus
from catalog.documents import ProductDocument
from catalog.products.cards import ProductKey, is_on_sale, products_to_buy
from catalog.stock.adjust import available
from gateway.domain.money import Amount
from gateway.domain.texts import Language, Text
from gateway.mongo.policies import CART_ACTIVE, Policy
from gateway.mongo.reads import Aggregation, Read, Steps

CARTS = Cart._meta.db_table

Products = Mapping[str, ProductDocument]
"""By product id."""
NOTHING_KNOWN: Products = MappingProxyType({})

# A guest's request that was under way while the same browser signed in; none lasts longer than the API allows.
LATE_MILLISECONDS = 60_000


class Notice(Enum):
    """What a buyer should know before paying; the values are the codes of the API."""

    PRICE_CHANGED = "PRICE_CHANGED"
    LOW_STOCK = "LOW_STOCK"
    PRODUCT_WITHDRAWN = "PRODUCT_WITHDRAWN"


class CartWarning(NamedTuple):
    notice: Notice
    product_id: str
    text: Text
    values: dict[str, object]

    def message(self, language: Language) -> str:
        return self.text.in_language(language, **self.values)


class PricedLine(NamedTuple):
    product_id: str
    name: str
    quantity: int
    unit_price: Decimal
    """Today's price; once the product is no longer sold, the price when it was put in."""
    price_seen: Decimal
    """The price when it was put in."""
    product: ProductDocument | None
    """None once the product is withdrawn or gone."""

    @property
    def total(self) -> Decimal:
        return self.unit_price * self.quantity


@dataclass(frozen=True, slots=True)
class PricedCart:
    document: CartDocument
    lines: tuple[PricedLine, ...]
    warnings: tuple[CartWarning, ...]

    @property
    def total_quantity(self) -> int:
        return sum(line.quantity for line in self.lines)

    @property
    def subtotal(self) -> Decimal:
        return sum((line.total for line in self.lines), Decimal("0.00"))


PRICE_CHANGED = Text(
    "Цена «{name}» изменилась: была {before}, стала {now}.",
    'The price of "{name}" changed from {before} to {now}.',
)
LOW_STOCK = Text(
    "«{name}»: в корзине {quantity}, а в наличии {available}.",
    '"{name}": {quantity} in the cart, but only {available} available.',
)
OUT_OF_STOCK = Text("«{name}» сейчас нет в наличии.", '"{name}" is out of stock at the moment.')
WITHDRAWN = Text("«{name}» больше не продаётся.", '"{name}" is no longer sold.')


def active_cart(owner: str, policy: Policy = CART_ACTIVE) -> Read[CartDocument | None]:
    """The owner's active cart; None when there is none."""
    return Read(
        collection=CARTS,
        policy=policy,
        where={"owner": owner, "status": CartStatus.ACTIVE.value},
        limit=1,
        result=_first,
    )


def newest_cart(owner: str) -> Read[CartDocument | None]:
    """The owner's active cart, or the last one, whatever became of it."""
    return Read(
        collection=CARTS,
        policy=CART_ACTIVE,
        where={"owner": owner},
        sort=(("created_at", -1),),
        limit=1,
        result=_first,
    )


def newest_of_each(owners: Sequence[str]) -> Aggregation[list[CartDocument]]:
    """Of each of the owners the active cart, or the last one, whatever became of it."""
    return Aggregation(
        collection=CARTS,
        policy=CART_ACTIVE,
        where={"owner": {"$in": list(owners)}},
        stages=(
            {"$sort": {"owner": 1, "created_at": -1}},
            {"$group": {"_id": "$owner", "cart": {"$first": "$$ROOT"}}},
            {"$replaceRoot": {"newRoot": "$cart"}},
        ),
        result=list,
    )


def newest_carts(owner: str, *, limit: int) -> Read[list[CartDocument]]:
    """The owner's carts, newest first, whatever became of them."""
    return Read(
        collection=CARTS,
        policy=CART_ACTIVE,
        where={"owner": owner},
        sort=(("created_at", -1),),
        limit=limit,
        result=list,
    )


def unordered_carts(owner: str, *, limit: int) -> Read[list[CartDocument]]:
    """The owner's carts of which no order was made, newest first."""
    return Read(
        collection=CARTS,
        policy=CART_ACTIVE,
        where={"owner": owner, "status": {"$in": [CartStatus.ACTIVE.value, CartStatus.ABANDONED.value]}},
        sort=(("created_at", -1),),
        limit=limit,
        result=list,
    )


def carts_of(owner: str, ids: Sequence[ObjectId]) -> Read[dict[ObjectId, CartDocument]]:
    """The owner's carts among these ids, by id, in whatever state."""
    return Read(
        collection=CARTS,
        policy=CART_ACTIVE,
        where={"owner": owner, "_id": {"$in": list(ids)}},
        result=lambda documents: {document["_id"]: document for document in documents},
    )


def carts_with_key(owner: str, *keys: str) -> Read[list[CartDocument]]:
    """The owner's carts, in whatever state, with a receipt of one of these keys; only their receipts are read."""
    return Read(
        collection=CARTS,
        policy=CART_ACTIVE,
        where={"owner": owner, "receipts.key": {"$in": list(keys)}},
        fields=("receipts",),
        result=list,
    )


def merged_into(guest: str) -> Read[str | None]:
    """The customer whose cart has just taken in the guest's; None when none has, or not within the last minute."""
    lately = {"$gte": ["$abandoned_at", {"$subtract": ["$$NOW", LATE_MILLISECONDS]}]}
    return Read(
        collection=CARTS,
        policy=CART_ACTIVE,
        where={
            "owner": guest,
            "status": CartStatus.ABANDONED.value,
            "merged_into": {"$ne": None},
            "$expr": lately,
        },
        fields=("merged_into",),
        sort=(("created_at", -1),),
        limit=1,
        result=lambda documents: documents[0]["merged_into"] if documents else None,
    )


def priced(cart: CartDocument, known: Products = NOTHING_KNOWN) -> Steps[PricedCart]:
    """The cart at today's prices, with warnings. Its products are read on the primary, in one command unless moved.

    `known`: products that the same request has just read as `products_to_buy`; they are not read again.
    """
    items = cart["items"]
    keys = [ProductKey(item["category"], item["product_id"]) for item in items if item["product_id"] not in known]
    products = {**known, **(yield from products_to_buy(keys))}
    lines = tuple(_line(item, products.get(item["product_id"])) for item in items)
    warnings = tuple(warning for line in lines for warning in _warnings(line, cart.get("geozone")))
    return PricedCart(cart, lines, warnings)


def _first(documents: Sequence[CartDocument]) -> CartDocument | None:
    return documents[0] if documents else None


def _line(item: CartItem, found: ProductDocument | None) -> PricedLine:
    product = found if found and is_on_sale(found) else None
    seen = item["price_seen"].to_decimal()
    return PricedLine(
        product_id=item["product_id"],
        name=product["name"] if product else item["name"],
        quantity=item["quantity"],
        unit_price=product["price"].to_decimal() if product else seen,
        price_seen=seen,
        product=product,
    )


def _warnings(line: PricedLine, geozone: str | None) -> list[CartWarning]:
    if line.product is None:
        return [_warning(Notice.PRODUCT_WITHDRAWN, line, WITHDRAWN)]
    found = []
    if line.unit_price != line.price_seen:
        prices = {"before": Amount(line.price_seen), "now": Amount(line.unit_price)}
        found.append(_warning(Notice.PRICE_CHANGED, line, PRICE_CHANGED, **prices))
    if geozone is not None:
        there = available(line.product, geozone)
        if line.quantity > there:
            text = LOW_STOCK if there else OUT_OF_STOCK
            amounts = {"quantity": line.quantity, "available": there}
            found.append(_warning(Notice.LOW_STOCK, line, text, **amounts))
    return found


def _warning(notice: Notice, line: PricedLine, text: Text, **values: object) -> CartWarning:
    return CartWarning(notice, line.product_id, text, {"name": line.name, **values})
