"""A cart becomes an order: taken once, and kept from those who come too late."""

from bson import ObjectId
from pymongo import ReturnDocument

from cart.documents import CartDocument
from cart.lifetimes import kept_until_expression
from cart.models import Cart, CartStatus
from gateway.mongo.client import collection_of, orm_connection
from gateway.mongo.policies import CART_ACTIVE
from gateway.mongo.reads import Read

CARTS = Cart._meta.db_table
ACTIVE = CartStatus.ACTIVE.value
ORDERED = CartStatus.ORDERED.value


def take_cart(cart: CartDocument, order_id: str) -> bool:
    """Make the cart ordered, in the running transaction; False when somebody has changed it since it was read."""
    taken = collection_of(CARTS, CartDocument).update_one(
        {"owner": cart["owner"], "_id": cart["_id"], "status": ACTIVE, "version": cart["version"]},
        [
            {
                "$set": {
                    "status": ORDERED,
                    "order_id": order_id,
                    "updated_at": "$$NOW",
                    "expires_at": kept_until_expression(),
                    "version": {"$add": ["$version", 1]},
                }
            }
        ],
        session=orm_connection().session,
    )
    return taken.matched_count == 1


def fence_cart(owner: str, cart_id: ObjectId | None) -> CartDocument | None:
    """Return the cart as it stands, and let nobody who read it before take it any more. None: it is gone."""
    fenced: CartDocument | None = collection_of(CARTS, CartDocument).find_one_and_update(
        {"owner": owner, "_id": cart_id},
        [{"$set": {"version": {"$cond": [{"$eq": ["$status", ACTIVE]}, {"$add": ["$version", 1]}, "$version"]}}}],
        return_document=ReturnDocument.AFTER,
    )
    return fenced


def cart_as_it_stands(owner: str, cart_id: ObjectId) -> Read[CartDocument | None]:
    """This cart, whatever became of it; None when it is gone."""
    return Read(
        collection=CARTS,
        policy=CART_ACTIVE,
        where={"owner": owner, "_id": cart_id},
        result=lambda documents: documents[0] if documents else None,
    )
