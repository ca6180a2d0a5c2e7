"""A page of products, and what may be asked about all that match: each computed only when asked for."""

import asyncio
from collections.abc import Sequence
from decimal import Decimal
from functools import partial

import strawberry

from catalog.documents import ProductDocument
from catalog.graphql.arguments import cursor_of
from catalog.graphql.types import Category, Product
from catalog.listing import facets as matching
from catalog.listing import pages
from catalog.listing.facet_cache import remembered_facets
from catalog.listing.filters import Wanted
from catalog.listing.pages import Sort
from catalog.search.readings import Reading
from catalog.structure.attributes import CategoryAttribute
from catalog.structure.category_tree import CategoryTree
from gateway.domain.texts import Text
from gateway.fallback import is_degraded, note_degraded
from gateway.graphql.money import Money, rubles
from gateway.graphql.relay.connections import PageInfo, page_info_of
from gateway.mongo.outage import MongoUnavailable, NotServed
from gateway.mongo.reads import run_async
from gateway.paging import Page, Placed

NOT_COUNTED = Text(
    "Число товаров и границы цен временно недоступны, повторите чуть позже.",
    "The number of products and the range of prices are away for the moment, try again shortly.",
)


@strawberry.type(description="A product in a page.")
class ProductEdge:
    placed: strawberry.Private[Placed[ProductDocument]]
    sort: strawberry.Private[Sort]

    @strawberry.field(
        description=("Where this node stands in the list; give it as `after` or `before`. Good for the same sort only.")
    )
    def cursor(self) -> str:
        return cursor_of(self.sort, self.placed.position)

    @strawberry.field(description="The product.")
    def node(self) -> Product:
        return Product(document=self.placed.document)


@strawberry.type(description="One value to narrow by: one checkbox.")
class FacetValue:
    value: str = strawberry.field(description="The value, as AttributeFilter.values takes it.")
    count: int = strawberry.field(description="How many products have it.")


@strawberry.type(description="An attribute by which what was found can be narrowed: one block of checkboxes.")
class Facet:
    name: str = strawberry.field(description="The attribute, as AttributeFilter.name takes it.")
    values: list[FacetValue] = strawberry.field(
        description="Its values among what was found: of a declared number from the smallest, of a declared choice in "
        "its order; else by count."
    )
    unit: str | None = strawberry.field(
        description="E.g. «дюймов»: that of min and max; null when it has none. Values are as they are stored."
    )
    min: Decimal | None = strawberry.field(description="The least of a numeric attribute; null otherwise.")
    max: Decimal | None = strawberry.field(description="The greatest of a numeric attribute; null otherwise.")


@strawberry.type(description="A category, and how much of what was found is in it.")
class CategoryCount:
    category: Category = strawberry.field(description="A category that has products of its own among them.")
    count: int = strawberry.field(description="How many products.")


@strawberry.type(description="The ends of a slider of prices.")
class PriceRange:
    min: Money = strawberry.field(description="The lowest price.")
    max: Money = strawberry.field(description="The highest price.")


@strawberry.type(description="A page of products, and what can be asked about all that match.")
class ProductConnection:
    page: strawberry.Private[Page[ProductDocument]]
    sort: strawberry.Private[Sort]
    wanted: strawberry.Private[Wanted]
    tree: strawberry.Private[CategoryTree]
    declared: strawberry.Private[Sequence[CategoryAttribute]]
    reading: strawberry.Private[Reading | None] = None
    """How the search was read; None: nothing was searched for."""

    @strawberry.field(
        description="What was searched for instead, when the words as typed found nothing; null otherwise. "
        "The words as typed are still to be had in quotes."
    )
    def searched_for(self) -> str | None:
        return self.reading.searched_for if self.reading else None

    @strawberry.field(description="Words left out because nothing has all of them.")
    def left_out(self) -> list[str]:
        return list(self.reading.left_out) if self.reading else []

    @property
    def _every_category(self) -> tuple[str, ...]:
        return tuple(self.tree.shown.nodes)

    @strawberry.field(
        description="The nodes with a cursor each: what Relay and Apollo's relayStylePagination join pages by."
    )
    def edges(self) -> list[ProductEdge]:
        return [ProductEdge(placed=placed, sort=self.sort) for placed in self.page.placed]

    @strawberry.field(description="The nodes alone, for frontends that page by pageInfo.")
    def nodes(self) -> list[Product]:
        return [Product(document=product) for product in self.page.documents]

    @strawberry.field(description="Whether there is more in either direction, and the cursors to go on from.")
    def page_info(self) -> PageInfo:
        return page_info_of(self.page, partial(cursor_of, self.sort))

    @strawberry.field(description="Counted up to 10 000; null beyond. Costs extra: ask only when shown.")
    async def total_count(self) -> int | None:
        if self.wanted.impossible:
            return 0
        _refuse_if_degraded()
        return await run_async(pages.count(self.wanted, every_category=self._every_category))

    @strawberry.field(
        description="Attribute values with counts under the same filter, each facet ignoring its own selection. "
        "Costs extra."
    )
    async def facets(self) -> list[Facet]:
        # While MongoDB is away there are no filters to offer; an error here would take the page with it.
        if self.wanted.impossible or is_degraded():
            return []
        try:
            found = await remembered_facets(
                matching.facets(self.wanted, every_category=self._every_category, declared=self.declared)
            )
        except MongoUnavailable:
            note_degraded()
            return []
        return [_facet(each) for each in found]

    @strawberry.field(
        description="Categories of what was found, largest first, ignoring the category filter. Costs extra."
    )
    async def categories(self) -> list[CategoryCount]:
        if self.wanted.impossible or is_degraded():
            return []
        shown = self.tree.shown
        read = matching.categories_found(
            self.wanted, every_category=self._every_category, hidden=sorted(self.tree.hidden)
        )
        try:
            (counted,) = await remembered_facets(read)
        except MongoUnavailable:
            note_degraded()
            return []
        return [
            CategoryCount(category=Category(category=node, tree=shown), count=each.products)
            for each in counted.values
            if (node := shown.get(each.value))
        ]

    @strawberry.field(description="The cheapest and the dearest under the same filter, ignoring its price range.")
    async def price_range(self) -> PriceRange | None:
        if self.wanted.impossible:
            return None
        _refuse_if_degraded()
        cheapest, dearest = await asyncio.gather(
            run_async(matching.price_bound(self.wanted, 1, every_category=self._every_category)),
            run_async(matching.price_bound(self.wanted, -1, every_category=self._every_category)),
        )
        if cheapest is None or dearest is None:
            return None
        return PriceRange(min=rubles(cheapest), max=rubles(dearest))


def _facet(found: matching.Facet) -> Facet:
    return Facet(
        name=found.name,
        values=[FacetValue(value=each.value, count=each.products) for each in found.values],
        unit=found.unit,
        min=None if found.lowest is None else Decimal(found.lowest),
        max=None if found.highest is None else Decimal(found.highest),
    )


def _refuse_if_degraded() -> None:
    """The page came from Cassandra, which cannot count."""
    if is_degraded():
        raise NotServed(NOT_COUNTED)
