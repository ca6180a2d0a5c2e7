"""Pieces that buyers have asked for: held while a checkout runs, reserved until paid, written off, put back.

Each change of a product is one update of one document, outside any transaction, that leaves a mark in the product: a
hold, which says for whom the pieces were reserved, or a receipt, which says that a change has been made. A call that
is repeated after a crash or a lost answer finds the mark and does nothing. Marks are taken away later, when nobody can
repeat the call any more; ordering/checkout/holds.py tells when.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from enum import Enum
from typing import NamedTuple

from bson import Decimal128, ObjectId
from pymongo import UpdateOne
from pymongo.collection import Collection

from catalog.documents import Mark, ProductDocument
from catalog.models import MARKED
from catalog.products.cards import PRODUCTS, ProductKey
from catalog.products.derived import BY_STOCK
from gateway.mongo.client import Expression, Pipeline, collection_of, orm_connection
from gateway.mongo.policies import STOCK_CHECK, under
from gateway.mongo.reads import Evidence, decide
from gateway.sync.marks import CHANGED
from gateway.sync.queue import sync_soon

# A product that moves between two looks at it is rare, one that moves twice does not happen.
LOOKS = 5


class Pieces(NamedTuple):
    """A number of pieces of one product. `category` is where it was last seen; it is found elsewhere too."""

    category: str
    product_id: str
    quantity: int

    @property
    def key(self) -> ProductKey:
        return ProductKey(self.category, self.product_id)


class Offer(NamedTuple):
    """Pieces to be reserved, if the product is on sale at this price.

    Without a price they have been sold already, and are reserved whatever the product costs now.
    """

    pieces: Pieces
    price: Decimal | None


class Purpose(Enum):
    CHECKOUT = "checkout"
    """Reserved for a cart that is being ordered: `order_id` is the order to be."""
    PAYMENT = "payment"
    """Reserved again for an order that expired and was paid afterwards."""
    MOVE = "move"
    """Reserved in another geozone for an order that is being moved there."""
    RECEIPT = "receipt"
    """Nothing is held: a change of stock was made."""


class Hold(NamedTuple):
    id: str
    """Names this very attempt: whoever repeats the attempt uses another."""
    purpose: Purpose
    order_id: str
    owner: str
    cart_id: ObjectId | None = None


class StockChange(NamedTuple):
    """What one ordered piece does to the stock of its geozone."""

    quantity: int
    reserved: int


TAKE = StockChange(quantity=0, reserved=1)
RELEASE = StockChange(quantity=0, reserved=-1)
WRITE_OFF = StockChange(quantity=-1, reserved=-1)
PUT_BACK = StockChange(quantity=1, reserved=0)


class StockNotChanged(Exception):
    """Some products could not be changed now: it was too late, or they move faster than they can be followed."""


class MarkedProduct(NamedTuple):
    """A product, with those of its marks that were asked for."""

    key: ProductKey
    holds: tuple[Mark, ...]


def reserve(offers: Sequence[Offer], geozone: str, hold: Hold) -> bool:
    """Reserve all. False when not all could be had; then some may be held, and the caller releases them.

    Price and availability are judged by the primary in the update itself. One command for any number of products.
    """
    updates = [UpdateOne(_wanted(offer, geozone), _taken(offer.pieces, geozone, hold)) for offer in offers]
    with under(STOCK_CHECK):
        # Cassandra is told by whoever settles or releases the hold: a checkout need not wait for that.
        return _products().bulk_write(updates, ordered=False).matched_count == len(offers)


def release(pieces: Sequence[Pieces], hold_id: str) -> None:
    """Give back what was reserved under this hold. A product without it is left alone."""
    _wherever_they_are(pieces, {"holds.id": hold_id}, lambda _: _released(hold_id))


def settle(marks: Mapping[ProductKey, Iterable[str]]) -> None:
    """Take away these marks: their pieces belong to orders now. A product that has moved is left for the next time."""
    updates = [
        UpdateOne(
            {"category": key.category, "_id": key.id, "holds.id": {"$in": list(ids)}},
            {"$pull": {"holds": {"id": {"$in": list(ids)}}}},
        )
        for key, ids in marks.items()
    ]
    if updates:
        with under(STOCK_CHECK):
            _products().bulk_write(updates, ordered=False)
        sync_soon(PRODUCTS, marks)


def change_stock(
    pieces: Sequence[Pieces], geozone: str, change: StockChange, *, receipt: str, order_id: str, until: datetime
) -> None:
    """Make the change once, however often it is called with the same receipt.

    The servers refuse it after `until`, by their own clocks: a caller who was suspended cannot make it again when the
    receipt has been taken away. `StockNotChanged` then, for the caller to begin anew with what is true now.
    """
    _wherever_they_are(
        pieces,
        {"holds.id": {"$ne": receipt}},
        lambda each: [
            {"$set": {"stock": _changed({"$literal": geozone}, each.quantity, change), **CHANGED}},
            {"$set": {"holds": _with_mark(_receipt(receipt, order_id, geozone, each.quantity, change)), **BY_STOCK}},
        ],
        {"$expr": {"$lt": ["$$NOW", until]}},
    )


def set_reserved(key: ProductKey, geozone: str, reserved: int, *, version: int) -> bool:
    """Set what is reserved, in the running transaction; False when the product has changed since this version."""
    corrected = _with_level({"$literal": geozone}, {"reserved": reserved})
    result = _products().update_one(
        {"category": key.category, "_id": key.id, "version": version},
        [
            {"$set": {"stock": corrected, **CHANGED}},
            {"$set": BY_STOCK},
        ],
        session=orm_connection().session,
    )
    return result.matched_count == 1


def marked_before(moment: datetime, purposes: Iterable[Purpose], *, limit: int) -> list[MarkedProduct]:
    """Products with marks of these purposes older than this, with those marks. Asks every shard, by its index."""
    wanted = [purpose.value for purpose in purposes]
    found = _products().find(
        {**MARKED, "holds": {"$elemMatch": {"at": {"$lt": moment}, "purpose": {"$in": wanted}}}},
        ["category", "holds"],
        limit=limit,
        hint="created_at_1",
    )
    with under(STOCK_CHECK):
        return [
            _marked(document, lambda hold: hold["at"] < moment.replace(tzinfo=None) and hold["purpose"] in wanted)
            for document in found
        ]


def marks_of_cart(cart_id: ObjectId, keys: Sequence[ProductKey]) -> list[MarkedProduct]:
    """Those of the products of which some checkout of this cart holds pieces, with these holds."""
    found = _products().find(
        {
            "category": {"$in": sorted({key.category for key in keys})},
            "_id": {"$in": [key.id for key in keys]},
            "holds.cart_id": cart_id,
        },
        ["category", "holds"],
    )
    with under(STOCK_CHECK):
        return [_marked(document, lambda hold: hold.get("cart_id") == cart_id) for document in found]


def _marked(document: ProductDocument, which: Callable[[Mark], bool]) -> MarkedProduct:
    key = ProductKey(document["category"], document["_id"])
    return MarkedProduct(key, tuple(hold for hold in document["holds"] if which(hold)))


def _wanted(offer: Offer, geozone: str) -> Expression:
    return {
        "category": offer.pieces.category,
        "_id": offer.pieces.product_id,
        **({} if offer.price is None else {"withdrawn": False, "price": Decimal128(offer.price)}),
        "$expr": {
            "$gte": [
                {
                    "$sum": {
                        "$map": {
                            "input": "$stock",
                            "as": "level",
                            "in": {
                                "$cond": [
                                    {"$eq": ["$$level.geozone", {"$literal": geozone}]},
                                    {"$subtract": ["$$level.quantity", {"$ifNull": ["$$level.reserved", 0]}]},
                                    0,
                                ]
                            },
                        }
                    }
                },
                offer.pieces.quantity,
            ]
        },
    }


def _taken(pieces: Pieces, geozone: str, hold: Hold) -> Pipeline:
    mark = {
        **{name: {"$literal": value} for name, value in hold._asdict().items()},
        "purpose": hold.purpose.value,
        "geozone": {"$literal": geozone},
        "quantity": pieces.quantity,
        "at": "$$NOW",
    }
    return [
        {
            "$set": {
                "stock": _changed({"$literal": geozone}, pieces.quantity, TAKE),
                "holds": _with_mark(mark),
                **CHANGED,
            }
        },
        {"$set": BY_STOCK},
    ]


def _released(hold_id: str) -> Pipeline:
    mine = {"$first": {"$filter": {"input": "$holds", "as": "hold", "cond": {"$eq": ["$$hold.id", hold_id]}}}}
    return [
        {"$set": {"_hold": mine}},
        {
            "$set": {
                "stock": _changed("$_hold.geozone", "$_hold.quantity", RELEASE),
                "holds": {"$filter": {"input": "$holds", "as": "hold", "cond": {"$ne": ["$$hold.id", hold_id]}}},
                **CHANGED,
            }
        },
        {"$set": BY_STOCK},
        {"$unset": "_hold"},
    ]


def _changed(geozone: str | Expression, quantity: int | str, change: StockChange) -> Expression:
    """Pipeline expression: the stock after this many pieces of the change; geozone and quantity are expressions too."""
    moved = {
        field: {"$add": [{"$ifNull": [f"$$level.{field}", 0]}, {"$multiply": [quantity, factor]}]}
        for field, factor in change._asdict().items()
        if factor
    }
    return _with_level(geozone, moved)


def _with_level(geozone: str | Expression, fields: Expression) -> Expression:
    """Pipeline expression: the stock with these fields of one geozone's level set; all are expressions."""
    return {
        "$map": {
            "input": "$stock",
            "as": "level",
            "in": {"$cond": [{"$eq": ["$$level.geozone", geozone]}, {"$mergeObjects": ["$$level", fields]}, "$$level"]},
        }
    }


