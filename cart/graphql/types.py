"""GraphQL types of the cart: each holds what `cart.reading.priced` found, each resolver is a function of it."""

from datetime import datetime

import strawberry
from strawberry.types import Info

from cart.models import CartStatus as Status
from cart.reading import CartWarning, PricedCart, PricedLine
from catalog.graphql.types import Product
from gateway.domain.texts import Language
from gateway.graphql.context import RequestContext
from gateway.graphql.money import Money, rubles
from gateway.graphql.relay.ids import global_id
from gateway.graphql.relay.node import Node
from gateway.graphql.user_errors import MutationWarning, WarningCode

CartStatus = strawberry.enum(Status, name="CartStatus")


@strawberry.type
class CartLine:
    cart_id: strawberry.Private[str]
    line: strawberry.Private[PricedLine]

    @strawberry.field
    def id(self) -> strawberry.ID:
        return line_id(self.cart_id, self.line.product_id)

    @strawberry.field(description="Null when the product has been withdrawn.")
    def product(self) -> Product | None:
        return Product(document=self.line.product) if self.line.product else None

    @strawberry.field
    def product_id(self) -> str:
        return self.line.product_id

    @strawberry.field
    def name(self) -> str:
        return self.line.name

    @strawberry.field
    def quantity(self) -> int:
        return self.line.quantity

    @strawberry.field(description="Today's; that of the adding once the product has been withdrawn.")
    def unit_price(self) -> Money:
        return rubles(self.line.unit_price)

    @strawberry.field(description="When it was put in the cart.")
    def price_seen(self) -> Money:
        return rubles(self.line.price_seen)

    @strawberry.field
    def line_total(self) -> Money:
        return rubles(self.line.total)


@strawberry.type
class Cart(Node):
    priced: strawberry.Private[PricedCart]

    @strawberry.field
    def id(self) -> strawberry.ID:
        return global_id("Cart", self.priced.document["owner"], _cart_id(self.priced))

    @strawberry.field
    def status(self) -> Status:
        return Status(self.priced.document["status"])

    @strawberry.field(description="Where the buyer is, if said.")
    def geozone(self) -> str | None:
        return self.priced.document["geozone"]

    @strawberry.field
    def lines(self) -> list[CartLine]:
        cart_id = _cart_id(self.priced)
        return [CartLine(cart_id=cart_id, line=line) for line in self.priced.lines]

    @strawberry.field
    def total_quantity(self) -> int:
        return self.priced.total_quantity

    @strawberry.field(description="At today's prices.")
    def subtotal(self) -> Money:
        return rubles(self.priced.subtotal)

    @strawberry.field(
        description="What the buyer should know before paying: changed prices, short stock, withdrawn products."
    )
    def warnings(self, info: Info[RequestContext, None]) -> list[MutationWarning]:
        return adjustments(self.priced, info.context.language)

    @strawberry.field
    def created_at(self) -> datetime:
        return self.priced.document["created_at"]

    @strawberry.field
    def updated_at(self) -> datetime:
        return self.priced.document["updated_at"]

    @strawberry.field
    def expires_at(self) -> datetime:
        return self.priced.document["expires_at"]


def line_id(cart_id: str, product_id: str) -> strawberry.ID:
    """The id of a line: stays the same however often the quantity changes or the product moves."""
    return global_id("CartLine", cart_id, product_id)


def adjustments(cart: PricedCart, language: Language) -> list[MutationWarning]:
    return [_adjustment(cart, warning, language) for warning in cart.warnings]


def _adjustment(cart: PricedCart, warning: CartWarning, language: Language) -> MutationWarning:
    return MutationWarning(
        code=WarningCode[warning.notice.name],
        target=line_id(_cart_id(cart), warning.product_id),
        message=warning.message(language),
    )


def _cart_id(cart: PricedCart) -> str:
    return str(cart.document["_id"])
