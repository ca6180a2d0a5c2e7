"""A page of products, and what may be asked about all that match: each computed only when asked for."""

import asyncio
from functools import partial

import strawberry

from catalog.documents import ProductDocument
from catalog.graphql.arguments import cursor_of
from catalog.graphql.types import Product
from catalog.listing import facets as matching
from catalog.listing import pages
from catalog.listing.facet_cache import remembered_facets
from catalog.listing.filters import Wanted
from catalog.listing.pages import Sort
from catalog.search.readings import Reading
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
    values: list[FacetValue] = strawberry.field(description="Its values among what was found.")


@strawberry.type(description="The ends of a slider of prices.")
class PriceRange:
    min: Money = strawberry.field(description="The lowest price.")
    max: Money = strawberry.field(description="The highest price.")


@strawberry.type(description="A page of products, and what can be asked about all that match.")
class ProductConnection:
    page: strawberry.Private[Page[ProductDocument]]
    sort: strawberry.Private[Sort]
    wanted: strawberry.Private[Wanted]
    every_category: strawberry.Private[tuple[str, ...]]
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
        return await run_async(pages.count(self.wanted, every_category=self.every_category))

    @strawberry.field(
        description="Attribute values with counts under the same filter, each facet ignoring its own selection. "
        "Costs extra."
    )
    async def facets(self) -> list[Facet]:
        # While MongoDB is away there are no filters to offer; an error here would take the page with it.
        if self.wanted.impossible or is_degraded():
            return []
        try:
            found = await remembered_facets(matching.facets(self.wanted, every_category=self.every_category))
        except MongoUnavailable:
            note_degraded()
            return []
        return [
            Facet(name=facet.name, values=[FacetValue(value=each.value, count=each.products) for each in facet.values])
            for facet in found
        ]

    @strawberry.field(description="The cheapest and the dearest under the same filter, ignoring its price range.")
    async def price_range(self) -> PriceRange | None:
        if self.wanted.impossible:
            return None
        _refuse_if_degraded()
        cheapest, dearest = await asyncio.gather(
            run_async(matching.price_bound(self.wanted, 1, every_category=self.every_category)),
            run_async(matching.price_bound(self.wanted, -1, every_category=self.every_category)),
        )
        if cheapest is None or dearest is None:
            return None
        return PriceRange(min=rubles(cheapest), max=rubles(dearest))


def _refuse_if_degraded() -> None:
    """The page came from Cassandra, which cannot count."""
    if is_degraded():
        raise NotServed(NOT_COUNTED)
