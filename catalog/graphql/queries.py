"""Queries of the catalog: describe the read, run it, translate."""

from dataclasses import replace
from typing import Annotated

import strawberry
from strawberry.types import Info

from catalog.cassandra.cards import copied_card_by_id, copied_cards, copied_stock
from catalog.cassandra.pages import copied_page, refuse_search
from catalog.documents import ProductDocument
from catalog.graphql.arguments import (
    UNKNOWN_CATEGORY,
    ProductFilter,
    ProductSort,
    check_geozone,
    ranges_by,
    slice_asked,
    sort_by,
    text_searched,
    wanted_by,
)
from catalog.graphql.connection import ProductConnection
from catalog.graphql.suggestions import Suggestions, suggestions
from catalog.graphql.types import Category, Geozone, Product, Stock, product_fields, product_key, stock_levels
from catalog.listing.pages import page
from catalog.listing.ranges import values_between
from catalog.listing.searches import Found, search
from catalog.products.cards import ProductKey, card_by_id, cards, stock_of
from catalog.search.current import current_lexicon
from catalog.search.miss_counter import MISSED
from catalog.search.misses import Outcome
from catalog.search.readings import readings
from catalog.structure.attributes import declared_within
from catalog.structure.category_tree import CATEGORIES, CategoryTree, is_shown
from catalog.structure.geozones import geozones_shown
from gateway.domain.texts import Text
from gateway.fallback import served
from gateway.graphql.context import RequestContext
from gateway.graphql.inputs import BadInput, NotFound
from gateway.graphql.relay.connections import AfterAsked, BeforeAsked, FirstAsked, LastAsked, page_asked
from gateway.graphql.relay.ids import MAX_PART
from gateway.mongo.reads import run_steps_async

ONE_OF_IDS = Text("Укажите ровно одно: id или productId.", "Give exactly one of id and productId.")
UNKNOWN_PRODUCT = Text("Такого товара нет.", "There is no such product.")

NO_FILTER = ProductFilter()
Filter = Annotated[
    ProductFilter, strawberry.argument(name="filter", description="What products must have; left out, all of them.")
]


