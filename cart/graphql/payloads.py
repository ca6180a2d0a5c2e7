"""What the mutations of the cart take and answer."""

import strawberry

from cart.graphql.types import Cart
from gateway.graphql.user_errors import MutationWarning, UserError


@strawberry.input
class CartLineInput:
    product: strawberry.ID = strawberry.field(description="Product.id")
    quantity: int


@strawberry.type
class CartPayload:
    user_errors: list[UserError]
    warnings: list[MutationWarning]
    cart: Cart | None = None
    token: str | None = strawberry.field(
        default=None, description="As in SessionPayload: a guest's first line makes a session."
    )
