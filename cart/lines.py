"""Lines of a cart: added, set, removed, cleared. Each is checked first and then one atomic update of one document.

The update itself checks the limits, so that any number of devices at once lose nothing and exceed nothing.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from pymongo import ReturnDocument
from pymongo.errors import DuplicateKeyError

from cart.cassandra.mirror import mirror_soon
from cart.documents import CartDocument
from cart.errors import NothingGiven
from cart.lifetimes import expires_at_expression
from cart.line_checks import MAX_LINES, MAX_QUANTITY, CheckedLines, LineWanted, checked_to_add, checked_to_set
from cart.models import CartStatus
from cart.new_cart import new_cart
from cart.reading import CARTS, NOTHING_KNOWN, Products, active_cart, carts_with_key, merged_into
from gateway.accounts.owners import is_guest
from gateway.domain.errors import Refused
from gateway.idempotency.embedded import first_receipt, free_for, has_receipt, refuse_when_full, with_receipt
from gateway.idempotency.keys import Keyed, keyed
from gateway.mongo.client import Expression, collection_of
from gateway.mongo.reads import run

_ITEMS: Expression = {"$ifNull": ["$items", []]}


Buyer = str | Callable[[], str]
"""An owner; or, for a guest who has none yet, what makes one: called only when there is something to put in a cart."""


class Put(NamedTuple):
    cart: CartDocument | None
    """The cart afterwards; None when there was nothing to put and there is no cart."""
    replayed: bool = False
    """An earlier request under the same key did it; this one changed nothing."""
    products: Products = NOTHING_KNOWN
    """Products that were read to check the lines, by id."""


def add_lines(
    buyer: Buyer, lines: Sequence[LineWanted], geozone: str | None = None, *, idempotency_key: str | None = None
) -> Put:
    """Check the lines and add them to the quantities in the cart, which is made if there is none.

    All lines or none. Asked twice it adds twice, unless under a key. What is refused makes no owner.
    """
    key = keyed(idempotency_key, "cartLinesAdd", {"lines": lines, "geozone": geozone})
    # First of all: what was done under the key stays done, though the products may no longer be sold.
    if key and isinstance(buyer, str) and (done := done_before(buyer, key)):
        return done
    checked = checked_to_add(lines, geozone)
    return _put_for(buyer, checked, key)._replace(products=checked.products)


def set_lines(buyer: Buyer, lines: Sequence[LineWanted], geozone: str | None = None) -> CartDocument | None:
    """Check the lines and make the quantities these; 0 removes. None when there is nothing to put and no cart."""
    checked = checked_to_set(lines, geozone)
    if not checked.items and not isinstance(buyer, str):
        return None
    return _put_for(buyer, checked, None).cart


def put_once(owner: str, lines: CheckedLines, key: Keyed | None) -> Put:
    """Put checked lines in the cart: once for all requests under the key, also when it was ordered or merged meanwhile.

    The receipt of the key stands in the cart, written with the lines; an index keeps a second cart of the owner from
    having one of the same key.
    """
    # Each round but the last lost to another write that succeeded: somebody always gets through.
    while True:
        if changed := _put(owner, lines, key):
            return Put(changed)
        if key and (done := done_before(owner, key)):
            return done
        cart = run(active_cart(owner))
        if cart is not None:
            _refuse_unless_it_fits(cart, lines, key)
        elif customer := _signed_in_meanwhile(owner):
            owner = customer
        elif not lines.items:
            return Put(None)
        elif made := _open(owner, lines, key):
            return Put(made)


def done_before(owner: str, key: Keyed) -> Put | None:
    """The cart as it stands, if an earlier request under the key has put the lines; None if none has.

    Raises KeyReused when the key was used for something else.
    """
    carts = run(carts_with_key(owner, key.key))
    if not has_receipt(carts, key):
        return None
    cart = run(active_cart(owner))
    if cart is None and (customer := _signed_in_meanwhile(owner)):
        cart = run(active_cart(customer))
    return Put(cart, replayed=True)


def remove_lines(owner: str, product_ids: Sequence[str]) -> CartDocument | None:
    """Take these products out of the cart, as far as they are in it; returns the cart, None when there is none."""
    if not product_ids:
        raise NothingGiven("products")
    ids = list(product_ids)
    rest = {"$filter": {"input": _ITEMS, "as": "item", "cond": {"$not": _is_in("$$item.product_id", ids)}}}
    cart = _change(owner, {"items.product_id": {"$in": ids}}, rest) or run(active_cart(owner))
    if cart is None and (customer := _signed_in_meanwhile(owner)):
        return remove_lines(customer, product_ids)
    return cart


def clear(owner: str) -> CartDocument | None:
    """Take everything out of the cart; returns it, None when there is none.

    A guest's call that comes after the cart was merged does nothing: the buyer saw only the lines of the guest's cart.
    """
    return _change(owner, {"items.0": {"$exists": True}}, []) or run(active_cart(owner))


def _put_for(buyer: Buyer, lines: CheckedLines, key: Keyed | None) -> Put:
    if isinstance(buyer, str):
        return put_once(buyer, lines, key)
    owner = buyer()
    # Whoever has just become an owner has no cart: it is made without looking for one. The store says if that is wrong.
    made = _open(owner, lines, key)
    return Put(made) if made else put_once(owner, lines, key)


def _put(owner: str, lines: CheckedLines, key: Keyed | None) -> CartDocument | None:
    items = _with_lines(lines)
    try:
        return _change(owner, _within_limits(items), items, geozone=lines.geozone, key=key)
    except DuplicateKeyError:
        # Another cart of the owner has the receipt of the key.
        return None


def _refuse_unless_it_fits(cart: CartDocument, lines: CheckedLines, key: Keyed | None) -> None:
    if errors := lines.beyond_limits(cart["items"]):
        raise Refused(errors)
    if key:
        refuse_when_full(cart)


def _change(
    owner: str, where: Expression, items: Any, *, geozone: str | None = None, key: Keyed | None = None
) -> CartDocument | None:
    """Give the owner's active cart these items, if it meets `where`, in one update; None when there is no such cart."""
    fields: Expression = {"items": items, "version": {"$add": ["$version", 1]}, "updated_at": "$$NOW"}
    if geozone is not None:
        fields["geozone"] = {"$literal": geozone}
    if key:
        fields["receipts"] = with_receipt(key)
    conditions = [where, free_for(key)] if key else [where]
    changed: CartDocument | None = collection_of(CARTS, CartDocument).find_one_and_update(
        {"owner": owner, "status": CartStatus.ACTIVE.value, "$and": conditions},
        [{"$set": fields}, {"$set": {"expires_at": expires_at_expression()}}],
        return_document=ReturnDocument.AFTER,
    )
    if changed:
        mirror_soon(owner)
    return changed


