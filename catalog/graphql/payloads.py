"""What the mutations of the catalog take and answer."""

from decimal import Decimal

import strawberry

from catalog.graphql.types import Product
from catalog.products.drafts import AttributeDraft, ProductDraft, StockDraft
from catalog.products.upsert import Expected
from gateway.graphql.user_errors import MutationWarning, UserError


@strawberry.input(description="How many pieces there are in one geozone.")
class StockInput:
    geozone: str = strawberry.field(description='Code of a geozone, e.g. "msk"; see Query.geozones.')
    quantity: int = strawberry.field(description="Pieces, those reserved for unpaid orders included.")
    expected_quantity: int | None = strawberry.field(
        default=strawberry.UNSET,
        description="What was counted there, reserved pieces included, when this was decided. CONFLICT when it is "
        "another quantity by now, and nothing changes.",
    )


@strawberry.input(description="One property of a product.")
class AttributeInput:
    name: str = strawberry.field(description='What is said, e.g. "Цвет".')
    value: str = strawberry.field(description='What it is, e.g. "чёрный".')


@strawberry.input(description="A product as it should be.")
class ProductInput:
    product_id: str = strawberry.field(
        description='Its id in the product information system, e.g. "PROD-12345"; it says which product is meant.'
    )
    name: str = strawberry.field(description="What people read.")
    category: str = strawberry.field(description="Slug of a category without subcategories.")
    base_price: Decimal = strawberry.field(description='The price without a discount, e.g. "89990.00".')
    description: str = strawberry.field(default="", description="Plain text, with line breaks.")
    sale_price: Decimal | None = strawberry.field(
        default=strawberry.UNSET, description="The price with the discount; null for none."
    )
    attributes: list[AttributeInput] = strawberry.field(
        default_factory=list, description="Its properties; each name once."
    )
    stock: list[StockInput] | None = strawberry.field(
        default=strawberry.UNSET, description="Quantities in the geozones named; the others stay as they are."
    )

    def expected(self, version: str | None) -> Expected:
        quantities = {level.geozone: level.expected_quantity for level in self.stock or ()}
        given = {geozone: each for geozone, each in quantities.items() if isinstance(each, int)}
        return Expected(version, given)

    def draft(self) -> ProductDraft:
        return ProductDraft(
            product_id=self.product_id,
            name=self.name,
            category=self.category,
            description=self.description,
            base_price=self.base_price,
            sale_price=None if self.sale_price is strawberry.UNSET else self.sale_price,
            attributes=tuple(AttributeDraft(attribute.name, attribute.value) for attribute in self.attributes),
            stock=tuple(StockDraft(level.geozone, level.quantity) for level in self.stock) if self.stock else None,
        )


@strawberry.type(description="What a change of a product has led to.")
class ProductPayload:
    user_errors: list[UserError] = strawberry.field(
        description="Why nothing was done, for the person who asked; empty when it was done."
    )
    warnings: list[MutationWarning] = strawberry.field(
        default_factory=list, description="REPLAYED: an earlier request under the same key did it."
    )
    product: Product | None = strawberry.field(
        default=None, description="The product as it is now; null when nothing was done."
    )
