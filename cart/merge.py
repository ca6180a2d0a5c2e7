"""Two carts become one: a guest's and the customer's at sign-in, and an abandoned one that staff bring back."""

from collections.abc import Sequence
from enum import Enum
from typing import NamedTuple

from bson import ObjectId
from pymongo.errors import DuplicateKeyError

from cart.cassandra.mirror import mirror_soon
from cart.documents import CartDocument, CartItem
from cart.errors import NotAbandoned
from cart.lifetimes import expires_at_expression, kept_until_expression
from cart.line_checks import MAX_LINES
from cart.models import CartStatus
from cart.new_cart import new_cart
from cart.reading import CARTS, active_cart, carts_of, carts_with_key
from gateway.accounts.owners import user_id_of
from gateway.audit.trail import Action, Actor, record
from gateway.idempotency.documents import KeyReceipt
from gateway.mongo.client import Expression, collection_of, orm_connection
from gateway.mongo.policies import CART_MERGE
from gateway.mongo.reads import run
from gateway.mongo.transactions import TryAgain, in_transaction


class MergeMode(Enum):
    MERGE = "MERGE"
    """The lines of both; when both hold a product, the larger quantity."""
    KEEP_CUSTOMER = "KEEP_CUSTOMER"
    KEEP_GUEST = "KEEP_GUEST"


class Merged(NamedTuple):
    lines_dropped: tuple[str, ...] = ()
    """Names of the products that did not fit into the customer's cart."""


def merge_guest_cart(guest: str, customer: str, mode: MergeMode) -> Merged:
    """Take the guest's active cart, if there is one, into the customer's. Once, however often it is called.

    Both carts change in one transaction. Whoever changes either of them meanwhile makes it begin again, with what is
    there then; of two logins at once the second finds nothing left to take.
    """
    merged = in_transaction(lambda: _merge(guest, customer, mode))
    for owner in (guest, customer):
        mirror_soon(owner)
    return merged


def restore_abandoned(owner: str, cart_id: ObjectId, *, actor: Actor) -> Merged:
    """Bring an abandoned cart back: its lines join the owner's active cart, or open one. Once, however often called.

    As with `merge_guest_cart` the larger quantity wins, and whoever changes either cart meanwhile makes it begin again.
    Raises NotAbandoned.
    """
    merged = in_transaction(lambda: _restore(owner, cart_id, actor))
    mirror_soon(owner)
    return merged


def _restore(owner: str, cart_id: ObjectId, actor: Actor) -> Merged:
    cart = run(carts_of(owner, [cart_id])).get(cart_id)
    if cart is None or cart["status"] != CartStatus.ABANDONED.value or not cart["items"]:
        raise NotAbandoned
    if cart["merged_into"] == owner:
        return Merged()
    if cart["merged_into"] is not None:
        raise NotAbandoned
    # The first write: a rival conflicts here. What became of the cart in the figures of its day stays.
    _update(cart, {"merged_into": {"$literal": owner}})
    own = run(active_cart(owner, CART_MERGE))
    items = _united(own["items"] if own else [], cart["items"])
    if own:
        _replace(own, items[:MAX_LINES], own["geozone"] or cart["geozone"], own.get("receipts", ()))
    else:
        _open(owner, items[:MAX_LINES], cart["geozone"], ())
    changes = {"cart": (None, str(cart_id)), "lines": (len(own["items"]) if own else 0, len(items[:MAX_LINES]))}
    record(Action.CART_RESTORED, f"customer:{user_id_of(owner)}", actor=actor, changes=changes)
    return Merged(tuple(item["name"] for item in items[MAX_LINES:]))


def _merge(guest: str, customer: str, mode: MergeMode) -> Merged:
    taken = run(active_cart(guest, CART_MERGE))
    if taken is None:
        return Merged()
    _abandon(taken, customer)
    if not taken["items"] or mode is MergeMode.KEEP_CUSTOMER:
        return Merged()
    own = run(active_cart(customer, CART_MERGE))
    kept = own["items"] if own and mode is MergeMode.MERGE else []
    items = _united(kept, taken["items"])
    receipts = _receipts_to_take(taken, customer)
    if own:
        _replace(own, items[:MAX_LINES], taken["geozone"], [*own.get("receipts", ()), *receipts])
    else:
        _open(customer, items[:MAX_LINES], taken["geozone"], receipts)
    return Merged(tuple(item["name"] for item in items[MAX_LINES:]))


def _united(kept: Sequence[CartItem], taken: Sequence[CartItem]) -> list[CartItem]:
    """The kept lines, each with the larger quantity of the two carts, then the other lines taken."""
    larger = {item["product_id"]: item["quantity"] for item in taken}
    known = {item["product_id"] for item in kept}
    grown: list[CartItem] = [
        {**item, "quantity": max(item["quantity"], larger.get(item["product_id"], 0))} for item in kept
    ]
    return [*grown, *(item for item in taken if item["product_id"] not in known)]


def _receipts_to_take(cart: CartDocument, customer: str) -> list[KeyReceipt]:
    """The guest's receipts that the customer does not have yet.

    What the guest did under keys is in the lines that are taken: repeated as the customer, it must not act again.
    """
    receipts = cart.get("receipts") or []
    if not receipts:
        return []
    own = run(carts_with_key(customer, *(receipt["key"] for receipt in receipts)))
    used = {receipt["key"] for each in own for receipt in each["receipts"]}
    return [receipt for receipt in receipts if receipt["key"] not in used]


def _abandon(cart: CartDocument, customer: str) -> None:
    """End the guest's cart. The first write of the transaction: a rival login conflicts here, before any other."""
    _update(
        cart,
        {
            "status": CartStatus.ABANDONED.value,
            "merged_into": {"$literal": customer},
            "abandoned_at": "$$NOW",
            "expires_at": kept_until_expression(),
        },
    )


def _replace(
    cart: CartDocument, items: Sequence[CartItem], geozone: str | None, receipts: Sequence[KeyReceipt]
) -> None:
    fields: Expression = {"items": {"$literal": list(items)}}
    if receipts:
        fields["receipts"] = {"$literal": list(receipts)}
    if geozone is not None:
        fields["geozone"] = {"$literal": geozone}
    _update(cart, fields, {"expires_at": expires_at_expression()})


def _update(cart: CartDocument, fields: Expression, *then: Expression) -> None:
    """Change the cart as read. One that changed since is a write conflict, which runs the transaction again."""
    collection_of(CARTS, CartDocument).update_one(
        {"owner": cart["owner"], "_id": cart["_id"]},
        [
            {"$set": {**fields, "version": {"$add": ["$version", 1]}, "updated_at": "$$NOW"}},
            *({"$set": stage} for stage in then),
        ],
        session=orm_connection().session,
    )


def _open(customer: str, items: Sequence[CartItem], geozone: str | None, receipts: Sequence[KeyReceipt]) -> None:
    cart = new_cart(customer, items, geozone, receipts)
    try:
        collection_of(CARTS, CartDocument).insert_one(cart, session=orm_connection().session)
    except DuplicateKeyError as error:
        raise TryAgain(f"{customer} opened a cart meanwhile") from error
