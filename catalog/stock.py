"""Stock of one product in one geozone: counted again, delivered, written off."""

from collections.abc import Mapping
from typing import Any

from pymongo import ReturnDocument

from catalog.card import PRODUCTS, ProductKey
from catalog.derived import AVAILABLE_IN
from catalog.drafts import MAX_QUANTITY, quantity_errors
from catalog.errors import BadQuantity, BelowReserved, DeltaOrQuantity, UnknownGeozone, UnknownProduct
from catalog.models import ProductDirectory
from catalog.structure import missing_geozones, use_structure
from gateway.audit.recording import Action, Actor, record
from gateway.domain_errors import DomainError, Refused
from gateway.mongo.client import Document, database, orm_connection
from gateway.mongo.transactions import TryAgain, in_transaction
from gateway.sync.marks import CHANGED
from gateway.sync.queue import sync_soon
from gateway.text_input import text_errors

MAX_REASON = 500


def adjust_stock(
    product_id: str,
    geozone: str,
    *,
    actor: Actor,
    reason: str,
    delta: int | None = None,
    quantity: int | None = None,
) -> Document:
    """Add `delta` to the quantity or set it to `quantity`; returns the product as it is then.

    Never below what is reserved. The product is changed by one conditional update, which shares a small transaction
    with its audit entry: adjustments and checkouts at the same moment lose nothing. There is no idempotency key: a
    `delta` sent twice is added twice. A caller who lost the answer reads the stock, or sets a `quantity`.
    """
    reason = reason.strip()
    if errors := [*_amount_errors(delta, quantity), *text_errors(reason, MAX_REASON, "reason")]:
        raise Refused(errors)
    adjusted = in_transaction(lambda: _adjust(product_id, geozone, delta, quantity, reason=reason, actor=actor))
    sync_soon(PRODUCTS, [ProductKey(adjusted["category"], product_id)])
    return adjusted


def with_quantities(quantities: Mapping[str, Any]) -> Document:
    """Pipeline expression: the product's stock with these quantities (or expressions), and what is reserved kept."""
    given = [{"geozone": {"$literal": geozone}, "quantity": quantity} for geozone, quantity in quantities.items()]
    levels: Document = {"$ifNull": ["$stock", []]}
    return {
        "$concatArrays": [
            {
                "$map": {
                    "input": levels,
                    "as": "level",
                    "in": {"$mergeObjects": ["$$level", _first_of(given, "$$level.geozone")]},
                }
            },
            {
                "$map": {
                    "input": {
                        "$filter": {
                            "input": given,
                            "as": "new",
                            "cond": {"$not": [{"$in": ["$$new.geozone", {"$ifNull": ["$stock.geozone", []]}]}]},
                        }
                    },
                    "as": "new",
                    "in": {"$mergeObjects": ["$$new", {"reserved": 0}]},
                }
            },
        ]
    }


def level_in(document: Mapping[str, Any], geozone: str) -> tuple[int, int]:
    """Quantity and reserved."""
    for level in document.get("stock") or ():
        if level["geozone"] == geozone:
            return level["quantity"], level.get("reserved", 0)
    return 0, 0


def available(document: Mapping[str, Any], geozone: str) -> int:
    """Pieces that can be bought there."""
    quantity, reserved = level_in(document, geozone)
    return max(0, quantity - reserved)


def _adjust(
    product_id: str, geozone: str, delta: int | None, quantity: int | None, *, reason: str, actor: Actor
) -> Document:
    session = orm_connection().session
    products = database()[PRODUCTS]
    entry = database()[ProductDirectory._meta.db_table].find_one({"_id": product_id}, session=session)
    if entry is None:
        raise UnknownProduct("product")
    use_structure()
    if missing_geozones([geozone]):
        raise UnknownGeozone("geozone", geozone=geozone)
    address = {"category": entry["category"], "_id": product_id}
    level = _first_of({"$ifNull": ["$stock", []]}, {"$literal": geozone})
    counted = {"$ifNull": [{"$getField": {"field": "quantity", "input": level}}, 0]}
    reserved = {"$ifNull": [{"$getField": {"field": "reserved", "input": level}}, 0]}
    wanted: Any = {"$add": [counted, delta]} if delta is not None else quantity
    before = products.find_one_and_update(
        {**address, "$expr": {"$and": [{"$gte": [wanted, reserved]}, {"$lte": [wanted, MAX_QUANTITY]}]}},
        [
            {"$set": {"stock": with_quantities({geozone: wanted})}},
            {"$set": {"available_in": AVAILABLE_IN, **CHANGED, "updated_at": "$$NOW"}},
        ],
        return_document=ReturnDocument.BEFORE,
        session=session,
    )
    after = products.find_one(address, session=session)
    if after is None:
        raise TryAgain(f"product {product_id} changed its category meanwhile")
    if before is None:
        raise _refusal(level_in(after, geozone), delta, quantity)
    changes = {f"stock.{geozone}": (level_in(before, geozone)[0], level_in(after, geozone)[0])}
    record(Action.STOCK_ADJUSTED, f"product:{product_id}", actor=actor, changes=changes, reason=reason)
    return after


def _first_of(levels: Any, geozone: Any) -> Document:
    """Pipeline expression: the level of this geozone, missing when there is none."""
    return {"$first": {"$filter": {"input": levels, "as": "each", "cond": {"$eq": ["$$each.geozone", geozone]}}}}


def _amount_errors(delta: int | None, quantity: int | None) -> list[DomainError]:
    if (delta is None) == (quantity is None):
        return [DeltaOrQuantity("delta")]
    if delta is not None:
        return [] if abs(delta) <= MAX_QUANTITY else [BadQuantity("delta", limit=MAX_QUANTITY)]
    return quantity_errors(quantity or 0, "quantity")


def _refusal(level: tuple[int, int], delta: int | None, quantity: int | None) -> DomainError:
    counted, reserved = level
    field = "quantity" if delta is None else "delta"
    wanted = counted + delta if delta is not None else quantity or 0
    if wanted > MAX_QUANTITY:
        return BadQuantity(field, limit=MAX_QUANTITY)
    return BelowReserved(field, reserved=reserved, quantity=wanted)
