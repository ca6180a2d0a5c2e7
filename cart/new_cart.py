"""A cart begins: the document of an owner who has none that is active."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from cart.lifetimes import expires_at
from cart.models import CartStatus
from gateway.accounts.owners import session_id_of, user_id_of
from gateway.mongo.client import Document


def new_cart(
    owner: str, items: Sequence[Document], geozone: str | None, receipts: Sequence[Mapping[str, Any]] = ()
) -> Document:
    """To be inserted: the store refuses it when the owner has an active cart by then."""
    now = datetime.now(UTC)
    return {
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
        **({"receipts": list(receipts)} if receipts else {}),
    }
