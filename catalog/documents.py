"""Products as they stand in MongoDB: the fields of catalog/models.py, typed."""

from datetime import datetime
from typing import NotRequired, TypedDict

from bson import Decimal128, ObjectId

from gateway.sync.documents import SyncedDocument


class Prices(TypedDict):
    base: Decimal128
    sale: Decimal128 | None


class StockLevel(TypedDict):
    """Pieces in one geozone; what can be bought is quantity - reserved."""

    geozone: str
    quantity: int
    reserved: int


class Image(TypedDict):
    url: str
    alt: str


class Mark(TypedDict):
    """A hold or a receipt that a checkout left in a product, see catalog/stock/reservations.py."""

    id: str
    purpose: str
    order_id: str
    at: datetime
    owner: NotRequired[str]
    cart_id: NotRequired[ObjectId]
    geozone: NotRequired[str]
    quantity: NotRequired[int]


class ProductDocument(SyncedDocument):
    _id: str
    category: str
    name: str
    description: str
    prices: Prices
    stock: list[StockLevel]
    attributes: dict[str, str]
    images: list[Image]
    withdrawn: bool
    updated_at: datetime
    holds: NotRequired[list[Mark]]
    price: Decimal128
    sort_name: str
    available_in: list[str]
    facets: list[str]
    terms: list[str]
