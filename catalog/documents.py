"""Documents of the catalog as they stand in MongoDB: the fields of catalog/models.py, typed."""

from datetime import datetime
from typing import Literal, NotRequired, TypedDict

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
    cart_id: NotRequired[ObjectId | None]
    geozone: NotRequired[str]
    quantity: NotRequired[int]
    counted: NotRequired[int]
    """Of a receipt: by how much it changed the quantity."""
    reserved: NotRequired[int]
    """Of a receipt: by how much it changed what is reserved."""
    left: NotRequired[int]
    """Of a receipt: the quantity after it."""


class RegionalPlace(TypedDict):
    """Where regional rows of a product are in Cassandra, see catalog/cassandra/sync.py."""

    category: str
    price: Decimal128
    bucket: int
    regions: list[str]


Part = Literal["image", "description", "attributes"]
"""What a product may lack."""


class DerivedFields(TypedDict):
    """What catalog/products/derived.py makes of the rest of a product, in every write."""

    price: Decimal128
    discount: int
    """Per cent; 0: none."""
    sort_name: str
    available_in: list[str]
    shelf: list[str]
    """`msk:none` for each geozone where nothing is left to buy, `msk:low` where no more is left than `low_at`."""
    facets: list[str]
    terms: list[str]
    standing: int
    missing: list[Part]
    pictures: list[str]


class ProductDocument(SyncedDocument, DerivedFields):
    _id: str
    category: str
    name: str
    description: str
    prices: Prices
    stock: list[StockLevel]
    attributes: dict[str, str]
    images: list[Image]
    withdrawn: bool
    low_at: NotRequired[int]
    """The threshold of its category; absent in products that were stored before there were any: the default."""
    updated_at: datetime
    edited_at: NotRequired[datetime]
    """When somebody last edited it: sales leave it alone."""
    edited_by: NotRequired[str]
    """The name of whoever did, as the audit has it."""
    cost: NotRequired[Decimal128]
    """What a piece cost the shop, where the product information system tells; buyers are never shown it."""
    bought: NotRequired[int]
    """How much it has been bought lately, 0 to 5; absent is 0. See catalog/products/popularity.py."""
    holds: NotRequired[list[Mark]]
    places: NotRequired[list[RegionalPlace]]


class PictureDocument(TypedDict):
    """An uploaded picture, see catalog/pictures/."""

    _id: str
    """Of what was uploaded: the same file is the same picture."""
    name: str
    """What its files are called, without folder and ending."""
    width: int
    height: int
    is_ready: bool
    """Whether its file is whole."""
    has_thumbnails: bool
    look_at: datetime
    """From then on, if no product shows it, it may go."""
    leaving: NotRequired[bool]
    """Its files are being removed."""
    uploaded_at: datetime
    uploaded_by: str


class Discount(TypedDict):
    """A discount with a beginning and an end, see catalog/discounts/. Exactly one of `sale` and `percent` is given."""

    id: str
    state: str
    sale: Decimal128 | None
    percent: int | None
    starts_at: datetime
    ends_at: datetime
    planned_by: str
    planned_by_id: NotRequired[str]
    """The account; empty for a program, absent in those that an earlier release has planned."""
    planned_at: datetime
    applied: NotRequired[Decimal128]
    """The sale price that it gave the product when it began."""
    before: NotRequired[Decimal128 | None]
    """The sale price that it found."""
    settled_at: NotRequired[datetime]
    missed_because: NotRequired[str]
    """One of the values of `Missed`; absent in those that an earlier release has missed."""
    price_was_left: NotRequired[bool]
    """At its end somebody else's price stood there, and stayed."""


class DiscountPlanDocument(TypedDict):
    """All discounts of one product, oldest first: one document, so that no two can overlap."""

    _id: str
    discounts: list[Discount]
    due: NotRequired[datetime]
    """When the next of them begins or ends."""


class DirectoryEntry(TypedDict):
    """Where a product id lives."""

    _id: str
    category: str


class Named(TypedDict):
    """What a category and a geozone have in common."""

    _id: str
    name: str


class GeozoneDocument(Named):
    position: int


class AttributeDocument(TypedDict):
    """An attribute that products of a category are expected to have, see catalog/structure/attributes.py."""

    name: str
    type: str
    unit: str
    position: int
    filterable: bool
    options: NotRequired[list[str]]
    """What a choice is made from."""


class Owed(TypedDict):
    """Work on products that a change of the tree has left to be done, and whoever wanted it."""

    token: str
    """Names the job that does it."""
    actor_id: str
    actor: str


class Merging(Owed):
    into: str


class CategoryDocument(Named):
    path: list[str]
    """Slugs from the root down to the parent."""
    position: int
    low_at: NotRequired[int | None]
    """From how many pieces on its products run low; None or absent: as in the category above."""
    hidden: NotRequired[bool]
    attributes: NotRequired[list[AttributeDocument]]
    merging: NotRequired[Merging]
    """While its products move into another category; it takes no others meanwhile."""
    thresholds_due: NotRequired[Owed]
    """While products of this branch have the threshold of before."""


class StructurePart(Named):
    """A category or a geozone as a process remembers it; only a category has more than a name."""

    path: NotRequired[list[str]]
    low_at: NotRequired[int | None]
    hidden: NotRequired[bool]
    attributes: NotRequired[list[AttributeDocument]]


class SynonymGroupDocument(TypedDict):
    """Words that mean the same to whoever searches, see catalog/search/synonyms.py."""

    _id: str
    title: str
    words: list[str]
    keys: list[str]
    changed_at: datetime
    changed_by: str


class SearchMissDocument(TypedDict):
    """How often a text was searched for on one day and not found as typed, see catalog/search/misses.py."""

    _id: str
    day: datetime
    outcome: str
    text: str
    instead: str
    count: int


class VocabularyDocument(TypedDict):
    """An edition of the words of the shop, see catalog/search/vocabulary/editions.py."""

    _id: str
    token: str
    began_at: datetime
    words: bytes


class ClaimDocument(TypedDict):
    """Who does a piece of work that one does at a time, and until when unless it renews it."""

    _id: str
    holder: str
    until: datetime


class GuardStripe(TypedDict):
    _id: int
    taken: int


class FindingDocument(TypedDict):
    """A reservation that differs from what orders wait for, see catalog/stock/findings.py."""

    _id: str
    product_id: str
    geozone: str
    reserved: int
    expected: int
    difference: int
    first_seen: datetime
    last_seen: datetime


class MovementDocument(TypedDict):
    """A line of the book of stock, see catalog/stock/book.py."""

    _id: str
    product: str
    at: datetime
    order_id: str
    geozone: str
    counted: int
    reserved: int
    left: int | None
