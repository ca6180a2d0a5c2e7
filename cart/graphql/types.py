"""GraphQL types of the cart: each holds what `cart.reading.priced` found, each resolver is a function of it."""

from datetime import datetime

import strawberry
from strawberry.types import Info

from cart.models import CartStatus as Status
from cart.reading import CartWarning, PricedCart, PricedLine
from catalog.graphql.types import Product
from gateway.domain.texts import Language
from gateway.graphql.context import RequestContext
from gateway.graphql.enums import described_enum
from gateway.graphql.money import Money, rubles
from gateway.graphql.relay.ids import global_id
from gateway.graphql.relay.node import Node
from gateway.graphql.user_errors import MutationWarning, WarningCode

CartStatus = described_enum(
    Status,
    "CartStatus",
    "Whether a cart can still be changed.",
    {
        Status.ACTIVE: "The one that is being filled.",
        Status.ORDERED: "It has become an order.",
        Status.ABANDONED: "Nobody has touched it for too long.",
    },
)


@strawberry.type(description="One product of a cart, at today's price.")
class CartLine:
    cart_id: strawberry.Private[str]
    line: strawberry.Private[PricedLine]

    @strawberry.field(description="Stays the same however often the quantity changes.")
    def id(self) -> strawberry.ID:
        return line_id(self.cart_id, self.line.product_id)

    @strawberry.field(description="Null when the product has been withdrawn.")
    def product(self) -> Product | None:
        return Product(document=self.line.product) if self.line.product else None

    @strawberry.field(
        description=(
            "The product's id in the shop's product information system, e.g. \"PROD-12345\"; known for "
            "withdrawn products too."
        )
    )
    def product_id(self) -> str:
        return self.line.product_id

    @strawberry.field(description="What the product is called, or was called when it was withdrawn.")
    def name(self) -> str:
        return self.line.name

    @strawberry.field(
        description="How many pieces the buyer wants; it may be more than there are, which Cart.warnings tells."
    )
    def quantity(self) -> int:
        return self.line.quantity

    @strawberry.field(description="Today's; that of the adding once the product has been withdrawn.")
    def unit_price(self) -> Money:
        return rubles(self.line.unit_price)

    @strawberry.field(description="When it was put in the cart.")
    def price_seen(self) -> Money:
        return rubles(self.line.price_seen)

    @strawberry.field(description="unitPrice times quantity.")
    def line_total(self) -> Money:
        return rubles(self.line.total)


@strawberry.type(
    description=("What a buyer means to order. It belongs to a session until somebody signs in, then to the account.")
)
class Cart(Node):
    priced: strawberry.Private[PricedCart]

    @strawberry.field(description="Stays the same until the cart is ordered; good for node(id:) by its owner only.")
    def id(self) -> strawberry.ID:
        return global_id("Cart", self.priced.document["owner"], _cart_id(self.priced))

    @strawberry.field(description="ACTIVE as long as it can be changed. The others are seen by node(id:) alone.")
    def status(self) -> Status:
        return Status(self.priced.document["status"])

    @strawberry.field(description="Where the buyer is, if said.")
    def geozone(self) -> str | None:
        return self.priced.document["geozone"]

    @strawberry.field(description="One line per product, in the order in which they were put in.")
    def lines(self) -> list[CartLine]:
        cart_id = _cart_id(self.priced)
        return [CartLine(cart_id=cart_id, line=line) for line in self.priced.lines]

    @strawberry.field(description="Pieces of all lines together: the number on the icon of the cart.")
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

    @strawberry.field(description="When the first product was put in, in UTC.")
    def created_at(self) -> datetime:
        return self.priced.document["created_at"]

    @strawberry.field(description="When it last changed, in UTC.")
    def updated_at(self) -> datetime:
        return self.priced.document["updated_at"]

    @strawberry.field(description="When the cart will be forgotten unless it is changed before, in UTC.")
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
