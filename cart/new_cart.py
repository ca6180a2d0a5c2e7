"""A cart begins: the document of an owner who has none that is active."""

from collections.abc import Sequence
from datetime import UTC, datetime

from bson import ObjectId

from cart.documents import CartDocument, CartItem
from cart.lifetimes import expires_at
from cart.models import CartStatus
from gateway.accounts.owners import session_id_of, user_id_of
from gateway.idempotency.documents import KeyReceipt


def new_cart(
    owner: str, items: Sequence[CartItem], geozone: str | None, receipts: Sequence[KeyReceipt] = ()
) -> CartDocument:
    """A cart to be inserted; the store refuses it when the owner has an active one by then."""
    now = datetime.now(UTC)
    cart: CartDocument = {
        "_id": ObjectId(),
        "owner": owner,
        "user_id": user_id_of(owner),
        "session_id": session_id_of(owner),
        "status": CartStatus.ACTIVE.value,
        "geozone": geozone,
        "items": list(items),
        "version": 1,
        "created_at": now,
        "updated_at": now,
        "expires_at": expires_at(owner, now, empty=not items),
        "abandoned_at": None,
        "order_id": None,
        "merged_into": None,
    }
    if receipts:
        cart["receipts"] = list(receipts)
    return cart
