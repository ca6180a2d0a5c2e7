"""What the mutations of the catalog take and answer."""

from decimal import Decimal

import strawberry

from catalog.graphql.types import Product
from catalog.products.drafts import AttributeDraft, ProductDraft, StockDraft
from catalog.products.upsert import Expected
from gateway.graphql.user_errors import MutationWarning, UserError


@strawberry.input
class StockInput:
    geozone: str
    quantity: int
    expected_quantity: int | None = strawberry.field(
        default=strawberry.UNSET,
        description="What was counted there, reserved pieces included, when this was decided. CONFLICT when it is "
        "another quantity by now, and nothing changes.",
    )


@strawberry.input
class AttributeInput:
    name: str
    value: str


@strawberry.input
class ProductInput:
    product_id: str
    name: str
    category: str = strawberry.field(description="Slug of a category without subcategories.")
    base_price: Decimal
    description: str = ""
    sale_price: Decimal | None = strawberry.field(default=strawberry.UNSET, description="Null: no discount.")
    attributes: list[AttributeInput] = strawberry.field(default_factory=list)
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


@strawberry.type
class ProductPayload:
    user_errors: list[UserError]
    warnings: list[MutationWarning] = strawberry.field(
        default_factory=list, description="REPLAYED: an earlier request under the same key did it."
    )
    product: Product | None = None
