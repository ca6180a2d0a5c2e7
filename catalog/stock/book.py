"""The book of stock: what orders did to each product, line by line.

A change of stock that an order causes leaves a receipt in the product, by the same update, with the moment, the pieces
and what was left. Before a receipt is taken away it is entered here; entered again it is the same line. So a sale costs
no command more, none is missed or counted twice, and what is not entered yet still stands in the product.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime

from pymongo import UpdateOne
from pymongo.errors import BulkWriteError

from catalog.documents import Mark, MovementDocument, ProductDocument
from catalog.models import StockMovement
from catalog.products.cards import PRODUCTS, ProductKey
from gateway.mongo.client import collection_of
from gateway.mongo.duplicates import duplicates_of
from gateway.mongo.policies import STAFF_LIST, STOCK_CHECK, under
from gateway.mongo.reads import Read
from gateway.paging import Slice, SortKey, ranges_beyond, reading_order

BOOK = StockMovement._meta.db_table
NEWEST_FIRST = SortKey("at", -1)
BY_PRODUCT = "product_1_at_-1__id_-1"


def enter_receipts(receipts: Iterable[tuple[ProductKey, Sequence[Mark]]]) -> None:
    """Enter them, each once however often; one command, to the shards of the products."""
    lines = [line for key, marks in receipts for line in _lines(key.id, marks)]
    updates = [
        UpdateOne({"_id": line["_id"], "product": line["product"]}, {"$setOnInsert": line}, upsert=True)
        for line in lines
    ]
    if updates:
        with under(STOCK_CHECK):
            try:
                collection_of(BOOK, MovementDocument).bulk_write(updates, ordered=False)
            except BulkWriteError as error:
                # Two at once: MongoDB repeats an upsert that meets another only if its filter is `_id` alone.
                duplicates_of(error)


def movements_of(product_id: str, part: Slice) -> Read[list[MovementDocument]]:
    """The lines of one product, newest first, from its shard. As many as the slice says."""
    branches = [{"product": product_id, **beyond} for beyond in ranges_beyond(NEWEST_FIRST, part)]
    return Read(
        collection=BOOK,
        policy=STAFF_LIST,
        # Also outside of the branches: so the shard is known.
        where=branches[0] if len(branches) == 1 else {"product": product_id, "$or": branches},
        sort=reading_order(NEWEST_FIRST, part),
        limit=part.size,
        hint=BY_PRODUCT,
        result=list,
    )


def movements_to_enter(key: ProductKey) -> Read[list[MovementDocument]]:
    """What stands in the product still, in no order: of a product that sells well, the last minute's."""

    def lines(documents: Sequence[ProductDocument]) -> list[MovementDocument]:
        return _lines(key.id, documents[0].get("holds") or ()) if documents else []

    return Read(
        collection=PRODUCTS,
        policy=STAFF_LIST,
        where={"category": key.category, "_id": key.id},
        fields=("holds",),
        result=lines,
    )


def oldest_line() -> Read[datetime | None]:
    """The moment of the oldest line of all. Asks every shard, for one key of its index."""
    return Read(
        collection=BOOK,
        policy=STAFF_LIST,
        where={},
        fields=("at",),
        sort=(("at", 1),),
        limit=1,
        hint="at_1",
        result=lambda lines: lines[0]["at"] if lines else None,
    )


def _lines(product_id: str, marks: Iterable[Mark]) -> list[MovementDocument]:
    """Those of receipts; earlier releases left some that do not tell what they changed."""
    return [
        {
            "_id": f"{mark['id']}:{product_id}",
            "product": product_id,
            "at": mark["at"],
            "order_id": mark["order_id"],
            "geozone": mark["geozone"],
            "counted": mark["counted"],
            "reserved": mark["reserved"],
            "left": mark.get("left"),
        }
        for mark in marks
        if "counted" in mark
    ]
