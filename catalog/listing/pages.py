"""Pages of products by key: every sort, both directions, stable while products come, go and change their prices.

A page continues after the values of its last product, never after a number of products. So whatever happens between
two pages, a product that did not move itself is seen exactly once.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import partial
from typing import Any, NamedTuple

from catalog.documents import ProductDocument
from catalog.listing.filters import Walk, Wanted, walk_of
from catalog.listing.relevance import ranked
from catalog.models import Product
from gateway.mongo.policies import CATALOG_LIST
from gateway.mongo.reads import Aggregation, Read, Steps, count_up_to

PRODUCTS = Product._meta.db_table

COUNT_LIMIT = 10_000


class Order(NamedTuple):
    field: str
    direction: int


class Sort(Enum):
    PRICE_ASC = Order("price", 1)
    PRICE_DESC = Order("price", -1)
    NEWEST = Order("created_at", -1)
    NAME = Order("sort_name", 1)
    RELEVANCE = Order("_id", 1)
    """By rank (catalog/listing/relevance.py), then by id."""


class Position(NamedTuple):
    """Where a product stands in a sort: its value there (its rank, when by relevance) and its id."""

    value: Any
    id: str


@dataclass(frozen=True, slots=True)
class Slice:
    """Which part: `size` products after a position, or before it."""

    size: int
    backward: bool = False
    beyond: Position | None = None


class Placed(NamedTuple):
    document: ProductDocument
    position: Position


@dataclass(frozen=True, slots=True)
class Page:
    products: list[Placed]
    has_next: bool
    has_previous: bool


def page(wanted: Wanted, sort: Sort, part: Slice, *, every_category: Sequence[str]) -> Steps[Page]:
    """One more than asked is read, to know whether there are more."""
    found: list[Placed] = []
    if not wanted.impossible:
        if sort is Sort.RELEVANCE:
            found = yield from _by_relevance(wanted, part)
        else:
            found = yield _by_field(wanted, sort, part, every_category)
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


def _by_field(wanted: Wanted, sort: Sort, part: Slice, every_category: Sequence[str]) -> Read[list[Placed]]:
    order = sort.value
    walk = walk_of(wanted, order.field, every_category=every_category)
    return _read(walk, order, part, lambda document: document[order.field])


def _by_relevance(wanted: Wanted, part: Slice) -> Steps[list[Placed]]:
    """Rank after rank until the page is full: three reads at most, and one as a rule."""
    ranks = list(enumerate(ranked(wanted)))
    found: list[Placed] = []
    beyond = part.beyond
    for rank, walk in reversed(ranks) if part.backward else ranks:
        if beyond and (rank > beyond.value if part.backward else rank < beyond.value):
            continue
        within = beyond if beyond and rank == beyond.value else None
        rest = Slice(part.size - len(found), part.backward, within)
        found += yield _read(walk, Sort.RELEVANCE.value, rest, partial(_constant, rank))
        if len(found) > part.size:
            break
    return found


def _constant(rank: int, _: ProductDocument) -> int:
    return rank


def _read(walk: Walk, order: Order, part: Slice, value: Callable[[Any], Any]) -> Read[list[Placed]]:
    direction = -order.direction if part.backward else order.direction
    keys = (order.field, "_id") if order.field != "_id" else ("_id",)
    return Read(
        collection=PRODUCTS,
        policy=CATALOG_LIST,
        where=walk.where(_beyond(order.field, direction, part.beyond)) if part.beyond else walk.where(),
        sort=tuple((key, direction) for key in keys),
        limit=part.size + 1,
        hint=walk.index,
        result=lambda documents: [Placed(each, Position(value(each), each["_id"])) for each in documents],
    )


def _beyond(field: str, direction: int, position: Position) -> list[dict[str, Any]]:
    """Equal values with a further id, and further values."""
    further = "$gt" if direction > 0 else "$lt"
    further_id = {"_id": {further: position.id}}
    if field == "_id":
        return [further_id]
    return [{field: position.value, **further_id}, {field: {further: position.value}}]


def page_of(found: list[Placed], part: Slice) -> Page:
    """Of what was found in the order of the walk, one more than asked if there is more."""
    more = len(found) > part.size
    products = found[: part.size]
    if part.backward:
        return Page(products[::-1], has_next=part.beyond is not None, has_previous=more)
    return Page(products, has_next=more, has_previous=part.beyond is not None)
