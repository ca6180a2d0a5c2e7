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


@strawberry.type
class ProductEdge:
    placed: strawberry.Private[Placed[ProductDocument]]
    sort: strawberry.Private[Sort]

    @strawberry.field
    def cursor(self) -> str:
        return cursor_of(self.sort, self.placed.position)

    @strawberry.field
    def node(self) -> Product:
        return Product(document=self.placed.document)


@strawberry.type
class FacetValue:
    value: str
    count: int


@strawberry.type
class Facet:
    name: str
    values: list[FacetValue]


@strawberry.type
class PriceRange:
    min: Money
    max: Money


@strawberry.type
class ProductConnection:
    page: strawberry.Private[Page[ProductDocument]]
    sort: strawberry.Private[Sort]
    wanted: strawberry.Private[Wanted]
    every_category: strawberry.Private[tuple[str, ...]]

    @strawberry.field
    def edges(self) -> list[ProductEdge]:
        return [ProductEdge(placed=placed, sort=self.sort) for placed in self.page.placed]

    @strawberry.field
    def nodes(self) -> list[Product]:
        return [Product(document=product) for product in self.page.documents]

    @strawberry.field
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
