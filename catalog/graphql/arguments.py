"""The filter and the sorts of a list as callers give them, checked and turned into what the catalog reads by."""

from decimal import Decimal
from enum import Enum

import strawberry

from catalog.listing.filters import AnyOf, Wanted
from catalog.listing.pages import Sort
from catalog.search.query import MAX_QUERY
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
    geozone: str | None = strawberry.field(
        default=None, description="Where the buyer is: by RELEVANCE, what can be had there comes before what cannot."
    )
    attributes: list[AttributeFilter] | None = strawberry.field(
        default=None, description="What its attributes must be, at most 100 of them: facets that were ticked."
    )
    search: str | None = strawberry.field(
        default=None,
        description="Words of all that is told of a product, as people write them; misspelt ones are corrected when "
        'nothing is found, see ProductConnection.searchedFor. In quotes, "айфн", exactly as typed.',
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
    """The filter without its search, of which there may be several readings."""
    attributes = given.attributes or []
    _check_length("attributes", len(attributes))
    for attribute in attributes:
        _check_length("values", len(attribute.values))
    if given.search and len(given.search) > MAX_QUERY:
        raise BadInput(TOO_LONG, maximum=MAX_QUERY)
    categories = None if given.category is None else tree.shown.within(given.category)
    return Wanted(
        categories=categories,
        price_min=given.price.min if given.price else None,
        price_max=given.price.max if given.price else None,
        in_stock_in=given.in_stock_in,
        attributes=tuple(AnyOf(each.name, tuple(dict.fromkeys(each.values))) for each in attributes),
        near=given.geozone,
        hidden=tuple(sorted(tree.hidden)) if categories is None else (),
    )


def text_searched(given: ProductFilter) -> str:
    """What is searched for; empty: nothing is, and neither are blanks."""
    return (given.search or "").strip()


def sort_by(given: ProductSort, *, searching: bool) -> Sort:
    sort = Sort[given.name]
    if sort is Sort.RELEVANCE and not searching:
        raise BadInput(RELEVANCE_OF_WHAT)
    return sort


def slice_asked(asked: PageAsked, sort: Sort) -> Slice:
    return slice_of(asked, sort.name, _KINDS[sort])


def cursor_of(sort: Sort, position: Position) -> str:
    return cursor(sort.name, _KINDS[sort], *position)


def _check_length(argument: str, length: int) -> None:
    if length > MAX_LIST:
        raise BadInput(TOO_MANY, argument=argument, maximum=MAX_LIST, value=length)
