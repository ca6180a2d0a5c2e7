"""What runs out: products for sale of which nothing, or little, is left in a geozone, category by category.

One walk of one index, which holds nothing else, in the order in which somebody orders goods: by category.
"""

from collections.abc import Sequence

from catalog.documents import ProductDocument
from catalog.listing.routes import Shelf
from catalog.models import LOW_ON_SALE, ON_SALE
from catalog.products.cards import PRODUCTS
from catalog.products.derived import shelf_mark
from gateway.mongo.client import Expression
from gateway.mongo.policies import STAFF_LIST
from gateway.mongo.reads import Aggregation, Read, count_up_to
from gateway.paging import Page, Placed, Position, Slice, SortKey, page_of, reading_order

ORDER = SortKey("category", 1)
FIELDS = ("category", "name", "stock", "shelf", "low_at", "images")


def low_stock(shelf: Shelf, part: Slice, within: Sequence[str] | None = None) -> Read[Page[ProductDocument]]:
    """A page by category and id. `within`: of these categories, from their shards; None: of all, from every shard."""
    ranges = [{"shelf": shelf_mark(*_mark(shelf)), **ON_SALE, **each} for each in _ranges(part, within)]

    def page(documents: Sequence[ProductDocument]) -> Page[ProductDocument]:
        return page_of([Placed(each, Position(each["category"], each["_id"])) for each in documents], part)

    return Read(
        collection=PRODUCTS,
        policy=STAFF_LIST,
        where=ranges[0] if len(ranges) == 1 else {"$or": ranges},
        fields=FIELDS,
        sort=reading_order(ORDER, part),
        limit=part.size + 1,
        hint=LOW_ON_SALE.name,
        result=page,
    )


def count_low_stock(shelf: Shelf, limit: int, within: Sequence[str] | None = None) -> Aggregation[int | None]:
    """How many there are, by the keys of the index alone; None beyond the limit."""
    (everything,) = _ranges(Slice(1), within)
    where = {"shelf": shelf_mark(*_mark(shelf)), **ON_SALE, **everything}
    return count_up_to(
        limit,
        Read(collection=PRODUCTS, policy=STAFF_LIST, where=where, hint=LOW_ON_SALE.name, result=list),
    )


def _mark(shelf: Shelf) -> tuple[str, str]:
    return shelf.geozone, shelf.level.value


def _ranges(part: Slice, within: Sequence[str] | None) -> list[Expression]:
    """Filters of which one holds for what is beyond: the rest of the category, and the further categories."""
    if part.beyond is None:
        return [{}] if within is None else [{"category": {"$in": sorted(within)}}]
    category, further = part.beyond.value, "$lt" if part.backward else "$gt"
    rest = {"category": category, "_id": {further: part.beyond.id}}
    if within is None:
        return [rest, {"category": {further: category}}]
    others = sorted(each for each in within if (each < category if part.backward else each > category))
    return [rest, {"category": {"$in": others}}]
