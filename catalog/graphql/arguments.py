"""The filter and the sorts of a list as callers give them, checked and turned into what the catalog reads by."""

from decimal import Decimal
from enum import Enum

import strawberry

from catalog.listing.filters import AnyOf, Wanted
from catalog.listing.pages import Sort
from catalog.search.query import MAX_QUERY, words_asked
from catalog.structure.category_tree import CategoryTree
from gateway.domain.texts import Text
from gateway.graphql.inputs import BadInput
from gateway.graphql.relay.connections import PageAsked, slice_of
from gateway.graphql.relay.cursors import MONEY, NUMBER, TEXT, TIME, Kind, cursor
from gateway.paging import Position, Slice

MAX_LIST = 100
TOO_MANY = Text("{argument}: не больше {maximum}, а не {value}.", "{argument}: at most {maximum}, not {value}.")
TOO_LONG = Text("Запрос длиннее {maximum} знаков.", "The search is longer than {maximum} characters.")
RELEVANCE_OF_WHAT = Text(
    "Сортировка RELEVANCE возможна только вместе с filter.search.", "Sort RELEVANCE needs filter.search."
)


@strawberry.input(description="From min to max, both included; either may be left out.")
class DecimalRange:
    min: Decimal | None = strawberry.field(default=None, description='The smallest that fits, e.g. "1000".')
    max: Decimal | None = strawberry.field(default=None, description='The largest that fits, e.g. "50000".')


@strawberry.input(description="Any of the values: OR. Several filters: AND.")
class AttributeFilter:
    name: str = strawberry.field(description="Attribute.name or Facet.name.")
    values: list[str] = strawberry.field(
        description="Values of that attribute, as FacetValue.value gives them; a product needs one of them."
    )


@strawberry.input(description="What a product must have; all of it together.")
class ProductFilter:
    category: str | None = strawberry.field(
        default=None, description="Slug; its subcategories included. Without it the query goes to every shard."
    )
    price: DecimalRange | None = strawberry.field(default=None, description="What the buyer pays now, in rubles.")
    in_stock_in: str | None = strawberry.field(
        default=None, description="Only products with something available in this geozone."
    )
    attributes: list[AttributeFilter] | None = strawberry.field(
        default=None, description="What its attributes must be, at most 100 of them: facets that were ticked."
    )
    search: str | None = strawberry.field(
        default=None, description="Words of the name and description, Russian and English word forms."
    )


@strawberry.enum(description="In which order products are listed. Pages are stable in each of them.")
class ProductSort(Enum):
    PRICE_ASC = strawberry.enum_value("PRICE_ASC", description="Cheapest first.")
    PRICE_DESC = strawberry.enum_value("PRICE_DESC", description="Dearest first.")
    NEWEST = strawberry.enum_value("NEWEST", description="Latest in the catalog first.")
    NAME = strawberry.enum_value("NAME", description="By name, from A on.")
    RELEVANCE = strawberry.enum_value("RELEVANCE", description="Only with search.")


_KINDS: dict[Sort, Kind] = {
    Sort.PRICE_ASC: MONEY,
    Sort.PRICE_DESC: MONEY,
    Sort.NEWEST: TIME,
    Sort.NAME: TEXT,
    Sort.RELEVANCE: NUMBER,
}


def wanted_by(given: ProductFilter, tree: CategoryTree) -> Wanted:
    attributes = given.attributes or []
    _check_length("attributes", len(attributes))
    for attribute in attributes:
        _check_length("values", len(attribute.values))
    if given.search and len(given.search) > MAX_QUERY:
        raise BadInput(TOO_LONG, maximum=MAX_QUERY)
    # Only blanks are no search; what has no words at all finds nothing, and says so by an empty category.
    searching = bool(given.search and given.search.strip())
    words = words_asked(given.search) if searching and given.search else ()
    categories = None if given.category is None else tree.shown.within(given.category)
    return Wanted(
        categories=() if searching and not words else categories,
        price_min=given.price.min if given.price else None,
        price_max=given.price.max if given.price else None,
        in_stock_in=given.in_stock_in,
        attributes=tuple(AnyOf(each.name, tuple(dict.fromkeys(each.values))) for each in attributes),
        words=words,
        hidden=tuple(sorted(tree.hidden)) if categories is None else (),
    )


def sort_by(given: ProductSort, wanted: Wanted) -> Sort:
    sort = Sort[given.name]
    if sort is Sort.RELEVANCE and not wanted.words and not wanted.impossible:
        raise BadInput(RELEVANCE_OF_WHAT)
    return sort


def slice_asked(asked: PageAsked, sort: Sort) -> Slice:
    return slice_of(asked, sort.name, _KINDS[sort])


def cursor_of(sort: Sort, position: Position) -> str:
    return cursor(sort.name, _KINDS[sort], *position)


def _check_length(argument: str, length: int) -> None:
    if length > MAX_LIST:
        raise BadInput(TOO_MANY, argument=argument, maximum=MAX_LIST, value=length)
