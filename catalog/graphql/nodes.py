"""How the catalog's global ids are found again."""

from collections.abc import Sequence

from strawberry.types import Info

from catalog.cassandra.cards import copied_cards
from catalog.graphql.types import Category, Product, product_fields
from catalog.products.cards import ProductKey, cards
from catalog.structure.category_tree import CATEGORIES
from gateway.fallback import served
from gateway.graphql.context import RequestContext
from gateway.graphql.relay.node import NODES, Key
from gateway.mongo.reads import run_steps_async


async def load_products(keys: Sequence[Key], info: Info[RequestContext, None]) -> list[Product | None]:
    wanted, fields = [ProductKey(*key) for key in keys], product_fields(info)
    found = await served(lambda: run_steps_async(cards(wanted, fields)), lambda: copied_cards(wanted))
    hidden = (await CATEGORIES.get_async()).hidden
    return [Product(document=each) if each and each["category"] not in hidden else None for each in found]


async def load_categories(keys: Sequence[Key], _: Info[RequestContext, None]) -> list[Category | None]:
    tree = (await CATEGORIES.get_async()).shown
    found = [tree.get(slug) for (slug,) in keys]
    return [Category(category=node, tree=tree) if node else None for node in found]


def register_nodes() -> None:
    NODES.register("Product", len(ProductKey._fields), load_products)
    NODES.register("Category", 1, load_categories)
