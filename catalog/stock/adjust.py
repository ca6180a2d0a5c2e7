"""Stock of one product in one geozone is adjusted: counted again, delivered, written off."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from pymongo import ReturnDocument

from catalog.documents import DirectoryEntry, ProductDocument
from catalog.errors import (
    BadQuantity,
    BelowReserved,
    DeltaOrQuantity,
    StockChangedMeanwhile,
    UnknownGeozone,
    UnknownProduct,
)
from catalog.models import ProductDirectory
from catalog.products.cards import PRODUCTS, ProductKey
from catalog.products.derived import BY_STOCK
from catalog.products.drafts import MAX_QUANTITY, quantity_errors
from catalog.structure.guard import missing_geozones, use_structure
from gateway.audit.trail import Action, Actor, record
from gateway.domain.errors import DomainError, Refused
from gateway.domain.input import text_errors
from gateway.idempotency.keys import Keyed, keyed
from gateway.idempotency.receipts import take_key
from gateway.mongo.client import Expression, collection_of, orm_connection
from gateway.mongo.transactions import TryAgain, in_transaction
from gateway.sync.marks import CHANGED
from gateway.sync.queue import sync_soon

MAX_REASON = 500


class Adjusted(NamedTuple):
    document: ProductDocument
    replayed: bool = False
    """An earlier request under the same key did it; this one changed nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StockAdjustment:
    """Exactly one of `delta`, to be added, and `quantity`, to be counted from now on."""

    delta: int | None = None
    quantity: int | None = None
    expected: int | None = None
    """The quantity that was seen; when there is another by then, the adjustment is refused."""
    reason: str


def adjust_stock(
    product_id: str,
    geozone: str,
    *,
    actor: Actor,
    reason: str,
    delta: int | None = None,
    quantity: int | None = None,
    expected_quantity: int | None = None,
    idempotency_key: str | None = None,
) -> Adjusted:
    """Add `delta` to the quantity or set it to `quantity`; returns the product as it is then.

    Never below what is reserved. The product is changed by one conditional update, which shares a small transaction
    with its audit entry: adjustments and checkouts at the same moment lose nothing. Sent twice it acts twice, unless
    under an idempotency key. With `expected_quantity` it is refused when the stock has changed since it was seen.
    """
    wanted = StockAdjustment(delta=delta, quantity=quantity, expected=expected_quantity, reason=reason.strip())
    if errors := list(_errors(wanted)):
        raise Refused(errors)
    key = keyed(idempotency_key, "stockAdjust", {"product": product_id, "geozone": geozone, **asdict(wanted)})
    adjusted = in_transaction(lambda: _adjust_once(product_id, geozone, wanted, key, actor=actor))
    if not adjusted.replayed:
        sync_soon(PRODUCTS, [ProductKey(adjusted.document["category"], product_id)])
    return adjusted


def with_quantities(quantities: Mapping[str, Any]) -> Expression:
    """Pipeline expression: the product's stock with these quantities (or expressions), and what is reserved kept."""
    given = [{"geozone": {"$literal": geozone}, "quantity": quantity} for geozone, quantity in quantities.items()]
    levels: Expression = {"$ifNull": ["$stock", []]}
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
    """How many pieces of the product are there, and how many of them are reserved."""
    for level in document.get("stock") or ():
        if level["geozone"] == geozone:
            return level["quantity"], level.get("reserved", 0)
    return 0, 0


def available(document: Mapping[str, Any], geozone: str) -> int:
    """How many pieces of the product can be bought there."""
    quantity, reserved = level_in(document, geozone)
    return max(0, quantity - reserved)


def _adjust_once(
    product_id: str, geozone: str, wanted: StockAdjustment, key: Keyed | None, *, actor: Actor
) -> Adjusted:
    first_time = take_key(key, actor)
    directory = collection_of(ProductDirectory._meta.db_table, DirectoryEntry)
    entry = directory.find_one({"_id": product_id}, session=orm_connection().session)
    if entry is None:
        raise UnknownProduct("product")
    address = {"category": entry["category"], "_id": product_id}
    if not first_time:
        return Adjusted(_as_it_stands(address), replayed=True)
    return Adjusted(_adjust(address, geozone, wanted, actor=actor))


def _adjust(address: Expression, geozone: str, wanted: StockAdjustment, *, actor: Actor) -> ProductDocument:
    use_structure()
    if missing_geozones([geozone]):
        raise UnknownGeozone("geozone", geozone=geozone)
    level = _first_of({"$ifNull": ["$stock", []]}, {"$literal": geozone})
    counted = {"$ifNull": [{"$getField": {"field": "quantity", "input": level}}, 0]}
    reserved = {"$ifNull": [{"$getField": {"field": "reserved", "input": level}}, 0]}
    result: Any = {"$add": [counted, wanted.delta]} if wanted.delta is not None else wanted.quantity
    conditions = [{"$gte": [result, reserved]}, {"$lte": [result, MAX_QUANTITY]}]
    if wanted.expected is not None:
        conditions.append({"$eq": [counted, wanted.expected]})
    before = collection_of(PRODUCTS, ProductDocument).find_one_and_update(
        {**address, "$expr": {"$and": conditions}},
        [
            {"$set": {"stock": with_quantities({geozone: result})}},
            {
                "$set": {
                    **BY_STOCK,
                    **CHANGED,
                    "updated_at": "$$NOW",
                    "edited_at": "$$NOW",
                    "edited_by": {"$literal": actor.name},
                }
            },
        ],
        return_document=ReturnDocument.BEFORE,
        session=orm_connection().session,
    )
    after = _as_it_stands(address)
    if before is None:
        raise _refusal(level_in(after, geozone), wanted)
    changes = {f"stock.{geozone}": (level_in(before, geozone)[0], level_in(after, geozone)[0])}
    record(Action.STOCK_ADJUSTED, f"product:{address['_id']}", actor=actor, changes=changes, reason=wanted.reason)
    return after


def _as_it_stands(address: Expression) -> ProductDocument:
    found = collection_of(PRODUCTS, ProductDocument).find_one(address, session=orm_connection().session)
    if found is None:
        raise TryAgain(f"product {address['_id']} changed its category meanwhile")
    return found


def _first_of(levels: Any, geozone: Any) -> Expression:
    """Pipeline expression: the level of this geozone, missing when there is none."""
    return {"$first": {"$filter": {"input": levels, "as": "each", "cond": {"$eq": ["$$each.geozone", geozone]}}}}


def _errors(wanted: StockAdjustment) -> Iterator[DomainError]:
    delta, quantity = wanted.delta, wanted.quantity
    if (delta is None) == (quantity is None):
        yield DeltaOrQuantity("delta")
    elif delta is not None and abs(delta) > MAX_QUANTITY:
        yield BadQuantity("delta", limit=MAX_QUANTITY)
    elif quantity is not None:
        yield from quantity_errors(quantity, "quantity")
    if wanted.expected is not None:
        yield from quantity_errors(wanted.expected, "expected_quantity")
    yield from text_errors(wanted.reason, MAX_REASON, "reason")


def _refusal(level: tuple[int, int], wanted: StockAdjustment) -> DomainError:
    counted, reserved = level
    if wanted.expected not in (None, counted):
        return StockChangedMeanwhile("expected_quantity", seen=wanted.expected, quantity=counted)
    field = "quantity" if wanted.delta is None else "delta"
    result = counted + wanted.delta if wanted.delta is not None else wanted.quantity or 0
    if result > MAX_QUANTITY:
        return BadQuantity(field, limit=MAX_QUANTITY)
    return BelowReserved(field, reserved=reserved, quantity=result)
