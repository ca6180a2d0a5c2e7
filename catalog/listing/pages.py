"""Pages of products: every sort, both directions, stable while products come, go and change their prices."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from enum import Enum
from functools import partial
from typing import Any

from catalog.documents import ProductDocument
from catalog.listing.filters import Walk, Wanted, walk_of, walks_by_relevance
from catalog.models import STANDING, Product
from gateway.mongo.policies import CATALOG_LIST
from gateway.mongo.reads import Aggregation, Read, Steps, count_up_to
from gateway.paging import Page, Placed, Position, Slice, SortKey, page_of, ranges_beyond, reading_order

PRODUCTS = Product._meta.db_table

COUNT_LIMIT = 10_000


class Sort(Enum):
    PRICE_ASC = SortKey("price", 1)
    PRICE_DESC = SortKey("price", -1)
    NEWEST = SortKey("created_at", -1)
    NAME = SortKey("sort_name", 1)
    RELEVANCE = SortKey("standing", -1)
    """By rank, then what is bought and what is new; the value of a position is both."""


# For those who walk an index that knows no standing.
RANKED_BY_ID = SortKey("_id", 1)
# More than any standing: rank and standing make one number, of fifteen digits at most.
RANK = 60_000_000_000_000


def page(
    wanted: Wanted, sort: Sort, part: Slice, *, every_category: Sequence[str], fields: Sequence[str] | None = None
) -> Steps[Page[ProductDocument]]:
    """One more than asked is read, to know whether there are more. No fields: whole documents."""
    read = None if fields is None else tuple(dict.fromkeys((*fields, sort.value.field)))
    found: list[Placed[ProductDocument]] = []
    if not wanted.impossible:
        if sort is Sort.RELEVANCE:
            found = yield from by_rank(
                walks_by_relevance(wanted, by=STANDING), part, by=Sort.RELEVANCE.value, fields=read
            )
        else:
            found = yield by_field(wanted, sort.value, part, every_category=every_category, fields=read)
    return page_of(found, part)


def count(wanted: Wanted, *, every_category: Sequence[str]) -> Aggregation[int | None]:
    """Null beyond the limit: nobody turns four hundred pages, and counting a million costs a second."""
    walk = walk_of(wanted, "price", every_category=every_category)
    read = Read(
        collection=PRODUCTS,
        policy=CATALOG_LIST,
        where=walk.where(),
        hint=walk.index,
        result=lambda documents: documents,
    )
    return count_up_to(COUNT_LIMIT, read)


def by_field(
    wanted: Wanted,
    key: SortKey,
    part: Slice,
    *,
    every_category: Sequence[str],
    fields: tuple[str, ...] | None = None,
) -> Read[list[Placed[ProductDocument]]]:
    """Products for sale in the order of a field that has an index."""
    walk = walk_of(wanted, key.field, every_category=every_category)
    return read_part(walk, key, part, partial(_value, key.field), fields=fields)


def by_rank(
    walks: Sequence[Walk], part: Slice, *, by: SortKey = RANKED_BY_ID, fields: tuple[str, ...] | None = None
) -> Steps[list[Placed[ProductDocument]]]:
    """Walk after walk until the page is full: as many reads as there are walks at most, one as a rule."""
    ranks = list(enumerate(walks))
    found: list[Placed[ProductDocument]] = []
    beyond = part.beyond
    last, within_last = divmod(beyond.value, RANK) if beyond else (0, 0)
    for rank, walk in reversed(ranks) if part.backward else ranks:
        if beyond and (rank > last if part.backward else rank < last):
            continue
        within = Position(within_last, beyond.id) if beyond and rank == last else None
        rest = replace(part, size=part.size - len(found), beyond=within)
        found += yield read_part(walk, by, rest, partial(_ranked, rank, by.field), fields=fields)
        if len(found) > part.size:
            break
    return found


def _value(field: str, product: Mapping[str, Any]) -> Any:
    return product[field]


def _ranked(rank: int, field: str, product: Mapping[str, Any]) -> int:
    return rank * RANK + (product.get(field, 0) if field != "_id" else 0)


def read_part(
    walk: Walk,
    key: SortKey,
    part: Slice,
    value: Callable[[Mapping[str, Any]], Any],
    *,
    fields: tuple[str, ...] | None = None,
) -> Read[list[Placed[ProductDocument]]]:
    """This part of what the walk finds, and one more; `value` is where a product stands in the sort."""

    def placed(products: Sequence[ProductDocument]) -> list[Placed[ProductDocument]]:
        return [Placed(each, Position(value(each), each["_id"])) for each in products]

    return Read(
        collection=PRODUCTS,
        policy=CATALOG_LIST,
        where=walk.where(ranges_beyond(key, part)),
        fields=fields,
        sort=reading_order(key, part),
        limit=part.size + 1,
        hint=walk.index,
        result=placed,
    )
