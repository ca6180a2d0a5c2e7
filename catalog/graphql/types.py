"""GraphQL types of the catalog: each holds a raw document or a plain value, each resolver is a function of it."""

from datetime import datetime

import strawberry

from catalog.documents import ProductDocument, StockLevel
from catalog.products.cards import ProductKey
from catalog.products.derived import discount_percent
from catalog.structure.category_tree import CATEGORIES, CategoryNode, CategoryTree
from gateway.graphql.money import Money, rubles
from gateway.graphql.relay.ids import global_id, key_of
from gateway.graphql.relay.node import Node


@strawberry.type
class Geozone:
    code: str
    name: str


@strawberry.type
class Category(Node):
    category: strawberry.Private[CategoryNode]
    tree: strawberry.Private[CategoryTree]

    @strawberry.field
    def id(self) -> strawberry.ID:
        return global_id("Category", self.category.slug)

    @strawberry.field
    def slug(self) -> str:
        return self.category.slug

    @strawberry.field
    def name(self) -> str:
        return self.category.name

    @strawberry.field(description="From the root down to the parent: breadcrumbs.")
    def ancestors(self) -> list["Category"]:
        return [Category(category=node, tree=self.tree) for node in self.tree.ancestors(self.category)]

    @strawberry.field
    def children(self) -> list["Category"]:
        return [Category(category=node, tree=self.tree) for node in self.tree.children(self.category.slug)]


@strawberry.type
class Attribute:
    name: str
    value: str


@strawberry.type
class Image:
    url: str
    alt: str


@strawberry.type
class Stock:
    geozone: str
    available: int


def stock_levels(levels: list[StockLevel], geozone: str | None) -> list[Stock]:
    return [
        Stock(geozone=level["geozone"], available=max(0, level["quantity"] - level.get("reserved", 0)))
        for level in levels
        if geozone is None or level["geozone"] == geozone
    ]


@strawberry.type
class Product(Node):
    document: strawberry.Private[ProductDocument]

    @strawberry.field(description="Opaque; carries the shard key, so that node(id:) and product(id:) reach one shard.")
    def id(self) -> strawberry.ID:
        return global_id("Product", self.document["category"], self.document["_id"])

    @strawberry.field(description='The id in the shop\'s product information system, e.g. "PROD-12345".')
    def product_id(self) -> str:
        return self.document["_id"]

    @strawberry.field
    def name(self) -> str:
        return self.document["name"]

    @strawberry.field
    def description(self) -> str:
        return self.document.get("description") or ""

    @strawberry.field
    async def category(self) -> Category:
        tree = (await CATEGORIES.get_async()).shown
        slug = self.document["category"]
        # A category younger than what this process remembers of the tree.
        return Category(category=tree.get(slug) or CategoryNode(slug, slug, ()), tree=tree)

    @strawberry.field(description="What the buyer pays now.")
    def price(self) -> Money:
        return rubles(self.document["price"].to_decimal())

    @strawberry.field(description="Before the discount; equal to price when there is none.")
    def base_price(self) -> Money:
        return rubles(self.document["prices"]["base"].to_decimal())

    @strawberry.field
    def discount_percent(self) -> int:
        return discount_percent(self.document["prices"]["base"].to_decimal(), self.document["price"].to_decimal())

    @strawberry.field
    def attributes(self) -> list[Attribute]:
        return [Attribute(name=name, value=value) for name, value in (self.document.get("attributes") or {}).items()]

    @strawberry.field
    def images(self) -> list[Image]:
        images = self.document.get("images") or []
        return [Image(url=image["url"], alt=image.get("alt") or "") for image in images]

    @strawberry.field(description="All geozones, or the one asked for. As fresh as the read of the product itself.")
    def stock(self, geozone: str | None = None) -> list[Stock]:
        return stock_levels(self.document.get("stock") or [], geozone)

    @strawberry.field(
        description="Differs after every change, a sale too: what productUpsert takes as expectedVersion. Only whether "
        "it is the same means anything."
    )
    def version(self) -> str:
        return str(self.document["version"])

    @strawberry.field
    def created_at(self) -> datetime:
        return self.document["created_at"]

    @strawberry.field
    def updated_at(self) -> datetime:
        return self.document["updated_at"]


def product_key(id_: str) -> ProductKey | None:
    """The key in a Product's global id; None for any other text."""
    key = key_of("Product", id_, len(ProductKey._fields))
    return ProductKey(*key) if key else None
