"""The rows that a product makes in Cassandra, and the product that a row makes again."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple, cast

from bson import Decimal128

from catalog.cassandra.tables import (
    INVENTORY_BY_PRODUCT_GEO,
    PRODUCT_BY_ID,
    PRODUCT_TABLES,
    PRODUCTS_CACHE_BY_REGION,
)
from catalog.documents import ProductDocument, StockLevel
from gateway.cassandra.statements import Row, Write
from gateway.cassandra.table import Table
from gateway.cassandra.values import Codec, decimal_of
from gateway.sync.marks import timestamp_of

_CARD = Codec(PRODUCT_BY_ID, id_column="product_id", beside=("attributes",))


class Place(NamedTuple):
    """Where the regional rows of a product are: one in each of the regions."""

    category: str
    price: Decimal128
    bucket: int
    regions: list[str]

    def keys(self, product_id: str) -> Iterator[Row]:
        price = decimal_of(self.price)
        for region in self.regions:
            yield {
                "region": region,
                "category": self.category,
                "bucket": self.bucket,
                "price": price,
                "product_id": product_id,
            }


def writes_of(product: ProductDocument, place: Place | None, *, gone: Sequence[Place]) -> Iterator[Write]:
    """All writes that bring this version of a product to Cassandra.

    `place` is where its regional rows belong, None for a product that has been withdrawn; `gone` are all other places
    where there may be some.
    """
    for table in PRODUCT_TABLES:
        yield from writes_of_table(product, place, table, gone=gone)


def writes_of_table(
    product: ProductDocument, place: Place | None, table: Table, *, gone: Sequence[Place]
) -> Iterator[Write]:
    """Those of the same writes that go to one table."""
    timestamp = timestamp_of(product)
    if table is INVENTORY_BY_PRODUCT_GEO:
        # The rows of geozones that it has left. Below the rows of this version and above those of the last one.
        yield table.delete({"product_id": product["_id"]}, timestamp=timestamp - 1)
    for row in _rows_of_table(product, place, table):
        yield table.upsert(row, timestamp=timestamp)
    if table is PRODUCT_BY_ID and place is None:
        yield table.delete({"product_id": product["_id"]}, timestamp=timestamp)
    if table is PRODUCTS_CACHE_BY_REGION and gone:
        # A row is never both written and deleted: of two writes of one moment the deletion would win.
        kept = [] if place is None else list(place.keys(product["_id"]))
        for key in (key for other in gone for key in other.keys(product["_id"])):
            if key not in kept:
                yield table.delete(key, timestamp=timestamp)


def rows_of(product: ProductDocument, place: Place | None) -> Iterator[tuple[Table, Row]]:
    """Each row of the product with its table; none of one that has been withdrawn."""
    for table in PRODUCT_TABLES:
        for row in _rows_of_table(product, place, table):
            yield table, row


def _rows_of_table(product: ProductDocument, place: Place | None, table: Table) -> Iterator[Row]:
    if place is None:
        return
    if table is INVENTORY_BY_PRODUCT_GEO:
        for position, level in enumerate(product.get("stock") or ()):
            yield _level_row(product, position, level)
    elif table is PRODUCT_BY_ID:
        yield _CARD.row(product, attributes=list((product.get("attributes") or {}).items()))
    else:
        for key in place.keys(product["_id"]):
            yield {**key, "name": product["name"], "version": product["version"]}


def product_of(row: Row) -> ProductDocument:
    """The product of a row of `product_by_id`, as far as a card shows it: what the search needs is not there."""
    attributes = dict(row["attributes"] or ())
    return cast("ProductDocument", {**_CARD.document(row), "attributes": attributes, "withdrawn": False})


def stock_of(rows: Sequence[Row]) -> list[StockLevel]:
    """The stock that the rows of one product in `inventory_by_product_geo` make, in the order of the document."""
    levels = sorted(rows, key=lambda row: row["position"])
    return [{"geozone": row["geozone"], "quantity": row["quantity"], "reserved": row["reserved"]} for row in levels]


def _level_row(product: ProductDocument, position: int, level: StockLevel) -> Row:
    return {
        "product_id": product["_id"],
        "geozone": level["geozone"],
        "position": position,
        "quantity": level["quantity"],
        "reserved": level.get("reserved", 0),
        "version": product["version"],
    }
