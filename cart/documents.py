"""Carts and their figures as they stand in MongoDB: the fields of cart/models.py, typed."""

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


class LostItem(TypedDict):
    """A product in the abandoned carts of a day."""

    product_id: str
    name: str
    carts: int
    quantity: int
    lost_value: Decimal128


class DayFigures(TypedDict):
    """What became of the carts made on one day in one geozone, as computed."""

    _id: str
    day: datetime
    geozone: str | None
    carts: int
    abandoned: int
    ordered: int
    lost_value: Decimal128
    products: list[LostItem]


class DayDocument(DayFigures):
    computed_at: datetime


class ProgressDocument(TypedDict):
    """How far the analytics has seen the changes of carts."""

    _id: str
    seen_until: datetime
    computed_at: datetime
