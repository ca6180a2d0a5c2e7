"""GraphQL types of the catalog: each holds a raw document or a plain value, each resolver is a function of it."""

from datetime import datetime
from typing import Annotated

import strawberry
from strawberry.types import Info

from catalog.documents import ProductDocument, StockLevel
from catalog.pictures.addresses import public_address
from catalog.products.cards import FIELDS_ALWAYS, FIELDS_SHOWN, ProductKey
from catalog.products.derived import discount_percent
from catalog.structure.category_tree import CATEGORIES, CategoryNode, CategoryTree
from gateway.domain.money import exact
from gateway.domain.texts import Text
from gateway.graphql.context import RequestContext
from gateway.graphql.inputs import BadInput
from gateway.graphql.money import Money, stored_rubles
from gateway.graphql.projection import parts_asked, reads
from gateway.graphql.relay.ids import global_id, key_of
from gateway.graphql.relay.node import Node

NO_WIDTH = Text("width должно быть больше нуля, а не {width}.", "width must be above zero, not {width}.")


@strawberry.type(description="A region with a stock of its own.")
class Geozone:
    code: str = strawberry.field(description='How other fields and arguments name it, e.g. "msk".')
    name: str = strawberry.field(description='What people read, e.g. "Москва".')


@strawberry.type(
    description="A shelf of the catalog. Categories form a tree; products lie in those without subcategories."
)
class Category(Node):
    category: strawberry.Private[CategoryNode]
    tree: strawberry.Private[CategoryTree]

    @strawberry.field(description="Good for node(id:). For links in a storefront the slug reads better.")
    def id(self) -> strawberry.ID:
        return global_id("Category", self.category.slug)

    @strawberry.field(description='The name in addresses and filters, e.g. "smartphones"; it never changes.')
    def slug(self) -> str:
        return self.category.slug

    @strawberry.field(description='What people read, e.g. "Смартфоны".')
    def name(self) -> str:
        return self.category.name

    @strawberry.field(description="From the root down to the parent: breadcrumbs.")
    def ancestors(self) -> list["Category"]:
        return [Category(category=node, tree=self.tree) for node in self.tree.ancestors(self.category)]

    @strawberry.field(
        description="Its subcategories, in the order in which the shop shows them; empty for a shelf of products."
    )
    def children(self) -> list["Category"]:
        return [Category(category=node, tree=self.tree) for node in self.tree.children(self.category.slug)]


@strawberry.type(description="One property of a product, as the merchandiser wrote it.")
class Attribute:
    name: str = strawberry.field(description='What is said, e.g. "Цвет".')
    value: str = strawberry.field(description='What it is, with its unit if it has one, e.g. "чёрный".')


@strawberry.type(description="A picture of a product.")
class Image:
    address: strawberry.Private[str]
    alt: str = strawberry.field(description="What is to be seen, for people who do not see it; may be empty.")

    @strawberry.field(description="Where the picture is, absolute; usable as the src of an img.")
    def url(
        self,
        width: Annotated[
            int | None,
            strawberry.argument(
                description="In pixels: the smallest thumbnail at least so wide; the picture itself when none is, and "
                "when it was not uploaded here."
            ),
        ] = None,
    ) -> str:
        if width is not None and width < 1:
            raise BadInput(NO_WIDTH, width=width)
        return public_address(self.address, width)


@strawberry.type(description="How many pieces of a product can be had in one geozone.")
class Stock:
    geozone: str = strawberry.field(description='Code of the geozone, e.g. "msk".')
    available: int = strawberry.field(
        description="Pieces that can be ordered now: what is there less what is reserved. Never below 0."
    )


def stock_levels(levels: list[StockLevel], geozone: str | None) -> list[Stock]:
    return [
        Stock(geozone=level["geozone"], available=max(0, level["quantity"] - level.get("reserved", 0)))
        for level in levels
        if geozone is None or level["geozone"] == geozone
    ]


@strawberry.type(description="Something on sale.")
class Product(Node):
    document: strawberry.Private[ProductDocument]

    @strawberry.field(
        description="Opaque; carries the shard key, so that node(id:) and product(id:) reach one shard.",
        metadata=reads(),
    )
    def id(self) -> strawberry.ID:
        return global_id("Product", self.document["category"], self.document["_id"])

    @strawberry.field(
        description='The id in the shop\'s product information system, e.g. "PROD-12345".', metadata=reads()
    )
    def product_id(self) -> str:
        return self.document["_id"]

    @strawberry.field(metadata=reads("name"), description="What people read.")
    def name(self) -> str:
        return self.document["name"]

    @strawberry.field(metadata=reads("description"), description="Plain text, with line breaks; may be empty.")
    def description(self) -> str:
        return self.document.get("description") or ""

    @strawberry.field(metadata=reads(), description="The shelf it lies on; its ancestors are the breadcrumbs.")
    async def category(self) -> Category:
        tree = (await CATEGORIES.get_async()).shown
        slug = self.document["category"]
        # A category younger than what this process remembers of the tree.
        return Category(category=tree.get(slug) or CategoryNode(slug, slug, ()), tree=tree)

    @strawberry.field(description="What the buyer pays now.", metadata=reads("price"))
    def price(self) -> Money:
        return stored_rubles(self.document["price"])

    @strawberry.field(description="Before the discount; equal to price when there is none.", metadata=reads("prices"))
    def base_price(self) -> Money:
        return stored_rubles(self.document["prices"]["base"])

    @strawberry.field(
        metadata=reads("price", "prices"),
        description="How much cheaper than basePrice it is, in whole percent; 0 without a discount.",
    )
    def discount_percent(self) -> int:
        base, price = self.document["prices"]["base"], self.document["price"]
        return 0 if base.bid == price.bid else discount_percent(exact(base), exact(price))

    @strawberry.field(metadata=reads("attributes"), description="Its properties, in the order in which they are shown.")
    def attributes(self) -> list[Attribute]:
        return [Attribute(name=name, value=value) for name, value in (self.document.get("attributes") or {}).items()]

    @strawberry.field(metadata=reads("images"), description="Its pictures, the main one first; may be empty.")
    def images(self) -> list[Image]:
        images = self.document.get("images") or []
        return [Image(address=image["url"], alt=image.get("alt") or "") for image in images]

    @strawberry.field(
        description="All geozones, or the one asked for. As fresh as the read of the product itself.",
        metadata=reads("stock"),
    )
    def stock(
        self,
        geozone: Annotated[
            str | None, strawberry.argument(description="Code of one geozone; left out, all of them.")
        ] = None,
    ) -> list[Stock]:
        return stock_levels(self.document.get("stock") or [], geozone)

    @strawberry.field(
        description="Differs after every change, a sale too: what productUpsert takes as expectedVersion. Only whether "
        "it is the same means anything.",
        metadata=reads("version"),
    )
    def version(self) -> str:
        return str(self.document["version"])

    @strawberry.field(metadata=reads("created_at"), description="When it came into the catalog, in UTC.")
    def created_at(self) -> datetime:
        return self.document["created_at"]

    @strawberry.field(metadata=reads("updated_at"), description="When it last changed, in UTC.")
    def updated_at(self) -> datetime:
        return self.document["updated_at"]


def product_fields(info: Info[RequestContext, None]) -> tuple[str, ...]:
    """The fields of products that are read for what is asked for below this field."""
    return parts_asked(info, Product.__name__, FIELDS_ALWAYS) or FIELDS_SHOWN


def product_key(id_: str) -> ProductKey | None:
    """The key in a Product's global id; None for any other text."""
    key = key_of("Product", id_, len(ProductKey._fields))
    return ProductKey(*key) if key else None