@strawberry.type
class CatalogQuery:
    @strawberry.field(description="The regions with a stock of their own, to let the buyer choose.")
    async def geozones(self) -> list[Geozone]:
        return [Geozone(code=zone.code, name=zone.name) for zone in await geozones_shown()]

    @strawberry.field(description="The roots, or the children of one category.")
    async def categories(
        self,
        parent: Annotated[
            str | None, strawberry.argument(description="Slug of a category; left out, the roots.")
        ] = None,
    ) -> list[Category]:
        tree = (await _tree(parent)).shown
        if parent is not None and tree.get(parent) is None:
            raise BadInput(UNKNOWN_CATEGORY, category=parent[:MAX_PART])
        return [Category(category=node, tree=tree) for node in tree.children(parent)]

    @strawberry.field(description="A category by its slug; null when there is none.")
    async def category(
        self, slug: Annotated[str, strawberry.argument(description='E.g. "smartphones".')]
    ) -> Category | None:
        tree = (await _tree(slug)).shown
        node = tree.get(slug)
        return Category(category=node, tree=tree) if node else None

    @strawberry.field(description="By global id, or by productId (then the directory of ids is asked first).")
    async def product(
        self,
        info: Info[RequestContext, None],
        id: Annotated[strawberry.ID | None, strawberry.argument(description="Product.id")] = None,  # noqa: A002 - the contract's name
        product_id: Annotated[
            str | None,
            strawberry.argument(description='Product.productId, e.g. "PROD-12345". Exactly one of id and productId.'),
        ] = None,
    ) -> Product | None:
        if (id is None) == (product_id is None):
            raise BadInput(ONE_OF_IDS)
        fields = product_fields(info)
        document = await (
            _card_by_id(product_id, fields) if product_id is not None else _card(product_key(id or ""), fields)
        )
        return Product(document=document) if document and await is_shown(document["category"]) else None

    @strawberry.field(
        description="The catalog, by pages. A category or words in the filter make it cheaper and more useful."
    )
    async def products(
        self,
        info: Info[RequestContext, None],
        given: Filter = NO_FILTER,
        sort: Annotated[ProductSort, strawberry.argument(description="In which order.")] = ProductSort.PRICE_ASC,
        first: FirstAsked = None,
        after: AfterAsked = None,
        last: LastAsked = None,
        before: BeforeAsked = None,
    ) -> ProductConnection:
        tree = await _tree(given.category)
        every_category = tuple(tree.shown.nodes)
        declared = declared_within(tree.shown, given.category)
        wanted, text = wanted_by(given, tree), text_searched(given)
        if ranges := ranges_by(given, declared):
            within = await values_between(ranges, wanted.categories, every_category=every_category, declared=declared)
            wanted = replace(wanted, attributes=(*wanted.attributes, *within))
        await check_geozone(given.geozone)
        order = sort_by(sort, searching=bool(text))
        part = slice_asked(page_asked(first, after, last, before), order)
        fields = product_fields(info)
        if not text:
            listed = await served(
                lambda: run_steps_async(page(wanted, order, part, every_category=every_category, fields=fields)),
                lambda: copied_page(wanted, order, part, every_category=every_category),
            )
            if not listed.placed:
                await check_geozone(given.in_stock_in)
            return ProductConnection(page=listed, sort=order, wanted=wanted, tree=tree, declared=declared)
        lexicon = await current_lexicon(tree.names_shown)
        found = await served(
            lambda: run_steps_async(
                search(wanted, readings(text, lexicon), order, part, every_category=every_category, fields=fields)
            ),
            refuse_search,
        )
        if not found.page.placed:
            await check_geozone(given.in_stock_in)
        if part.beyond is None:
            _note_miss(text, found)
        return ProductConnection(
            page=found.page, sort=order, wanted=found.wanted, tree=tree, declared=declared, reading=found.reading
        )

    @strawberry.field(
        description="For every keystroke: at most `first` (1 to 10) of each kind; nothing for a query without words. "
        "With a geozone, products that can be bought there."
    )
    async def suggest(
        self,
        info: Info[RequestContext, None],
        query: Annotated[str, strawberry.argument(description="What has been typed so far.")],
        geozone: Annotated[
            str | None, strawberry.argument(description="Code of the geozone where products can be bought.")
        ] = None,
        first: Annotated[int, strawberry.argument(description="How many of each kind, 1 to 10.")] = 6,
    ) -> Suggestions:
        return await suggestions(query, geozone, first, product_fields(info))

    @strawberry.field(description="Stock alone, fresher than the product page: for polling.")
    async def stock(
        self,
        product: Annotated[strawberry.ID, strawberry.argument(description="Product.id")],
        geozone: Annotated[
            str | None, strawberry.argument(description="Code of one geozone; left out, all of them.")
        ] = None,
    ) -> list[Stock]:
        key = product_key(product)
        found = await served(lambda: run_steps_async(stock_of(key)), lambda: copied_stock(key)) if key else None
        if found is None or not await is_shown(found.category):
            raise NotFound(UNKNOWN_PRODUCT)
        levels = stock_levels(found.levels, geozone)
        if not levels:
            await check_geozone(geozone)
        return levels


async def _tree(slug: str | None) -> CategoryTree:
    """The category tree, with the category asked for if there is one."""
    return await (CATEGORIES.get_async() if slug is None else CATEGORIES.knowing(slug))


def _note_miss(text: str, found: Found) -> None:
    """Count a search that did not find what was typed, for merchandisers."""
    reading = found.reading
    if not found.page.placed:
        MISSED.note(text, Outcome.NOTHING)
    elif reading.left_out:
        MISSED.note(text, Outcome.LEFT_OUT, " ".join(reading.left_out))
    elif reading.searched_for:
        MISSED.note(text, Outcome.CORRECTED, reading.searched_for)


async def _card_by_id(product_id: str, fields: tuple[str, ...]) -> ProductDocument | None:
    if not 0 < len(product_id) <= MAX_PART:
        return None
    return await served(lambda: run_steps_async(card_by_id(product_id, fields)), lambda: copied_card_by_id(product_id))


async def _card(key: ProductKey | None, fields: tuple[str, ...]) -> ProductDocument | None:
    if key is None:
        return None
    return (await served(lambda: run_steps_async(cards([key], fields)), lambda: copied_cards([key])))[0]
