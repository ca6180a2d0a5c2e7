"""What the mutations of the cart take and answer."""

import strawberry

from cart.graphql.types import Cart
from gateway.graphql.user_errors import MutationWarning, UserError


@strawberry.input(description="A product and how many pieces of it.")
class CartLineInput:
    product: strawberry.ID = strawberry.field(description="Product.id")
    quantity: int = strawberry.field(
        description="Pieces: at least 1 for cartLinesAdd; 0 removes the line in cartLinesSet."
    )


@strawberry.type(description="What a change of the cart has led to.")
class CartPayload:
    user_errors: list[UserError] = strawberry.field(
        description="Why nothing was done, for the person who asked; empty when it was done."
    )
    warnings: list[MutationWarning] = strawberry.field(
        description="What of the cart the buyer should know: short stock, changed prices, withdrawn products."
    )
    cart: Cart | None = strawberry.field(
        default=None, description="The cart as it is now; null when nothing was done, or there is no cart."
    )
    token: str | None = strawberry.field(
        default=None, description="As in SessionPayload: a guest's first line makes a session."
    )