def _open(owner: str, lines: CheckedLines, key: Keyed | None) -> CartDocument | None:
    """Insert the owner's first cart; None when another device was faster."""
    cart = new_cart(owner, lines.items, lines.geozone, receipts=[first_receipt(key)] if key else ())
    try:
        collection_of(CARTS, CartDocument).insert_one(cart)
    except DuplicateKeyError:
        return None
    mirror_soon(owner)
    return cart


def _signed_in_meanwhile(owner: str) -> str | None:
    """The customer whom a guest's cart has just gone to: a write of the guest that comes late belongs there."""
    return run(merged_into(owner)) if is_guest(owner) else None


def _with_lines(lines: CheckedLines) -> Expression:
    """Pipeline expression: the items of the cart after the lines were put in."""
    given = {"$literal": list(lines.items)}
    same = {"$eq": ["$$each.product_id", "$$item.product_id"]}
    new = {"$first": {"$filter": {"input": given, "as": "each", "cond": same}}}
    # The buyer who adds has just seen today's price; one who sets a quantity may have an old page before their eyes.
    kept: Expression = (
        {"quantity": {"$add": ["$$item.quantity", "$$new.quantity"]}}
        if lines.summed
        else {"price_seen": "$$item.price_seen"}
    )
    unnamed = {"$eq": [{"$type": "$$new"}, "missing"]}
    merged = {"$cond": [unnamed, "$$item", {"$mergeObjects": ["$$item", "$$new", kept]}]}
    staying = {"$filter": {"input": _ITEMS, "as": "item", "cond": {"$not": _is_in("$$item.product_id", lines.removed)}}}
    further = {
        "$filter": {
            "input": given,
            "as": "new",
            "cond": {"$not": [{"$in": ["$$new.product_id", {"$ifNull": ["$items.product_id", []]}]}]},
        }
    }
    return {
        "$concatArrays": [
            {"$map": {"input": staying, "as": "item", "in": {"$let": {"vars": {"new": new}, "in": merged}}}},
            further,
        ]
    }


def _within_limits(items: Expression) -> Expression:
    fits = {
        "$let": {
            "vars": {"items": items},
            "in": {
                "$and": [
                    {"$lte": [{"$size": "$$items"}, MAX_LINES]},
                    {"$lte": [{"$max": "$$items.quantity"}, MAX_QUANTITY]},
                ]
            },
        }
    }
    return {"$expr": fits}


def _is_in(product_id: str, ids: Sequence[str]) -> list[Expression]:
    return [{"$in": [product_id, {"$literal": list(ids)}]}]
