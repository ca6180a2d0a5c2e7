"""The row that a cart makes in Cassandra."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import NamedTuple

from cart.documents import CartDocument
from gateway.cassandra.statements import Row


class CopiedLine(NamedTuple):
    """A value of the type `cart_line`."""

    product_id: str
    category: str
    name: str
    quantity: int
    price_seen: Decimal


def row_of(cart: CartDocument) -> Row:
    """The row of `carts_active` that the cart makes."""
    return {
        "owner": cart["owner"],
        "cart_id": str(cart["_id"]),
        "user_id": cart.get("user_id"),
        "geozone": cart.get("geozone"),
        "items": [
            CopiedLine(
                item["product_id"],
                item["category"],
                item["name"],
                item["quantity"],
                item["price_seen"].to_decimal(),
            )
            for item in cart["items"]
        ],
        "version": cart["version"],
        "created_at": cart["created_at"],
        "updated_at": cart["updated_at"],
        "expires_at": cart["expires_at"],
    }


def timestamp_of(cart: CartDocument) -> int:
    """When the row counts as written, in microseconds: grows with the version, and from a cart to the owner's next.

    Making a version takes more than a microsecond, so that the creation of a cart plus a microsecond per version still
    lies before the creation of the next cart. The time of the change would not do: two may fall into one millisecond.
    """
    since_1970 = cart["created_at"].replace(tzinfo=UTC) - datetime(1970, 1, 1, tzinfo=UTC)
    return since_1970 // timedelta(microseconds=1) + cart["version"]
