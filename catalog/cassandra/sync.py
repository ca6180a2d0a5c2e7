"""Products are kept in step with Cassandra. Their regional rows move with price, category and availability."""

from collections.abc import Iterator, Sequence

from catalog.cassandra.rows import Place, rows_of, writes_of, writes_of_table
from catalog.cassandra.tables import (
    ANYWHERE,
    INVENTORY_BY_PRODUCT_GEO,
    PRODUCT_BY_ID,
    PRODUCT_TABLES,
    PRODUCTS_CACHE_BY_REGION,
)
from catalog.documents import ProductDocument, RegionalPlace
from catalog.products.cards import PRODUCTS
from gateway.cassandra.partition_stats import choose_bucket
from gateway.cassandra.statements import Row, Select, Write
from gateway.cassandra.table import Table
from gateway.mongo.client import Expression
from gateway.sync.declarations import Synced


def _placed(product: ProductDocument) -> Expression:
    """Fields that add the right place to those where regional rows of the product may be; empty when it is the last.

    Written down before any row is, so that whoever syncs next knows every place.
    """
    if product["withdrawn"]:
        return {}
    places = product.get("places") or []
    last = places[-1] if places else None
    wanted = {
        "category": product["category"],
        "price": product["price"],
        "regions": [ANYWHERE, *sorted(product["available_in"])],
    }
    if last and {**wanted, "bucket": last["bucket"]} == last:
        return {}
    return {"places": [*places, {**wanted, "bucket": _bucket(product, last)}]}


def _bucket(product: ProductDocument, last: RegionalPlace | None) -> int:
    """The bucket of its regional rows: kept as long as its category stays, however many buckets there are by then."""
    if last and last["category"] == product["category"]:
        return last["bucket"]
    return choose_bucket(PRODUCTS_CACHE_BY_REGION, ANYWHERE, product["category"], identity=product["_id"])


def _writes(product: ProductDocument) -> Iterator[Write]:
    place, gone = _places(product)
    return writes_of(product, place, gone=gone)


def _writes_of_table(product: ProductDocument, table: Table) -> Iterator[Write]:
    place, gone = _places(product)
    return writes_of_table(product, place, table, gone=gone)


def _places(product: ProductDocument) -> tuple[Place | None, list[Place]]:
    """Where its regional rows belong, None for one that has been withdrawn, and where else there may be some."""
    places = [Place(**place) for place in product.get("places") or []]
    return (None, places) if product["withdrawn"] else (places[-1], places[:-1])


def _tidied(product: ProductDocument) -> Expression:
    """Fields that forget the other places, whose rows are gone."""
    places = product.get("places") or []
    right = [] if product["withdrawn"] else places[-1:]
    return {} if right == places else {"places": right}


def _rows(product: ProductDocument) -> Iterator[tuple[Table, Row]]:
    return rows_of(product, None if product["withdrawn"] else Place(**product["places"][-1]))


def _lookups(products: Sequence[ProductDocument]) -> list[list[tuple[Table, Select]]]:
    """For each product the reads of its card and all of its stock, also when it has been withdrawn."""
    return [
        [(table, table.select("product_id = ?", product["_id"])) for table in (PRODUCT_BY_ID, INVENTORY_BY_PRODUCT_GEO)]
        for product in products
    ]


SYNCED = Synced(
    collection=PRODUCTS,
    key=("category", "_id"),
    tables=PRODUCT_TABLES,
    writes=_writes,
    writes_of_table=_writes_of_table,
    placed=_placed,
    tidied=_tidied,
    rows=_rows,
    lookups=_lookups,
    walked=PRODUCT_TABLES,
    id_column="product_id",
    # What searches, lists and editors need: half of a document.
    unread=(
        *("sort_name", "shelf", "facets", "terms", "missing", "pictures", "discount"),
        *("low_at", "edited_at", "edited_by", "holds"),
    ),
)