def _receipt(receipt: str, order_id: str, geozone: str, quantity: int, change: StockChange) -> Expression:
    """Pipeline expression, for the stage after the change: a receipt that also tells the book of stock what it was."""
    level = {
        "$first": {
            "$filter": {"input": "$stock", "as": "each", "cond": {"$eq": ["$$each.geozone", {"$literal": geozone}]}}
        }
    }
    return {
        "id": receipt,
        "purpose": Purpose.RECEIPT.value,
        "order_id": order_id,
        "at": "$$NOW",
        "geozone": {"$literal": geozone},
        "counted": quantity * change.quantity,
        "reserved": quantity * change.reserved,
        "left": {"$getField": {"field": "quantity", "input": level}},
    }


def _with_mark(mark: Expression) -> Expression:
    return {"$concatArrays": [{"$ifNull": ["$holds", []]}, [mark]]}


def _wherever_they_are(
    pieces: Sequence[Pieces],
    condition: Expression,
    update: Callable[[Pieces], Pipeline],
    while_: Expression | None = None,
) -> None:
    """Update each product that meets the condition, also one that has moved to another category meanwhile."""
    remaining = list(pieces)
    with under(STOCK_CHECK):
        for _ in range(LOOKS):
            updates = [
                UpdateOne(
                    {"category": each.category, "_id": each.product_id, **condition, **(while_ or {})}, update(each)
                )
                for each in remaining
            ]
            if not updates or _products().bulk_write(updates, ordered=False).matched_count == len(updates):
                break
            # Some have had it before, or are no longer where they were: every shard tells which are left.
            quantities = {each.product_id: each.quantity for each in remaining}
            left = decide(lambda moment, ids=tuple(quantities): moment.run(_meeting(condition, ids)))  # type: ignore[misc]
            remaining = [Pieces(key.category, key.id, quantities[key.id]) for key in left]
        else:
            if remaining:
                raise StockNotChanged([each.product_id for each in remaining])
    sync_soon(PRODUCTS, {each.key for each in pieces})


def _meeting(condition: Expression, ids: Sequence[str]) -> Evidence[list[ProductKey]]:
    """Keys of those of the products that meet the condition. Asks every shard: they may have moved to any category.

    As of one moment, so that one that is just moving does not count as done.
    """
    return Evidence(
        collection=PRODUCTS,
        policy=STOCK_CHECK,
        where={"_id": {"$in": list(ids)}, **condition},
        fields=("category",),
        result=lambda documents: [ProductKey(document["category"], document["_id"]) for document in documents],
    )


def _products() -> Collection[ProductDocument]:
    return collection_of(PRODUCTS, ProductDocument)
