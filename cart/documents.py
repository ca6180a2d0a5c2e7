"""Carts as they stand in MongoDB: the fields of cart/models.py, typed."""

from datetime import datetime
from typing import NotRequired, TypedDict

from bson import Decimal128, ObjectId

from gateway.idempotency.documents import KeyReceipt


class CartItem(TypedDict):
    product_id: str
    category: str
    name: str
    quantity: int
    price_seen: Decimal128


class CartDocument(TypedDict):
    _id: ObjectId
    owner: str
    user_id: str | None
    session_id: str | None
    status: str
    geozone: str | None
    items: list[CartItem]
    version: int
    created_at: datetime
    updated_at: datetime
    expires_at: datetime
    abandoned_at: datetime | None
    order_id: str | None
    merged_into: str | None
    receipts: NotRequired[list[KeyReceipt]]
