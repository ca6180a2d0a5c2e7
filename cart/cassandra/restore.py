"""Makes a lost cart again from its copy in Cassandra."""

from datetime import UTC, datetime
from typing import NamedTuple

from bson import Decimal128, ObjectId
from pymongo.collection import Collection
from pymongo.errors import DuplicateKeyError

from cart.cassandra.mirror import mirror_soon
from cart.cassandra.rows import CopiedLine
from cart.cassandra.tables import CARTS_ACTIVE
from cart.documents import CartDocument, CartItem
from cart.models import Cart, CartStatus
from cart.new_cart import new_cart
from gateway.cassandra.reads import first
from gateway.mongo.client import collection_of

CARTS = Cart._meta.db_table


class NotRestored(Exception):
    """A cart cannot be made again: the message says why. Nothing was changed."""


class Copy(NamedTuple):
    """What Cassandra still knows of a cart."""

    cart_id: str
    owner: str
    geozone: str | None
    lines: tuple[CopiedLine, ...]
    version: int
    created_at: datetime
    updated_at: datetime


def copy_of(owner: str) -> Copy:
    """The copy of the owner's cart; `NotRestored` when there is none."""
    row = first(CARTS_ACTIVE.select("owner = ?", owner))
    if row is None:
        raise NotRestored(f"There is no copy of a cart of {owner}: a copy lives for 24 hours after the last change.")
    return Copy(
        cart_id=row["cart_id"],
        owner=owner,
        geozone=row["geozone"],
        lines=tuple(CopiedLine(*line) for line in row["items"]),
        version=row["version"],
        created_at=row["created_at"].replace(tzinfo=UTC),
        updated_at=row["updated_at"].replace(tzinfo=UTC),
    )


def refuse_unless_lost(copy: Copy) -> None:
    """Raise `NotRestored` for a cart that is not lost. The store itself decides when the cart is inserted."""
    if _carts().find_one({"owner": copy.owner, "status": CartStatus.ACTIVE.value}, projection=["_id"]):
        raise NotRestored(f"{copy.owner} has an active cart: nothing is lost, or the buyer has begun a new one.")
    ordered = {"owner": copy.owner, "_id": ObjectId(copy.cart_id), "status": CartStatus.ORDERED.value}
    if found := _carts().find_one(ordered, projection=["order_id"]):
        raise NotRestored(f"The cart of {copy.owner} was ordered ({found.get('order_id')}): nothing is lost.")


def restore_cart(copy: Copy) -> str:
    """Insert the cart again, as it was, and return its id; `NotRestored` when the buyer has an active one."""
    refuse_unless_lost(copy)
    document = _document(copy)
    try:
        _carts().insert_one(document)
    except DuplicateKeyError as error:
        raise NotRestored(f"{copy.owner} got an active cart this very moment; nothing was restored.") from error
    mirror_soon(copy.owner)
    return str(document["_id"])


def _document(copy: Copy) -> CartDocument:
    document = new_cart(copy.owner, [_item(line) for line in copy.lines], copy.geozone)
    # Under its own id and time unless a later cart of the owner is there: the newest must be the one that lives.
    if _carts().find_one({"owner": copy.owner, "created_at": {"$gte": copy.created_at}}, projection=["_id"]):
        return document
    return {
        **document,
        "_id": ObjectId(copy.cart_id),
        "created_at": copy.created_at,
        "version": copy.version + 1,
    }


def _item(line: CopiedLine) -> CartItem:
    return {
        "product_id": line.product_id,
        "category": line.category,
        "name": line.name,
        "quantity": line.quantity,
        "price_seen": Decimal128(line.price_seen),
    }


def _carts() -> Collection[CartDocument]:
    return collection_of(CARTS, CartDocument)
