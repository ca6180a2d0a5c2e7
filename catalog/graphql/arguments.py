"""The filter and the sorts of a list as callers give them, checked and turned into what the catalog reads by."""

from collections.abc import Sequence
from decimal import Decimal
from enum import Enum

import strawberry

from catalog.listing.filters import AnyOf, Wanted
from catalog.listing.pages import Sort
from catalog.listing.ranges import Between
from catalog.search.query import MAX_QUERY
from catalog.structure.attributes import AttributeType, CategoryAttribute
from catalog.structure.category_tree import CategoryTree
from catalog.structure.geozones import geozones_shown
from gateway.domain.texts import Text
from gateway.graphql.inputs import BadInput
from gateway.graphql.relay.connections import PageAsked, slice_of
from gateway.graphql.relay.cursors import MONEY, NUMBER, TEXT, TIME, Kind, cursor
from gateway.graphql.relay.ids import MAX_PART
from gateway.paging import Position, Slice

MAX_LIST = 100
TOO_MANY = Text("{argument}: не больше {maximum}, а не {value}.", "{argument}: at most {maximum}, not {value}.")
UNKNOWN_CATEGORY = Text("Категории «{category}» нет.", 'There is no category "{category}".')
UNKNOWN_GEOZONE = Text("Геозоны «{geozone}» нет.", 'There is no geozone "{geozone}".')
UPSIDE_DOWN = Text("{argument}: min {low} больше, чем max {high}.", "{argument}: min {low} is greater than max {high}.")
NOT_NUMERIC = Text(
    "Характеристика «{name}» — не число: вместо min и max укажите values.",
    'The attribute "{name}" is no number: give values instead of min and max.',
)
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
        default_factory=list,
        description="Values of that attribute, as FacetValue.value gives them; a product needs one of them. Beside min "
        "or max: those of them within.",
    )
    min: Decimal | None = strawberry.field(
        default=None,
        description="Of a numeric attribute; then values may be empty. In Facet.unit, both bounds included.",
    )
    max: Decimal | None = strawberry.field(default=None, description="The largest that fits, as min.")


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
    on_sale: bool | None = strawberry.field(
        default=None, description="Only products with a discount; false is as good as nothing."
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
    if given.category is not None and tree.shown.get(given.category) is None:
        raise BadInput(UNKNOWN_CATEGORY, category=given.category[:MAX_PART])
    categories = None if given.category is None else tree.shown.within(given.category)
    if given.price:
        _check_bounds("price", given.price.min, given.price.max)
    return Wanted(
        categories=categories,
        price_min=given.price.min if given.price else None,
        price_max=given.price.max if given.price else None,
        in_stock_in=given.in_stock_in,
        discounted=bool(given.on_sale),
        attributes=tuple(
            AnyOf(each.name, tuple(dict.fromkeys(each.values))) for each in attributes if not _is_range(each)
        ),
        near=given.geozone,
        hidden=tuple(sorted(tree.hidden)) if categories is None else (),
    )


def ranges_by(given: ProductFilter, declared: Sequence[CategoryAttribute]) -> list[Between]:
    """The numeric ranges among the filters by attribute."""
    ranges = [each for each in given.attributes or () if _is_range(each)]
    types = {each.name: each.type for each in declared}
    for each in ranges:
        if types.get(each.name, AttributeType.NUMBER) is not AttributeType.NUMBER:
            raise BadInput(NOT_NUMERIC, name=each.name)
        _check_bounds(each.name, each.min, each.max)
    return [Between(each.name, each.min, each.max, tuple(each.values)) for each in ranges]


async def check_geozone(geozone: str | None) -> None:
    """Refuse a geozone that there is not: it would look as if everything were sold out there.

    One read: whoever filters by a geozone asks only where nothing was found.
    """
    if geozone is not None and geozone not in {zone.code for zone in await geozones_shown()}:
        raise BadInput(UNKNOWN_GEOZONE, geozone=geozone[:MAX_PART])


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


def _is_range(given: AttributeFilter) -> bool:
    return given.min is not None or given.max is not None


def _check_bounds(argument: str, low: Decimal | None, high: Decimal | None) -> None:
    if low is not None and high is not None and low > high:
        raise BadInput(UPSIDE_DOWN, argument=argument, low=low, high=high)


def _check_length(argument: str, length: int) -> None:
    if length > MAX_LIST:
        raise BadInput(TOO_MANY, argument=argument, maximum=MAX_LIST, value=length)
